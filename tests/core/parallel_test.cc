#include "gpode/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gpode {
namespace {

using Values = std::vector<double>;

constexpr std::size_t kThreads[] = {1, 2, 5};

TEST(ThreadPoolTest, HasTheThreadsItWasAskedFor) {
  for (const std::size_t threads : kThreads) EXPECT_EQ(ThreadPool(threads).size(), threads);
  EXPECT_EQ(ThreadPool().size(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(ThreadPoolTest, DoesEveryItemOnce) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      pool.For(count, [&](std::size_t i) { ++calls.at(i); });
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(calls[i], 1) << "item " << i << " of " << count << ", " << threads << " threads";
      }
    }
  }
}

// The caller sees the items' writes without atomics or locks.
TEST(ThreadPoolTest, WritesAreVisibleAfterTheLoop) {
  ThreadPool pool(5);
  Values squares(500);
  pool.For(squares.size(), [&](std::size_t i) { squares[i] = static_cast<double>(i * i); });
  for (std::size_t i = 0; i < squares.size(); ++i) {
    EXPECT_EQ(squares[i], static_cast<double>(i * i));
  }
}

TEST(ThreadPoolTest, OneThreadIsTheCallerInOrder) {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  pool.For(20, [&](std::size_t i) {
    EXPECT_EQ(order.size(), i);
    order.push_back(i);
  });
  EXPECT_EQ(order.size(), 20u);
}

// Each of three items waits for the other two, so that the loop ends only if three threads run at
// the same time.
TEST(ThreadPoolTest, ItemsRunAtTheSameTime) {
  ThreadPool pool(3);
  std::atomic<int> arrived = 0;
  std::mutex mutex;
  std::set<std::thread::id> ids;
  pool.For(3, [&](std::size_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 3u);
}

TEST(ThreadPoolTest, ManyShortLoops) {
  ThreadPool pool(4);
  std::atomic<std::size_t> sum = 0;
  for (std::size_t loop = 0; loop < 5000; ++loop) {
    pool.For(loop % 6, [&](std::size_t i) { sum += i + 1; });
  }
  std::size_t expected = 0;
  for (std::size_t loop = 0; loop < 5000; ++loop) expected += loop % 6 * (loop % 6 + 1) / 2;
  EXPECT_EQ(sum, expected);
}

TEST(ThreadPoolTest, DestructionAtAnyTime) {
  for (int i = 0; i < 100; ++i) ThreadPool unused(4);
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> calls = 0;
    {
      ThreadPool pool(4);
      pool.For(3, [&](std::size_t) { ++calls; });
    }
    EXPECT_EQ(calls, 3);
  }
}

TEST(ThreadPoolTest, SeveralPoolsInSeveralThreads) {
  std::vector<std::size_t> sums(3, 0);
  std::vector<std::thread> threads;
  for (std::size_t& sum : sums) {
    threads.emplace_back([&sum] {
      ThreadPool pool(3);
      std::vector<std::size_t> items(100);
      for (int loop = 0; loop < 20; ++loop) pool.For(100, [&](std::size_t i) { items[i] += i; });
      for (const std::size_t item : items) sum += item;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t sum : sums) EXPECT_EQ(sum, 20u * 4950u);
}

// Runs a loop that counts the calls of each item and whose odd items throw unless they are smaller
// than `first`. Returns the message of the exception, or "nothing thrown".
std::string MessageOfLoop(ThreadPool& pool, std::size_t count, std::size_t first,
                          std::vector<std::atomic<int>>& calls) {
  try {
    pool.For(count, [&](std::size_t i) {
      ++calls[i];
      if (i >= first && i % 2 == 1) throw std::runtime_error("item " + std::to_string(i));
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(ThreadPoolTest, SmallestItemsExceptionIsRethrownAfterAllItems) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    for (int repetition = 0; repetition < 50; ++repetition) {
      std::vector<std::atomic<int>> calls(40);
      EXPECT_EQ(MessageOfLoop(pool, 40, 12, calls), "item 13") << threads << " threads";
      for (const auto& count : calls) EXPECT_EQ(count, 1) << threads << " threads";
    }
    // The pool can be used again.
    std::vector<std::atomic<int>> calls(40);
    EXPECT_EQ(MessageOfLoop(pool, 40, 100, calls), "nothing thrown") << threads << " threads";
    for (const auto& count : calls) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ThreadPoolTest, LoopInsideALoopRunsOnTheCallingThread) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    ThreadPool other(2);
    std::vector<std::vector<std::size_t>> inner(8);
    pool.For(inner.size(), [&](std::size_t i) {
      const std::thread::id outer = std::this_thread::get_id();
      for (ThreadPool* nested : {&pool, &other}) {
        nested->For(5, [&](std::size_t j) {
          EXPECT_EQ(std::this_thread::get_id(), outer);
          inner[i].push_back(j);
        });
      }
    });
    const std::vector<std::size_t> twice = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    for (const auto& items : inner) EXPECT_EQ(items, twice);
  }
}

TEST(ThreadPoolTest, ExceptionsOfAnInnerLoopAreThoseOfAnyLoop) {
  for (const std::size_t threads : kThreads) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> calls(10);
    std::string message;
    pool.For(1, [&](std::size_t) { message = MessageOfLoop(pool, 10, 4, calls); });
    EXPECT_EQ(message, "item 5");
    for (const auto& count : calls) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

// After an inner loop, even if it threw, the thread is still inside the outer loop.
TEST(ThreadPoolTest, InnerLoopsFollowEachOther) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  pool.For(4, [&](std::size_t) {
    for (int loop = 0; loop < 3; ++loop) {
      try {
        pool.For(3, [&](std::size_t) {
          ++calls;
          throw 1;
        });
      } catch (int) {
      }
    }
  });
  EXPECT_EQ(calls, 4 * 3 * 3);
}

// In a loop inside the loop of another pool, WorkerIndex belongs to the inner pool.
TEST(ThreadPool, WorkerIndexStaysWithinThePoolInsideAnotherPoolsLoop) {
  ThreadPool outer(4);
  std::vector<std::size_t> largest(64, 0);
  outer.For(largest.size(), [&](std::size_t i) {
    EXPECT_LT(outer.WorkerIndex(), outer.size());
    ThreadPool inner(1);
    inner.For(3, [&](std::size_t) { largest[i] = std::max(largest[i], inner.WorkerIndex()); });
  });
  EXPECT_EQ(largest, std::vector<std::size_t>(64, 0));
}

}  // namespace
}  // namespace gpode
