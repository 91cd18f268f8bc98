// Parallel loops whose results have the same bits for any number of threads.
//
// The problem, never the number of threads, determines how work is divided into items. Any thread
// may process any item; the caller combines the results in the order of the items.
//
// Thread safety: a pool runs one loop at a time. A loop that is started inside another loop runs on
// the thread that started it.
//
//   ThreadPool pool(4);
//   pool.For(segments, [&](std::size_t i) { ... });
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace gpode {

// A function that ThreadPool's constructor calls if the pool has fewer threads (`size`) than were
// asked for (`wanted`).
using ThreadShortageHandler = void (*)(std::size_t wanted, std::size_t size);
// Sets the process's handler and returns the handler before it. A null handler, with which a
// process begins, means that nothing is called.
ThreadShortageHandler SetThreadShortageHandler(ThreadShortageHandler handler);

class ThreadPool {
 public:
  // With threads = 0, the pool has as many threads as the machine. With threads = 1, every loop
  // runs on the calling thread. If the system cannot start a thread, because memory is short or a
  // limit is reached, the pool has fewer threads. The calling thread is one of them.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Returns the index of the calling thread within this pool, from 0 to size() - 1, so that each
  // thread can use its own workspace. A thread that the pool did not start has the index 0: inside
  // a loop, it can only be the thread that called For.
  std::size_t WorkerIndex() const;

  // Calls body(i) once for each i = 0 .. count-1 and returns when all calls have returned. If calls
  // throw, the exception of the smallest such i is rethrown at the end.
  template <typename Body>
  void For(std::size_t count, Body&& body) {
    Run(
        count, [](void* b, std::size_t i) { (*static_cast<std::remove_reference_t<Body>*>(b))(i); },
        &body);
  }

 private:
  struct State;
  void Run(std::size_t count, void (*call)(void*, std::size_t), void* body);

  std::unique_ptr<State> state_;
};

}  // namespace gpode
