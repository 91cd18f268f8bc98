// The interface of a function to be maximised: a value and its gradient, computed as a sum over
// independent work items. It is implemented by the bounds of the paper (bound.h).
//
//   Sums(first, end, ...)   evaluates work items; each writes its results into its own slot
//   Finish(slots, ...)      turns the slots of all items into value and gradient, once
//
// An implementation first takes the data, the random numbers and the parameters of an evaluation in
// functions of its own, such as Bound::Begin; the results of every item depend on these alone.
// Slots are added up in the order of the items, so that the result has the same bits for any
// division of the items among threads, processes or devices. What an objective remembers between
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

// The terms of the evidence lower bound (paper, sections 3.2 and 3.5).
struct BoundTerms {
  double loglik = 0;
  double constraint = 0;  // sum of E log p(s_i | x_i) over shooting states s_i
  double entropy = 0;     // entropy of the posterior of the shooting states
  double kl_u = 0;        // divergence of the function's latent variables from their prior
  double kl_x0 = 0;
  // The mean of (gap / tolerance)^2 or, for a Laplace tolerance, of |gap| / tolerance, over all
  // components of the gaps s_i - x_i. It is one if the tolerance fits the gaps, or there are none.
  double gap = 0;
  std::size_t diverged = 0;     // integrations that failed before their end
  std::size_t evaluations = 0;  // number of evaluations of the drawn fields
  FactorStatus factor = FactorStatus::kOk;

  double Total() const { return loglik + constraint + entropy - kl_u - kl_x0; }
};

class Objective {
 public:
  virtual ~Objective() = default;

  virtual std::size_t items() const = 0;      // work items of the present evaluation
  virtual std::size_t slot_size() const = 0;  // doubles that an item writes

  // Evaluates items first .. end - 1; slots (items, slot_size) are those of all items. Several
  // threads may call this at the same time, with different ranges of items and different `worker`
  // numbers.
  virtual void Sums(std::size_t first, std::size_t end, std::size_t worker,
                    std::span<double> slots) const = 0;

  // Returns the terms of the value. Unless bvalues is empty, adds to it the gradient of the value
  // with respect to the constrained parameters.
  virtual BoundTerms Finish(std::span<const double> slots, std::span<double> bvalues,
                            ThreadPool& pool) = 0;

  // Checkpoint returns and Restore sets what the objective remembers between evaluations.
  virtual std::vector<double> Checkpoint() const = 0;
  virtual void Restore(std::span<const double> checkpoint) = 0;
};

// Evaluates all work items of an objective.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void Evaluate(const Objective& objective, std::span<double> slots) = 0;
};

// Evaluates the items on the threads of a pool; a thread that is free takes the next item.
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
