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
#include <string>
#include <vector>

#include "gpode/model.h"
#include "gpode/parallel.h"
#include "model/bound.h"
#include "start/initialise.h"
#include "train/adam.h"
#include "train/minibatch.h"
#include "train/phases.h"
#include "train/plateau.h"
#include "train/validation.h"

namespace gpode {

// Everything that a step depends on, beside data and options.
struct TrainerState {
  std::size_t phase = 0;
  std::size_t step = 0;          // within the phase
  std::size_t cooling_from = 0;  // the step from which the rate runs down early; 0: none
  Plateau plateau;
  double log_tolerance = 0;        // where it is learnt
  std::size_t keeps_shooting = 0;  // 1: whole trajectories were out of reach, see HandOver
  std::size_t adam_steps = 0;
  std::size_t skipped = 0, skipped_in_a_row = 0;  // steps without a usable gradient, so far
  std::vector<double> flat, first_moment, second_moment, step_hints;
  // How often each state's posterior was updated: initial states, then shooting states. Minibatches
  // leave most of them as they are.
  std::vector<double> state_updates;
  // With validation data: the best parameters of the last phase so far, none before its first
  // check, their score, and the checks since.
  std::vector<double> best_flat;
  double best_score = 0;
  std::size_t stale_checks = 0;
  // The step of the last phase from which on the best parameters are kept, and their noise follows
  // the residuals; 0: not yet.
  std::size_t settling_from = 0;

  bool operator==(const TrainerState&) const = default;
};

class Trainer {
 public:
  // Validation data, if there are any, choose the model among those of the last phase.
  Trainer(const Dataset& data, const FitOptions& options, const Dataset& validation = {});
  // From the start of an earlier run on the same data.
  Trainer(const Dataset& data, const FitOptions& options, Start start,
          const Dataset& validation = {});

  // After the last step, or when too many in a row could not be used.
  bool done() const { return state_.phase == plan_.size() || failed(); }
  // At most: of all phases, and with validation data those that settle the noise.
  std::size_t steps() const;

  // One step of the optimiser, before done().
  Progress Step();

  Model Snapshot() const;

  const Start& start() const { return start_; }
  const ModelParameters& parameters() const { return *parameters_; }
  TrainerState Save() const;
  void Restore(const TrainerState& state);

 private:
  // With validation data: steps at the end that change nothing but the noise.
  static constexpr std::size_t kSettlingSteps = 100;

  BoundKind BoundOf(std::size_t phase) const;
  void BeginPhase(std::size_t phase);
  void HandOver();
  bool PolishHelps();
  double MeanLogLikelihood();
  void SetStart(std::span<double> values) const;
  Tolerance CurrentTolerance() const;
  std::size_t BatchSize() const;
  void ChooseSegments();
  void UpdateParameters();
  void UpdateStates(const ParameterRange& range, std::size_t first_state, double rate);
  bool GradientIsUsable() const;
  std::size_t GlobalStep() const;
  bool failed() const;
  std::string Warning() const;
  bool NoiseIsHeld() const;
  bool Settles() const { return state_.settling_from > 0; }
  bool BeginSettling();
  std::size_t EndOfPhase() const;
  double CurrentRate() const;
  void UpdateNoise();
  void UpdateTolerance(double gap);
  void WatchPlateau(double bound);
  void CheckValidation();
  void EndStep();
  Progress ProgressOf(const BoundTerms& terms) const;
  void ClearSpreads(std::span<double> values) const;
  void ReadField(std::span<const double> values, Model& model) const;
  void ReadShootingStates(std::span<const double> values, Model& model) const;
  const ParameterLayout& layout() const { return parameters_->layout(); }

  Dataset data_;
  FitOptions options_;
  std::vector<PhasePlan> plan_;
  std::size_t planned_steps_ = 0;
  Start start_;
  ThreadPool pool_;

  // Of the current phase, or the last one when done.
  std::unique_ptr<ModelParameters> parameters_;
  std::unique_ptr<Bound> bound_;
  std::unique_ptr<Validation> validation_;
  TrainerState state_;
  Adam adam_{0};
  std::optional<Minibatches> minibatches_;
  SegmentChoice choice_;
  TouchedStates touched_;               // by the chosen segments
  std::vector<ParameterRange> ranges_;  // of the parameters that they depend on
  BoundNoise noise_;
  // Of all parameters; up to date in `ranges_`.
  std::vector<double> values_, bvalues_, gradient_;
  std::vector<double> rates_;   // each parameter's share of the learning rate
  std::vector<double> counts_;  // (channels) observations, times their weights
};

}  // namespace gpode
