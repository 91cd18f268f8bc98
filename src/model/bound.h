// The evidence lower bounds of the paper, estimated from S draws, and their gradient.
//
//   vanilla   L = sum_i E log p(y_i | x(t_i)) - KL[q(U) || p(U)] - KL[q(x0) || p(x0)]
//   shooting  L = sum_i E log p(y_i | x(t_i; s_(i-1))) + sum_i E log p(s_i | x(t_i; s_(i-1)))
//                 + sum_i H[q(s_i)] - KL[q(s_0) || p(s_0)] - KL[q(U) || p(U)]
//
// (paper, sections 3.2 and 3.5, S1.1 and S1.3), with the entropy H[q]. Both are computed by the
// same code: for the vanilla bound, each segment is a whole trajectory, and there are no shooting
// states. Every draw has its own function and its own states. If the posterior is a point estimate,
// both bounds are logarithms of joint densities up to constants.
//
// If a model has process noise (data/noise_pieces.h), a force is added to the drawn function. Then
// each segment must be a whole trajectory, and all segments must be chosen.
//
// A work item is one draw with a few segments. The cost depends on the chosen segments only, not on
// how many there are in all. After the first evaluation of a certain size, others of that size
// allocate no memory.
//
// The solver starts a segment of a draw with the step size that it had there in the last evaluation
// or, if there was none, with a step size typical of other segments. These step sizes
// are the checkpoint, without which a resumed run would not have the same bits.
//
//   Bound bound(parts, map, trajectories, cut, solver, draws);
//   bound.Choose(bound.AllSegments());
//   bound.SampleNormals(seed, step, pool);
//   BoundTerms terms = bound.Evaluate(values, tolerance, bvalues, pool);
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "data/noise_pieces.h"
#include "data/segments.h"
#include "gpode/observation.h"
#include "gpode/ode.h"
#include "model/evaluators.h"
#include "model/model_parts.h"
#include "model/objective.h"

namespace gpode {

// The density p(s_i | x_i) of a shooting state s_i, given the end x_i of the segment before it
// (paper, equation 16).
struct Tolerance {
  TolerancePrior prior = TolerancePrior::kGaussian;
  double scale = 1e-3;  // sigma_xi: standard deviation (Gaussian) or scale (Laplace)
};

// The segments of an evaluation, as increasing indices, and the weight of the terms of each: 1 if
// they are all segments, or (number of segments) / (size of the batch) for a minibatch.
struct SegmentChoice {
  std::vector<std::size_t> segments;
  double weight = 1;
};

// The parts of an evaluation that its caller needs.
struct EvaluationNeeds {
  // If false, the gradient with respect to the hyperparameters of the function may be left out.
  bool hyperparameters = true;
  // A value that is certainly less than the floor need not be known. The evaluation may then end
  // early and count as one whose integration failed.
  double floor = -std::numeric_limits<double>::infinity();
};

class Bound final : public Objective {
 public:
  // The parts must outlive the bound, which changes the state of their function.
  Bound(const ModelParts& parts, const ObservationMap& map, std::vector<TimedValues> trajectories,
        Segmentation cut, const SolverOptions& solver, std::size_t draws, NoisePieces pieces = {});
  ~Bound() override;

  std::size_t draws() const { return draws_.size(); }
  std::size_t segments() const { return cut_.segments.size(); }
  const Segmentation& segmentation() const { return cut_; }
  const std::vector<TimedValues>& trajectories() const { return trajectories_; }
  const ObservationMap& map() const { return map_; }
  const SolverOptions& solver_options() const { return solver_options_; }
  SegmentChoice AllSegments() const;

  // Sets the segments of the evaluations that follow.
  void Choose(const SegmentChoice& choice);
  // Returns the states that the chosen segments start from or end at.
  const TouchedStates& touched() const { return touched_; }

  // Draws the random numbers of all draws for training step `step`, as far as the chosen segments
  // need them.
  void SampleNormals(std::uint64_t seed, std::uint64_t step, ThreadPool& pool);
  // Access to the random numbers of draw s: the normals of its latent variables, and the draw of
  // the function, which has its own.
  std::span<double> normals(std::size_t s) { return normals_[s]; }
  FunctionDraw& draw(std::size_t s) { return *draws_[s]; }

  // Begins an evaluation: takes the constrained values of all parameters (gpode/parameters.h), and
  // makes the draws.
  FactorStatus Begin(std::span<const double> values, const Tolerance& tolerance, ThreadPool& pool);
  std::size_t items() const override;
  std::size_t groups() const override { return draws(); }
  std::size_t slot_size() const override { return slot_size_; }
  std::size_t summed_size() const override { return total_size_; }
  void Sums(std::size_t item, std::size_t worker, std::span<double> slot) const override;
  BoundTerms Finish(ItemResults& results, std::span<double> bvalues, ThreadPool& pool) override;
  std::vector<double> Checkpoint() const override { return step_sizes_; }
  void Restore(std::span<const double> checkpoint) override;
  // Forgets the step sizes, so that the next evaluation does not depend on earlier ones.
  void ForgetStepSizes();

  // Lets the ranks of a group share the work of Evaluate, which all of them must call. The group
  // must outlive the bound. If `splits_states` is true, touched() on each rank holds only the
  // states at which its own segments start or end; the parameters of other states may have any
  // value there, and their gradients are not computed. Choose must be called afterwards.
  void UseRanks(Ranks& ranks, bool splits_states);
  bool splits_states() const { return split_ != nullptr; }
  // Computes what touched() returns on another rank.
  void FindTouchedBy(std::size_t rank, TouchedStates& touched) const;
  // Calls Begin, Sums for all items, and Finish. If bvalues is empty, computes no gradient.
  BoundTerms Evaluate(std::span<const double> values, const Tolerance& tolerance,
                      std::span<double> bvalues, ThreadPool& pool,
                      const EvaluationNeeds& needs = {});

  // (channels): the factors of the channels' log likelihoods; empty if all are one.
  std::vector<double> channel_weights;

 private:
  struct Workspace;
  struct Slot;

  bool with_gradient_ = true;  // false in an evaluation without a gradient

  std::size_t ItemsPerDraw() const;
  void RunSegment(std::size_t draw, std::size_t position, std::size_t place, Workspace& workspace,
                  const Slot& slot) const;
  void SplitStates();
  std::size_t FirstPosition(std::size_t rank) const;
  std::size_t EndPosition(std::size_t rank) const;
  void MapStates();
  std::size_t ChosenPosition(std::size_t segment) const;
  void SetForce(std::size_t draw, const Segment& segment, Workspace& workspace) const;
  void AddLikelihood(const Segment& segment, std::size_t filled, Workspace& workspace,
                     const Slot& slot) const;
  void AddConstraint(std::size_t draw, const Segment& segment, std::size_t place,
                     Workspace& workspace, const Slot& slot) const;
  std::span<const double> StartState(std::size_t draw, const Segment& segment) const;
  // Returns the results of one segment, given by its position among the chosen ones.
  const double* RowOf(const ItemResults& results, std::size_t draw, std::size_t position) const;
  void TakeStepSizes(const ItemResults& results);
  void SumTerms(std::span<const double> totals, BoundTerms& terms) const;
  void AddDivergences(std::span<double> bvalues, BoundTerms& terms, ThreadPool& pool);
  void AddStateDivergences(std::span<double> bvalues, BoundTerms& terms, ThreadPool& pool);
  void ComputeStateDivergences(std::span<const LatentRange> ranges, std::span<double> bvalues);
  void GatherDivergences();
  std::size_t NumberOf(std::size_t part, std::size_t item) const;
  void AddDrawReverses(const ItemResults& results, std::span<const LatentRange> ranges,
                       std::span<double> bvalues);
  void AddGradient(ItemResults& results, std::span<double> bvalues, ThreadPool& pool);
  double LargestMisfit(ThreadPool& pool);
  void AddForceGradient(const ItemResults& results, std::size_t draw, std::span<double> bvalues);
  void GatherStateCotangents(const ItemResults& results, std::size_t draw,
                             std::span<const LatentRange> ranges);
  LatentRange StartRange(const Segment& segment) const;

  const ModelParts& parts_;
  ObservationMap map_;
  std::vector<TimedValues> trajectories_;
  Segmentation cut_;
  SolverOptions solver_options_;
  NoisePieces pieces_;
  std::vector<std::unique_ptr<FunctionDraw>> draws_;  // (S)

  SegmentChoice choice_;
  TouchedStates touched_;
  // The latent variables of the chosen segments. If there are many states, their latent variables
  // are in `chunks_`, which threads share, and all others in `ranges_`. Otherwise all are in
  // `ranges_`.
  std::vector<LatentRange> ranges_, chunks_;
  // For each initial state and then for each shooting state, the segments that start and end there.
  std::vector<std::size_t> starting_, ending_;
  // (segments): the position of each chosen segment among the chosen ones; undefined for the
  // others.
  std::vector<std::size_t> positions_;
  std::vector<double> divergences_;  // (chosen segments): divergences of the states at their starts
  Ranks* split_ = nullptr;           // the ranks that share the states; nullptr if none do
  std::vector<std::size_t> offsets_;  // (ranks + 1): the first chosen segment of each, and the end

  // The parameters and draws of the present evaluation.
  std::span<const double> values_;
  Tolerance tolerance_;
  EvaluationNeeds needs_;
  // The largest misfit of a segment (MisfitRule in bound.cc), and half the weight of each channel
  // divided by its noise variance.
  double largest_misfit_ = std::numeric_limits<double>::infinity();
  std::vector<double> precisions_;
  std::vector<std::vector<double>> normals_, z_;  // (S) of (latent size)

  // Numbers of doubles: the raw sums of a field's gradient; these, the gradient with respect to the
  // likelihood's parameters and the scalar terms; and the whole slot, with the rows of the
  // segments.
  std::size_t sum_count_;
  std::size_t total_size_;
  std::size_t slot_size_;
  std::size_t row_size_;     // doubles that a slot has for each segment
  std::size_t longest_ = 0;  // the largest number of observations in a segment
  // (S * segments + 1): first step sizes, and that for segments that were not integrated yet.
  std::vector<double> step_sizes_;
  std::unique_ptr<Evaluator> evaluator_ = std::make_unique<ThreadEvaluator>();
  ItemResults results_;
  std::vector<double> bz_;  // (S, latent size): gradient with respect to z_
  mutable std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
};

}  // namespace gpode
