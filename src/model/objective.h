// The interface of a function to be maximised: a value and its gradient, computed as a sum over
// independent work items. It is implemented by the bounds of the paper (bound.h).
//
//   Sums(item, ...)         evaluates one work item and writes the results to the item's slot
//   Finish(results, ...)    turns the results of all items into value and gradient, once
//
// An implementation first takes the data, the random numbers and the parameters of an evaluation in
// functions of its own, such as Bound::Begin; the results of every item depend on these alone.
// Slots are added up in the order of the items, so that the result has the same bits for any
// division of the items among threads, processes or devices. The state that an objective keeps
// between evaluations to be faster (step sizes of its solver) is its checkpoint.
//
//   bound.Begin(values, tolerance, pool);
//   evaluator.Evaluate(bound, pool, results);  // evaluators.h
//   BoundTerms terms = bound.Finish(results, bvalues, pool);
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

// The results of all work items. The items are divided into groups of n = items() / groups(): item
// i is number i % n of group i / n. The first summed_size() doubles of a slot are added up over the
// items of a group; the rest of the slot belongs to the item alone.
struct ItemResults {
  std::vector<double> totals;  // (groups, summed_size): sums over each group in the order of items
  std::vector<double> slots;   // the evaluator's workspace, which also holds the rest of each slot
  // The rest of an item's slot begins at slots[first + group * group_stride + number *
  // item_stride].
  std::size_t first = 0, group_stride = 0, item_stride = 0;

  const double* Rest(std::size_t group, std::size_t number) const {
    return slots.data() + first + group * group_stride + number * item_stride;
  }
};

class Objective {
 public:
  virtual ~Objective() = default;

  virtual std::size_t items() const = 0;        // number of work items of the present evaluation
  virtual std::size_t groups() const = 0;       // number of groups, which have equal sizes
  virtual std::size_t slot_size() const = 0;    // number of doubles that an item writes
  virtual std::size_t summed_size() const = 0;  // number of those that are summed over a group

  // Evaluates an item and overwrites its slot (slot_size). Several threads may call this at the
  // same time, for different items and with different `worker` numbers.
  virtual void Sums(std::size_t item, std::size_t worker, std::span<double> slot) const = 0;

  // Returns the terms of the value. Unless bvalues is empty, adds to it the gradient of the value
  // with respect to the constrained parameters. The totals may be overwritten.
  virtual BoundTerms Finish(ItemResults& results, std::span<double> bvalues, ThreadPool& pool) = 0;

  // Checkpoint returns and Restore sets what the objective remembers between evaluations.
  virtual std::vector<double> Checkpoint() const = 0;
  virtual void Restore(std::span<const double> checkpoint) = 0;
};

}  // namespace gpode
