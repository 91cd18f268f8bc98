// Training as a sequence of steps (paper, algorithm 1), whose whole state can be saved and
// restored.
//
// A run is a list of phases (schedules.h). After Restore, a Trainer computes bit for bit what it
// would have computed without the interruption.
//
//   Trainer trainer(data, options);
//   while (!trainer.done()) trainer.Step();
//   Model model = trainer.Snapshot();
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpode/model.h"
#include "gpode/parallel.h"
#include "gpode/training.h"
#include "model/bound.h"
#include "train/device_steps.h"
#include "train/minibatch.h"
#include "train/schedules.h"
#include "train/trainer_state.h"
#include "train/validation.h"

namespace gpode {

class Trainer {
 public:
  // With validation data, the model is the one that forecasts them best during the last phase.
  // Throws an InputError if the data cannot be learnt from with these options.
  Trainer(const Dataset& data, const FitOptions& options, const Dataset& validation = {});
  // Takes the start that an earlier run on the same data has computed.
  Trainer(const Dataset& data, const FitOptions& options, Start start,
          const Dataset& validation = {});

  // Lets the ranks of a group share the work of each step (model/evaluators.h): all of them must
  // take the same steps of the same run at the same time. The group must outlive the trainer.
  // Without minibatches, a rank keeps only the parameters of the states of its own segments up to
  // date. Before Snapshot or Save, all ranks must call CollectStates, which gives them the
  // parameters of all states.
  void UseRanks(Ranks& ranks);
  void CollectStates();

  // Lets a device take the steps (device_steps.h). It takes blocks of steps, whose results Step
  // then returns one after the other. Snapshot and Save may only be called when IsBetweenBlocks().
  // Returns a line that says what takes the steps, and why if it is the CPU. Throws an InputError
  // if the device is kCuda and cannot be used.
  std::string UseDevice(Device device);
  bool IsBetweenBlocks() const { return pending_.empty(); }
  // Sets the most steps that a device takes at a time.
  void LimitBlocks(std::size_t steps) { most_in_block_ = steps; }
  // Measures the kernels of a step on the device that UseDevice has set (device/engine.h).
  std::vector<device::KernelTime> TimeKernels(std::size_t repetitions);

  // Returns true after the last step, or when too many steps in a row had no usable gradient.
  bool done() const { return state_.phase == plan_.size() || failed(); }
  // Returns the largest number of steps that the run takes: those of all phases and, with
  // validation data, those that settle the noise.
  std::size_t steps() const;

  // Takes one step of the optimiser. Must not be called when done().
  Progress Step();

  // Returns the model as it is now.
  Model Snapshot() const;

  const Start& start() const { return start_; }
  const ModelParts& parts() const { return *parts_; }
  TrainerState Save() const;
  void Restore(const TrainerState& state);

 private:
  // Training ends after this many steps in a row without a usable gradient.
  static constexpr std::size_t kMostSkipped = 200;
  // The number of steps from one score of the validation data to the next.
  static constexpr std::size_t kValidationEvery = 50;

  BoundKind BoundOf(std::size_t phase) const;
  void BeginPhase(std::size_t phase);
  std::size_t BatchSize() const;

  // The parts of Step() on a device.
  Progress StepOnDevice();
  void TakeBlock();
  std::size_t BlockSize() const;
  std::vector<device::StepPlan> PlanBlock(std::size_t steps);
  std::string WhyNotOn(Device device) const;
  bool IsOnDevice();
  DevicePhase PhaseForDevice() const { return {options_, *parts_, *bound_, counts_, start_noise_}; }

  // The parts of Step().
  void ChooseSegments();
  void SplitTouched();
  // Calls visit(touched) for each of touched_, on several threads if there are many parameters.
  template <typename Visit>
  void ForTouched(Visit&& visit);
  void ComputeValues();
  void ComputeGradient();
  bool IsGradientUsable();
  void UpdateParameters();
  void UpdateStates(const TouchedParameters& touched, double rate);
  void UpdateLikelihood();
  void UpdateTolerance(double gap);
  void WatchPlateau(double bound);
  void CheckValidation();
  void EndStep();
  Progress ProgressOf(const BoundTerms& terms) const;

  // The present step, its learning rate and tolerance, and the part of the schedule that it is in.
  std::size_t GlobalStep() const;
  std::size_t EndOfPhase() const;
  double CurrentRate() const;
  Tolerance CurrentTolerance() const;
  bool IsLastPhase() const { return state_.phase + 1 == plan_.size(); }
  bool IsNoiseKnown() const { return !options_.noise_variance.empty(); }
  bool IsNoiseHeld() const;
  bool IsSettling() const { return state_.settling_from.has_value(); }

  bool IsUsableOnAllRanks(bool is_usable) const;
  // Calls visit with each array, or part of one, that a rank keeps up to date for its own states.
  template <typename Visit>
  void ForStatesOf(std::size_t rank, Visit&& visit);

  // The transition from one phase to the next.
  void HandOver();
  bool DoesPolishHelp();
  double MeanLogLikelihood();
  bool BeginSettling();

  bool failed() const;
  std::string Warning() const;
  void ReadShootingStates(Model& model) const;
  const ParameterLayout& layout() const { return parts_->layout(); }

  Dataset data_;
  FitOptions options_;
  Start start_;
  ThreadPool pool_;
  Ranks* ranks_ = nullptr;
  std::vector<PhasePlan> plan_;
  std::size_t planned_steps_ = 0;
  ToleranceSchedule tolerance_;
  std::vector<double> counts_;       // (channels): number of observations times channel weight
  std::vector<double> start_noise_;  // start values of the likelihood's parameters

  TrainerState state_;

  // The requested device, and its steps in the current phase, which are null before the first step
  // and if the CPU takes the steps. `pending_` holds results that Step has not returned yet. The
  // state is already that after the last of them, except for the decisions that the host makes
  // after each step.
  Device device_ = Device::kCpu;
  std::optional<bool> is_on_device_;  // true if the device takes this phase's steps; empty: unknown
  std::unique_ptr<DeviceSteps> device_steps_;
  std::deque<device::StepResult> pending_;
  double seconds_per_step_ = 0;
  std::size_t most_in_block_ = 250;

  // Objects of the current phase, or of the last one when done.
  std::unique_ptr<ModelParts> parts_;
  std::unique_ptr<Bound> bound_;
  std::unique_ptr<Validation> validation_;
  std::optional<Minibatches> minibatches_;
  std::vector<double> rates_;  // for each parameter, a factor of its learning rate

  // Data of the present step. Only the entries of `values_`, `bvalues_` and `gradient_` that
  // `touched_` names are up to date. Its ranges have at most some thousand parameters each.
  SegmentChoice choice_;
  std::vector<TouchedParameters> touched_, found_;
  bool has_many_parameters_ = false;
  bool is_collected_ = true;  // false if another rank has newer parameters of some states
  std::vector<double> values_, bvalues_, gradient_;
};

}  // namespace gpode
