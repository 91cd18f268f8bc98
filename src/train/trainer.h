// Training as a sequence of steps whose whole state can be taken out and put back.
//
// A run is a list of phases, each with a bound, a number of steps and tolerances; a phase starts
// from where the one before ended. A restored Trainer goes on with the bits of an uninterrupted
// one.
//
//   Trainer trainer(data, options);
//   while (!trainer.done()) trainer.Step();
//   Model model = trainer.Snapshot();
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpode/model.h"
#include "gpode/parallel.h"
#include "model/bound.h"
#include "train/adam.h"
#include "train/initialise.h"
#include "train/minibatch.h"

namespace gpode {

struct PhasePlan {
  BoundKind bound;
  std::size_t steps;
  double loose, tight, tightening;  // of the tolerance; for shooting
};

// The phases that the options ask for.
std::vector<PhasePlan> PlanPhases(const FitOptions& options);

// Everything that a step depends on, beside data and options.
struct TrainerState {
  std::size_t phase = 0;
  std::size_t step = 0;  // within the phase
  std::size_t adam_steps = 0;
  std::vector<double> flat, first_moment, second_moment, step_hints;
  // How often each state's posterior was updated: initial states, then shooting states. Minibatches
  // leave most of them as they are.
  std::vector<double> state_updates;

  bool operator==(const TrainerState&) const = default;
};

class Trainer {
 public:
  Trainer(const Dataset& data, const FitOptions& options);

  bool done() const { return state_.phase == plan_.size(); }
  std::size_t steps() const { return total_steps_; }

  // One step of the optimiser, before done().
  Progress Step();

  Model Snapshot() const;

  TrainerState Save() const;
  void Restore(const TrainerState& state);

 private:
  void BeginPhase(std::size_t phase);
  void SetStart(std::span<double> values) const;
  void TakeOver(const ModelParameters& from, std::span<const double> from_flat);
  Tolerance CurrentTolerance() const;
  void ChooseSegments();
  void UpdateParameters();
  void UpdateStates(const ParameterRange& range, std::size_t first_state, double rate);
  bool GradientIsFinite() const;
  std::size_t GlobalStep() const;
  void SetNoiseRate();
  Progress ProgressOf(const BoundTerms& terms) const;
  const ParameterLayout& layout() const { return parameters_->layout(); }

  Dataset data_;
  FitOptions options_;
  std::vector<PhasePlan> plan_;
  std::size_t total_steps_ = 0;
  Start start_;
  ThreadPool pool_;

  // Of the current phase, or the last one when done.
  std::unique_ptr<ModelParameters> parameters_;
  std::unique_ptr<Bound> bound_;
  TrainerState state_;
  Adam adam_{0};
  std::optional<Minibatches> minibatches_;
  SegmentChoice choice_;
  TouchedStates touched_;               // by the chosen segments
  std::vector<ParameterRange> ranges_;  // of the parameters that they depend on
  BoundNoise noise_;
  // Of all parameters; up to date in `ranges_`.
  std::vector<double> values_, bvalues_, gradient_;
  std::vector<double> rates_;  // each parameter's share of the learning rate
};

}  // namespace gpode
