// An objective between optimisers and bounds: a value and its gradient, computed as a sum over work
// items that anyone may evaluate.
//
//   Sums(first, end, ...)   evaluates work items; each writes its own slot of raw sums
//   Finish(slots, ...)      turns the slots of all items into value and gradient, once
//
// A concrete class first takes the data, the random numbers and the parameters of an evaluation in
// functions of its own, such as Bound::Begin; every item is a pure function of these. Slots are
// added up in the order of the items, so the result has the same bits whoever evaluates which
// items: the threads of a pool, other processes or a device. What an objective remembers between
// evaluations to be faster (step sizes of its solver) is its checkpoint.
//
//   bound.Begin(values, tolerance, pool);
//   evaluator.Evaluate(bound, slots);
//   BoundTerms terms = bound.Finish(slots, bvalues, pool);
#pragma once

#include <span>
#include <vector>

#include "gpode/gp.h"
#include "gpode/parallel.h"

namespace gpode {

// The terms of a bound on the evidence.
struct BoundTerms {
  double loglik = 0;
  double constraint = 0;  // E log p(s_i | x_i)
  double entropy = 0;     // of the shooting states
  double kl_u = 0;        // divergence of the field from its prior
  double kl_x0 = 0;
  // The mean over components of (gap / tolerance)^2, or with a Laplace tolerance of
  // |gap| / tolerance. It is one where the tolerance fits the gaps, and where there are no gaps.
  double gap = 0;
  std::size_t diverged = 0;     // integrations that did not reach their end
  std::size_t evaluations = 0;  // of the drawn fields
  FactorStatus factor = FactorStatus::kOk;

  double Total() const { return loglik + constraint + entropy - kl_u - kl_x0; }
};

class Objective {
 public:
  virtual ~Objective() = default;

  virtual std::size_t items() const = 0;      // work items of the present evaluation
  virtual std::size_t slot_size() const = 0;  // doubles that an item writes

  // Evaluates items first .. end - 1; slots (items, slot_size) are those of all items. Called from
  // several threads at the same time with different ranges; `worker` tells them apart.
  virtual void Sums(std::size_t first, std::size_t end, std::size_t worker,
                    std::span<double> slots) const = 0;

  // Returns the terms of the value. Unless bvalues is empty, adds the value's gradient with respect
  // to the constrained parameters to it.
  virtual BoundTerms Finish(std::span<const double> slots, std::span<double> bvalues,
                            ThreadPool& pool) = 0;

  // Save and restore the memory that makes the next evaluation faster.
  virtual std::vector<double> Checkpoint() const = 0;
  virtual void Restore(std::span<const double> checkpoint) = 0;
};

// Evaluates all work items of an objective.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void Evaluate(const Objective& objective, std::span<double> slots) = 0;
};

// Evaluates items by the threads of a pool, which take them one by one.
class ThreadEvaluator final : public Evaluator {
 public:
  explicit ThreadEvaluator(ThreadPool& pool) : pool_(pool) {}
  void Evaluate(const Objective& objective, std::span<double> slots) override {
    pool_.For(objective.items(), [&](std::size_t item) {
      objective.Sums(item, item + 1, pool_.WorkerIndex(), slots);
    });
  }

 private:
  ThreadPool& pool_;
};

}  // namespace gpode
