// Evaluators compute the results of all work items of an objective (objective.h): on the threads of
// this process, or on several processes.
//
// Thread safety: an evaluator belongs to one thread at a time, which may share its work with a
// pool.
//
//   ThreadEvaluator().Evaluate(bound, pool, results);
#pragma once

#include <span>
#include <vector>

#include "gpode/ranks.h"
#include "model/objective.h"

namespace gpode {

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Evaluates all items and writes their results. Reuses the memory of `results`.
  virtual void Evaluate(const Objective& objective, ThreadPool& pool, ItemResults& results) = 0;
};

// Evaluates the items on the threads of a pool. Each free thread takes the next item.
class ThreadEvaluator final : public Evaluator {
 public:
  void Evaluate(const Objective& objective, ThreadPool& pool, ItemResults& results) override;
};

// Evaluates the items on the processes of a group (gpode/ranks.h). All of them must evaluate the
// same objective at the same time.
//
// The items are ordered by their number within their group and then by group, and cut into one
// range of about equal size for each rank, so that a rank has neighbouring segments of all draws.
// Sums are formed along a chain: a rank receives the sums of the ranks before it, adds its own
// items one by one, and sends the result to the next rank. The additions are those of
// ThreadEvaluator, in the same order, and give the same bits. The sums are sent in pieces, so that
// all ranks add at the same time. The results of single items are gathered on all ranks.
class RankEvaluator final : public Evaluator {
 public:
  // The group must outlive the evaluator.
  explicit RankEvaluator(Ranks& ranks) : ranks_(ranks) {}
  // Returns the place in the order at which the items of a rank begin; for rank `size`, the end.
  static std::size_t FirstPlace(std::size_t items, std::size_t rank, std::size_t size) {
    return items * rank / size;
  }
  void Evaluate(const Objective& objective, ThreadPool& pool, ItemResults& results) override;

 private:
  void AddAlongChain(const Objective& objective, ThreadPool& pool, std::span<double> totals);
  void AddOwnItems(const Objective& objective, std::size_t from, std::size_t to, ThreadPool& pool,
                   std::span<double> totals);
  void GatherRests(const Objective& objective, ItemResults& results);

  Ranks& ranks_;
  std::vector<std::size_t> begins_;   // (ranks + 1): the first place of each rank, and the end
  std::vector<std::size_t> offsets_;  // (ranks + 1): where each rank's gathered results begin
  std::vector<double> own_;           // the slots of this rank's items, in their order
};

}  // namespace gpode
