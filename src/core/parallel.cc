#include "gpode/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gpode {
namespace {

thread_local bool inside_loop = false;
thread_local const void* worker_of = nullptr;  // the State of the pool that started this thread
thread_local std::size_t worker_index = 0;

// The number of times that a thread polls for work before it sleeps, about 100 microseconds.
// Polling is worthwhile because the loops of a training step follow each other closely, and waking
// a thread that sleeps takes as long as a short loop.
constexpr int kPolls = 5000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct InsideLoop {
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
};

// Runs a loop on the calling thread, with the same guarantee about exceptions as a parallel loop.
void RunOnCaller(std::size_t count, void (*call)(void*, std::size_t), void* body) {
  std::exception_ptr failure;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      call(body, i);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

// `generation` counts the loops. Workers wait until it changes, take items (the numbers that `next`
// hands out) until none is left, and then decrement `busy`. The caller takes items, too, and then
// waits until `busy` is zero.
struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  // These are written only while the mutex is held. Polling threads read them without the mutex.
  std::atomic<std::size_t> generation{0}, busy{0};
  std::atomic<bool> stop{false};
  int polls = 0;

  std::size_t count = 0;
  void (*call)(void*, std::size_t) = nullptr;
  void* body = nullptr;
  std::atomic<std::size_t> next{0};

  std::size_t failed_item = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;

  // Starts the workers of a pool of this size. Returns false if the system refuses to start one of
  // them; those before it are then running.
  bool Start(std::size_t size) {
    stop = false;
    // With more threads than cores, a polling thread would keep another from working.
    polls = size <= std::thread::hardware_concurrency() ? kPolls : 0;
    try {
      workers.reserve(size - 1);
      for (std::size_t i = 1; i < size; ++i) {
        workers.emplace_back([this, i] {
          worker_of = this;
          worker_index = i;
          Work();
        });
      }
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  // Ends all workers, and returns how many there were.
  std::size_t Stop() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
    const std::size_t count_before = workers.size();
    workers.clear();
    return count_before;
  }

  void TakeItems() {
    const InsideLoop inside;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        call(body, i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed_item) {
          failed_item = i;
          failure = std::current_exception();
        }
      }
    }
  }

  void Work() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex, std::defer_lock);
    while (true) {
      for (int i = 0; i < polls && generation == seen && !stop; ++i) Pause();
      lock.lock();
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      TakeItems();
      lock.lock();
      if (--busy == 0) done.notify_one();
      lock.unlock();
    }
  }
};

namespace {

std::atomic<ThreadShortageHandler> shortage_handler = nullptr;

std::size_t Cores() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

ThreadShortageHandler SetThreadShortageHandler(ThreadShortageHandler handler) {
  return shortage_handler.exchange(handler);
}

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  const std::size_t wanted = threads == 0 ? Cores() : threads;
  std::size_t size = wanted;
  // After a failure, the pool takes at most half as many threads as could be started, since each
  // needs memory for its stack and for its work.
  while (!state_->Start(size)) size = std::clamp<std::size_t>(state_->Stop() / 2, 1, Cores());
  if (size == wanted) return;
  if (const ThreadShortageHandler handler = shortage_handler) handler(wanted, size);
}

ThreadPool::~ThreadPool() { state_->Stop(); }

std::size_t ThreadPool::WorkerIndex() const { return worker_of == state_.get() ? worker_index : 0; }

std::size_t ThreadPool::size() const { return state_->workers.size() + 1; }

void ThreadPool::Run(std::size_t count, void (*call)(void*, std::size_t), void* body) {
  State& s = *state_;
  if (inside_loop || count == 0) return RunOnCaller(count, call, body);
  if (count == 1 || s.workers.empty()) {
    const InsideLoop inside;
    return RunOnCaller(count, call, body);
  }
  {
    const std::lock_guard lock(s.mutex);
    s.count = count;
    s.call = call;
    s.body = body;
    s.next = 0;
    s.failed_item = std::numeric_limits<std::size_t>::max();
    s.failure = nullptr;
    s.busy = s.workers.size();
    ++s.generation;
  }
  s.wake.notify_all();
  s.TakeItems();
  for (int i = 0; i < s.polls && s.busy != 0; ++i) Pause();
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.busy == 0; });
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

}  // namespace gpode
