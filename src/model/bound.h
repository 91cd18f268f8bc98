// The evidence lower bounds of the paper, estimated from S draws, and their gradient.
//
//   vanilla   L = sum_i E log p(y_i | x(t_i)) - KL[q(U) || p(U)] - KL[q(x0) || p(x0)]
//   shooting  L = sum_i E log p(y_i | x(t_i; s_(i-1))) + sum_i E log p(s_i | x(t_i; s_(i-1)))
//                 + sum_i H[q(s_i)] - KL[q(s_0) || p(s_0)] - KL[q(U) || p(U)]
//
// (paper, sections 3.2 and 3.5, S1.1 and S1.3). The vanilla bound is the one whose segments are
// whole trajectories. Every draw has its own function and its own states. Where the posterior is a
// point estimate, both are logarithms of joint densities up to constants.
//
// A work item is one draw with a few segments. The cost is that of the chosen segments, however
// many there are in all; once an evaluation of that size was made, the next allocates nothing.
//
// The solver starts each (draw, segment) with the step size that worked last time, or one that was
// not integrated yet with a step size that worked for others: that is the checkpoint.
//
//   Bound bound(parts, map, trajectories, cut, solver, draws);
//   bound.Choose(bound.AllSegments());
//   bound.SampleNormals(seed, step, pool);
//   BoundTerms terms = bound.Evaluate(values, tolerance, bvalues, pool);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/segments.h"
#include "gpode/observation.h"
#include "gpode/ode.h"
#include "model/model_parts.h"
#include "model/objective.h"

namespace gpode {

// How far a shooting state may be from where the segment before it ends.
struct Tolerance {
  TolerancePrior prior = TolerancePrior::kGaussian;
  double scale = 1e-3;  // standard deviation (Gaussian) or scale (Laplace)
};

// The segments of an evaluation, in increasing order, and the weight of each one's terms: all of
// them with weight 1, or a minibatch with weight (number of segments) / (size of the batch).
struct SegmentChoice {
  std::vector<std::size_t> segments;
  double weight = 1;
};

class Bound final : public Objective {
 public:
  // The parts outlive the bound, which uses their function.
  Bound(const ModelParts& parts, const ObservationMap& map, std::vector<TimedValues> trajectories,
        Segmentation cut, const SolverOptions& solver, std::size_t draws);
  ~Bound() override;

  std::size_t draws() const { return draws_.size(); }
  std::size_t segments() const { return cut_.segments.size(); }
  const Segmentation& segmentation() const { return cut_; }
  SegmentChoice AllSegments() const;

  // Takes the segments of the evaluations that follow.
  void Choose(const SegmentChoice& choice);
  // The states that the chosen segments start from or end at.
  const TouchedStates& touched() const { return touched_; }

  // The random numbers of all draws at `step`, for the chosen segments.
  void SampleNormals(std::uint64_t seed, std::uint64_t step, ThreadPool& pool);
  // The random numbers of draw s: normals of its latent variables, and the draw of the function.
  std::span<double> normals(std::size_t s) { return normals_[s]; }
  FunctionDraw& draw(std::size_t s) { return *draws_[s]; }

  // Takes the constrained values of all parameters, and makes the draws.
  FactorStatus Begin(std::span<const double> values, const Tolerance& tolerance, ThreadPool& pool);
  std::size_t items() const override;
  std::size_t slot_size() const override { return slot_size_; }
  void Sums(std::size_t first, std::size_t end, std::size_t worker,
            std::span<double> slots) const override;
  BoundTerms Finish(std::span<const double> slots, std::span<double> bvalues,
                    ThreadPool& pool) override;
  std::vector<double> Checkpoint() const override { return step_sizes_; }
  void Restore(std::span<const double> checkpoint) override;
  // Forgets the step sizes, so that the next evaluation does not depend on those before.
  void ForgetStepSizes();

  // Begin, Sums of all items by the pool's threads, Finish.
  BoundTerms Evaluate(std::span<const double> values, const Tolerance& tolerance,
                      std::span<double> bvalues, ThreadPool& pool);

  // (channels) How much the observations of each channel count; empty: one.
  std::vector<double> channel_weights;

 private:
  struct Workspace;
  struct Slot;

  bool with_gradient_ = true;  // unset by Evaluate if only the value is asked for

  std::size_t ItemsPerDraw() const;
  void RunSegment(std::size_t draw, std::size_t position, std::size_t place, Workspace& workspace,
                  const Slot& slot) const;
  void AddLikelihood(const Segment& segment, std::size_t filled, Workspace& workspace,
                     const Slot& slot) const;
  void AddConstraint(std::size_t draw, const Segment& segment, std::size_t place,
                     Workspace& workspace, const Slot& slot) const;
  std::span<const double> StartState(std::size_t draw, const Segment& segment) const;
  void SumSlots(std::span<const double> slots, ThreadPool& pool);
  void TakeStepSizes(std::span<const double> slots);
  void SumTerms(BoundTerms& terms) const;
  void AddDivergences(std::span<double> bvalues, BoundTerms& terms) const;
  void AddGradient(std::span<const double> slots, std::span<double> bvalues, ThreadPool& pool);
  void GatherStateCotangents(std::span<const double> slots, std::size_t draw);
  LatentRange StartRange(const Segment& segment) const;

  const ModelParts& parts_;
  ObservationMap map_;
  std::vector<TimedValues> trajectories_;
  Segmentation cut_;
  SolverOptions solver_options_;
  std::vector<std::unique_ptr<FunctionDraw>> draws_;  // (S)

  SegmentChoice choice_;
  TouchedStates touched_;
  std::vector<LatentRange> ranges_;  // the latent variables of the choice

  // The place of the present evaluation.
  std::span<const double> values_;
  Tolerance tolerance_;
  std::vector<std::vector<double>> normals_, z_;  // (S) of (latent size)

  std::size_t sum_count_;           // raw sums of a draw's field
  std::size_t total_size_;          // raw sums | cotangents of likelihood parameters | terms
  std::size_t slot_size_;           // the same | cotangents and step sizes of the segments
  std::size_t longest_ = 0;         // observations of a segment
  std::vector<double> step_sizes_;  // (S, segments), then the one for segments without
  std::vector<double> slots_;       // (items, slot)
  std::vector<double> total_;       // (S, total)
  std::vector<double> bz_;          // (S, latent size)
  mutable std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
};

}  // namespace gpode
