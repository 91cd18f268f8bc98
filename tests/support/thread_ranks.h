// Ranks (gpode/ranks.h) that are threads of the test's process, for tests without MPI.
//
//   RunOnRanks(3, [&](Ranks& ranks) { ... });  // calls the function on three threads
#pragma once

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gpode/ranks.h"

namespace gpode::testing_support {

// The state that the ranks of a group share.
struct ThreadGroup {
  explicit ThreadGroup(std::size_t count)
      : size(count), barrier(static_cast<std::ptrdiff_t>(count)), chain(count) {}

  std::size_t size;
  std::barrier<> barrier;
  std::span<const std::byte> announced;  // the bytes of a broadcast
  std::vector<double> gathered;
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::deque<std::vector<double>>> chain;  // messages to each rank from the one before
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadGroup& group, std::size_t rank) : group_(group), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return group_.size; }
  std::size_t threads() const override { return 1 + rank_ % 2; }

  void Broadcast(std::size_t from, std::span<std::byte> bytes) override {
    if (rank_ == from) group_.announced = bytes;
    group_.barrier.arrive_and_wait();
    if (rank_ != from) std::memcpy(bytes.data(), group_.announced.data(), bytes.size());
    group_.barrier.arrive_and_wait();
  }

  void Send(std::size_t to, std::span<const double> values) override {
    if (to != rank_ + 1) throw std::logic_error("ThreadRanks sends to the next rank only");
    const std::lock_guard lock(group_.mutex);
    group_.chain[to].emplace_back(values.begin(), values.end());
    group_.arrived.notify_all();
  }

  void Receive(std::size_t from, std::span<double> values) override {
    if (from + 1 != rank_) throw std::logic_error("ThreadRanks receives from the one before only");
    std::unique_lock lock(group_.mutex);
    group_.arrived.wait(lock, [&] { return !group_.chain[rank_].empty(); });
    if (group_.chain[rank_].front().size() != values.size()) throw std::logic_error("wrong size");
    std::ranges::copy(group_.chain[rank_].front(), values.begin());
    group_.chain[rank_].pop_front();
  }

  void Gather(std::span<const std::size_t> offsets, std::span<double> all) override {
    if (rank_ == 0) group_.gathered.resize(all.size());
    group_.barrier.arrive_and_wait();
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(offsets[rank_]),
              all.begin() + static_cast<std::ptrdiff_t>(offsets[rank_ + 1]),
              group_.gathered.begin() + static_cast<std::ptrdiff_t>(offsets[rank_]));
    group_.barrier.arrive_and_wait();
    std::ranges::copy(group_.gathered, all.begin());
    group_.barrier.arrive_and_wait();
  }

  void Abort(const std::string& message) override { throw std::runtime_error(message); }

 private:
  ThreadGroup& group_;
  std::size_t rank_;
};

// Calls the function on every rank of a group, each on a thread of its own; rank 0 is the calling
// thread.
inline void RunOnRanks(std::size_t size, const std::function<void(Ranks&)>& function) {
  ThreadGroup group(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 1; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(group, rank);
      function(ranks);
    });
  }
  ThreadRanks ranks(group, 0);
  function(ranks);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gpode::testing_support
