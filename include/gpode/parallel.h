// Loops over threads that give the same bits for any number of threads.
//
// Work is cut into items by the problem, never by the number of threads. Which thread does which
// item is left to chance; results meet in the items' order.
//
// Thread safety: one loop at a time per pool; a loop inside a loop runs on the calling thread.
//
//   ThreadPool pool(4);
//   pool.For(segments, [&](std::size_t i) { ... });
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace gpode {

class ThreadPool {
 public:
  // 0 threads: as many as the machine has. One thread: everything runs on the caller.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Which of this pool's threads is calling, from 0 to size() - 1: for memory that each thread
  // reuses. A thread that is not of this pool can only be the caller of its loops, which has index
  // 0.
  std::size_t WorkerIndex() const;

  // Calls body(i) for i = 0 .. count-1, each once, and returns when all are done. If calls throw,
  // the exception of the smallest such i is rethrown here, after all other items are done.
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
