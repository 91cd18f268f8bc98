#include "gpode/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gpode {
namespace {

thread_local bool inside_loop = false;
thread_local const void* worker_of = nullptr;  // the pool's state
thread_local std::size_t worker_index = 0;

// A loop inside a loop, with the promise about exceptions that every loop gives.
void RunHere(std::size_t count, void (*call)(void*, std::size_t), void* body) {
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

// One loop is one "generation". Workers sleep until the generation changes, take items from `next`
// until none is left, and report back; the caller takes items too.
struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  std::size_t generation = 0;
  std::size_t busy = 0;
  bool stop = false;

  std::size_t count = 0;
  void (*call)(void*, std::size_t) = nullptr;
  void* body = nullptr;
  std::atomic<std::size_t> next{0};

  std::size_t failed_item = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;

  void TakeItems() {
    inside_loop = true;
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
    inside_loop = false;
  }

  void Work() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      TakeItems();
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < threads; ++i) {
    state_->workers.emplace_back([state = state_.get(), i] {
      worker_of = state;
      worker_index = i;
      state->Work();
    });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

std::size_t ThreadPool::WorkerIndex() const { return worker_of == state_.get() ? worker_index : 0; }

std::size_t ThreadPool::size() const { return state_->workers.size() + 1; }

void ThreadPool::Run(std::size_t count, void (*call)(void*, std::size_t), void* body) {
  if (inside_loop || count == 0) return RunHere(count, call, body);
  State& s = *state_;
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
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.busy == 0; });
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

void OrderedSum::Reset(std::size_t size) {
  if (size > capacity_) {
    partial_ = std::make_unique<double[]>(size);
    capacity_ = size;
  }
  std::fill_n(partial_.get(), size, 0.0);
}

void OrderedSum::Add(std::size_t chunks, std::span<double> total) const {
  const double* part = partial_.get();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (double& sum : total) sum += *part++;
  }
}

}  // namespace gpode
