// The evidence lower bounds of the paper, estimated from S draws, and their gradient.
//
//   vanilla   L = sum_i E log p(y_i | x(t_i)) - KL[q(U) || p(U)] - KL[q(x0) || p(x0)]
//   shooting  L = sum_i E log p(y_i | x(t_i; s_(i-1))) + sum_i E log p(s_i | x(t_i; s_(i-1)))
//                 + sum_i H[q(s_i)] - KL[q(s_0) || p(s_0)] - KL[q(U) || p(U)]
//
// (paper, sections 3.2 and 3.5, S1.1 and S1.3). The vanilla bound is the one whose segments are
// whole trajectories. Every draw has its own function and its own states. Where nothing has a
// distribution (Knowledge::kPoint) both are logarithms of joint densities, up to constants: no
// entropy, and log p in place of each divergence.
//
// A Bound is a pure function of parameters, noise and tolerance but for the solver's first steps:
// each (draw, segment) starts with the step that worked last time, or one that was not integrated
// yet with a step that worked for others. `step_hints` is that memory, and belongs into a
// checkpoint.
//
// Work is cut into chunks of (draw, a few segments), whose sums meet in order: the same bits for
// any number of threads. The cost is that of the chosen segments, however many there are in all;
// once an evaluation of that size was made, the next allocates nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpode/model.h"
#include "gpode/observation.h"
#include "gpode/ode.h"
#include "gpode/parallel.h"
#include "model/field_posterior.h"
#include "model/model_parameters.h"
#include "model/segments.h"

namespace gpode {

struct BoundTerms {
  double loglik = 0;
  double constraint = 0;  // E log p(s_i | x_i)
  double entropy = 0;     // of the shooting states
  double kl_u = 0;        // of the field
  double kl_x0 = 0;
  // Mean over components of (gap / tolerance)^2, Laplace: |gap| / tolerance. One where the
  // tolerance fits the gaps, or none were evaluated.
  double gap = 0;
  std::size_t diverged = 0;     // integrations that did not reach their end
  std::size_t evaluations = 0;  // of the drawn fields
  FactorStatus factor = FactorStatus::kOk;

  double Total() const { return loglik + constraint + entropy - kl_u - kl_x0; }
};

// How far a shooting state may be from where the segment before it ends.
struct Tolerance {
  TolerancePrior prior = TolerancePrior::kGaussian;
  double scale = 1e-3;  // standard deviation (Gaussian) or scale (Laplace)
};

// The standard normals of S draws. Where only some states are touched, the others' normals are left
// as they were.
struct BoundNoise {
  std::vector<GpNormals> fields;  // (S)
  std::vector<double> eps_x0;     // (S, trajectories, D)
  std::vector<double> eps_state;  // (S, shooting states, D)
};

// The segments of one evaluation, in increasing order, and the weight of each one's terms; all of
// them with weight 1, or a minibatch with weight (number of segments) / (size of the batch).
struct SegmentChoice {
  std::vector<std::size_t> segments;
  double weight = 1;
};

class Bound {
 public:
  Bound(std::unique_ptr<FieldPosterior> fields, const ObservationMap& map,
        std::vector<TimedValues> trajectories, Segmentation cut, const ModelParameters& parameters,
        const SolverOptions& solver, Knowledge states = Knowledge::kDistribution);
  ~Bound();

  std::size_t draws() const { return fields_->draws(); }
  std::size_t segments() const { return cut_.segments.size(); }
  const Segmentation& segmentation() const { return cut_; }
  const std::vector<TimedValues>& trajectories() const { return trajectories_; }
  SegmentChoice AllSegments() const;

  // The noise of all draws at `step`, for the touched states. A state's normals are addressed by
  // its index: they are the same whichever others are touched.
  void SampleNoise(std::uint64_t seed, std::uint64_t step, const TouchedStates& touched,
                   BoundNoise& noise, ThreadPool& pool) const;

  // The bound at the constrained values; bvalues += its gradient. bvalues may be empty. Of states,
  // only those are read and written that the chosen segments touch.
  BoundTerms Evaluate(std::span<const double> values, const BoundNoise& noise,
                      const Tolerance& tolerance, const SegmentChoice& choice,
                      std::span<double> bvalues, ThreadPool& pool);

  // (channels) How much each one's observations count; empty: one.
  std::vector<double> channel_weights;

  std::vector<double> step_hints;  // (S, segments), then the one for segments that have none

 private:
  struct Workspace;
  struct Chunk;
  // Where the bound is evaluated.
  struct Point {
    std::span<const double> values;
    const BoundNoise& noise;
    const Tolerance& tolerance;
    double weight;
  };

  void RunChunks(const Point& point, const SegmentChoice& choice, ThreadPool& pool);
  void RunSegment(std::size_t draw, std::size_t index, const Point& point, Workspace& workspace,
                  Chunk& chunk);
  void AddLikelihood(const Segment& segment, std::size_t filled, const Point& point,
                     Workspace& workspace, Chunk& chunk) const;
  void AddConstraint(std::size_t draw, std::size_t index, bool reached, const Point& point,
                     Workspace& workspace, Chunk& chunk);
  void SumTerms(BoundTerms& terms) const;
  void SetCommonHint(const SegmentChoice& choice);
  void AddFieldGradients(const BoundNoise& noise, double weight, std::span<double> bvalues,
                         ThreadPool& pool);
  void AddStateGradients(const BoundNoise& noise, const SegmentChoice& choice,
                         std::span<const double> values, std::span<double> bvalues,
                         BoundTerms& terms);
  std::span<const double> StartMean(const Segment& s, std::span<const double> values) const;
  std::span<const double> StartChol(const Segment& s, std::span<const double> values) const;
  std::span<const double> StartNoise(const Segment& s, std::size_t draw,
                                     const BoundNoise& noise) const;

  ObservationMap map_;
  std::vector<TimedValues> trajectories_;
  Segmentation cut_;
  ModelParameters parameters_;
  SolverOptions solver_options_;
  std::unique_ptr<FieldPosterior> fields_;
  bool point_;                                          // whether the states have no distribution
  std::size_t sum_count_;                               // raw sums of a draw
  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one per thread
  std::size_t longest_ = 0;                             // observations of a segment
  std::size_t width_;                                   // of a chunk's sums
  std::vector<double> partial_;                         // (chunks, sums | noise | terms)
  std::vector<double> total_;                           // (S, sums | noise | terms)
  // Per draw: cotangents of the sampled start of each segment, from its own integration and, for
  // shooting states, from the constraint at the end of the segment before. (S, segments, D)
  std::vector<double> bstart_, btarget_;
  std::vector<double> bstate_;  // (D)
};

}  // namespace gpode
