// Runs of training, from the start or from a checkpoint to the end. The steps of the optimiser are
// in train/trainer.cc.
#include "gpode/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "io/files.h"
#include "run/resume.h"
#include "run/shared_run.h"
#include "simd/simd.h"
#include "start/check_input.h"
#include "store/model_file.h"
#include "train/sampled_fit.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// Tells when the next checkpoint is due: after a number of steps or of seconds, whichever is first.
class CheckpointClock {
 public:
  explicit CheckpointClock(const FitControl& control) : control_(control) {}

  // Counts a step, after which the run can be saved or not.
  bool Due(bool can_save) {
    ++steps_;
    if (control_.checkpoint.empty() || !can_save) return false;
    const std::chrono::duration<double> passed = Clock::now() - last_;
    const bool due =
        (control_.checkpoint_steps > 0 && steps_ >= control_.checkpoint_steps) ||
        (control_.checkpoint_seconds > 0 && passed.count() >= control_.checkpoint_seconds);
    if (!due) return false;
    steps_ = 0;
    last_ = Clock::now();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const FitControl& control_;
  std::size_t steps_ = 0;
  Clock::time_point last_ = Clock::now();
};

// Calls the report callback after every report_every-th step and the last. Returns false if the
// callback asks to stop the training.
bool Report(const FitControl& control, const Progress& progress, bool done) {
  const std::size_t every = std::max<std::size_t>(control.report_every, 1);
  if (!control.report || (progress.step % every != 0 && !done)) return true;
  return control.report(progress);
}

FitOptions WithThreads(FitOptions options, const FitControl& control) {
  options.threads = control.threads.value_or(options.threads);
  return options;
}

// Returns true if other ranks share the work.
bool IsShared(const FitControl& control) {
  return control.ranks != nullptr && control.ranks->size() > 1;
}

// Returns the options of the trainer on this rank, which may share its machine with other ranks.
FitOptions TrainerOptions(FitOptions options, const FitControl& control) {
  options = WithThreads(std::move(options), control);
  if (options.threads == 0 && IsShared(control)) options.threads = control.ranks->threads();
  return options;
}

// Sets model and state of `trained` to the trainer's present ones. The options and the widening of
// `trained` stay: the trainer's options may have another number of threads, and it knows of no
// widening.
void Update(const Trainer& trainer, TrainedModel& trained) {
  const FitOptions options = trained.model.options;
  const BandWidening widening = trained.model.widening;
  trained.model = trainer.Snapshot();
  trained.model.options = options;
  trained.model.widening = widening;
  trained.finished = trainer.done();
  trained.state =
      std::make_shared<const TrainingState>(TrainingState{trainer.start(), trainer.Save()});
}

void Save(const FitControl& control, const TrainedModel& trained) {
  if (control.checkpoint.empty()) return;
  const std::vector<std::byte> bytes = internal::ModelBytes(trained);
  if (control.write) {
    control.write(bytes);
  } else {
    internal::WriteFile(control.checkpoint, bytes);
  }
}

// Saves a run that is not finished. If that fails, calls control.checkpoint_failed, if it is set,
// instead of throwing an error.
void SaveCheckpoint(const FitControl& control, const TrainedModel& trained) {
  if (!control.checkpoint_failed) return Save(control, trained);
  try {
    Save(control, trained);
  } catch (const InputError& error) {
    control.checkpoint_failed(error.what());
  }
}

// Calls control.standby with a function that saves the run as it is now.
void StandBy(const FitControl& control, const TrainedModel& trained) {
  control.standby(
      [&control, run = std::make_shared<const TrainedModel>(trained)] { Save(control, *run); });
}

// Notes the instruction sets of this program among those of the run.
void NoteInstructionSets(TrainedModel& trained) {
  const std::string sets = InstructionSets();
  if (trained.instruction_sets.find(sets) != std::string::npos) return;
  trained.instruction_sets += (trained.instruction_sets.empty() ? "" : ", then ") + sets;
}

TrainedModel Run(Trainer& trainer, TrainedModel trained, const FitControl& control) {
  NoteInstructionSets(trained);
  if (control.device != Device::kCpu) {
    const std::string line = trainer.UseDevice(control.device);
    if (control.device_chosen) control.device_chosen(line);
  }
  constexpr std::size_t kHistory = 400;  // the most records of progress before the last step
  const std::size_t history_every = (trainer.steps() + kHistory - 1) / kHistory;
  constexpr std::chrono::milliseconds kLongStep(500);
  CheckpointClock clock(control);
  std::optional<internal::SharedRun> shared;
  if (IsShared(control) && !trainer.done()) {
    Update(trainer, trained);
    shared.emplace(*control.ranks, internal::ModelBytes(trained),
                   WithThreads(trained.model.options, control).threads, trainer);
  }
  const auto update = [&] {
    if (shared) shared->Collect(trainer);
    Update(trainer, trained);
  };
  bool goes_on = true;
  // A device takes blocks of steps, so that the run can be saved and stopped between blocks only.
  while (!trainer.done() && (goes_on || !trainer.IsBetweenBlocks())) {
    const auto begin = std::chrono::steady_clock::now();
    const Progress progress = shared ? shared->Step(trainer) : trainer.Step();
    const bool is_long = std::chrono::steady_clock::now() - begin > kLongStep;
    if (progress.step % history_every == 0 || trainer.done()) trained.history.push_back(progress);
    const bool can_save = !trainer.done() && trainer.IsBetweenBlocks();
    if (clock.Due(can_save)) {
      update();
      SaveCheckpoint(control, trained);
    }
    if (can_save && is_long && control.standby) {
      update();
      StandBy(control, trained);
    }
    goes_on = Report(control, progress, trainer.done()) && goes_on;
  }
  update();
  shared.reset();
  Save(control, trained);
  return trained;
}

// Runs a sampler from its start, or from the state trained.sampling if there is one.
TrainedModel Sample(const TrainedModel& trained, const FitControl& control) {
  const auto completed = [&](TrainedModel run) {
    run.model.options = trained.model.options;
    run.model.widening = trained.model.widening;
    run.holdout = trained.holdout;
    run.instruction_sets = trained.instruction_sets;
    NoteInstructionSets(run);
    return run;
  };
  SamplingControl own{.report = control.report, .from = trained.sampling};
  if (!control.checkpoint.empty()) {
    own.seconds = control.checkpoint_seconds;
    own.save = [&](const TrainedModel& run) { SaveCheckpoint(control, completed(run)); };
  }
  TrainedModel sampled =
      completed(SampleModel(trained.data, WithThreads(trained.model.options, control), own));
  if (sampled.finished) Save(control, sampled);
  return sampled;
}

// Trains a model from its start. The options, data, validation data, held-back data and widening of
// `trained` must be set; the last three may be empty.
TrainedModel Begin(TrainedModel trained, const FitControl& control) {
  const FitOptions options = trained.model.options;
  if (IsSampled(options)) return Sample(trained, control);
  Trainer trainer(trained.data, TrainerOptions(options, control), trained.validation);
  return Run(trainer, std::move(trained), control);
}

// Returns the options with equations completed and the likelihood resolved for the data's channels.
FitOptions Resolved(const Dataset& data, FitOptions options) {
  CompleteEquations(data, &options);
  options.likelihood = ResolveLikelihood(options.likelihood, data.channels);
  options.positive = ResolvePositive(options.positive, data.channels);
  return options;
}

// Returns true if a model has been trained but not yet compared with its held-back data.
bool AwaitsComparison(const TrainedModel& trained) {
  if (!trained.holdout || trained.holdout->held.trajectories.empty()) return false;
  if (trained.holdout->report.held_times > 0) return false;
  // Training that failed has no model to compare.
  const bool failed = !trained.history.empty() && !std::isfinite(trained.history.back().bound);
  return trained.finished && !failed;
}

// Compares a model with the data held back from it. Then trains it again on all data if the options
// ask for that (HoldoutOptions::refit). Returns a model that does not await a comparison unchanged.
TrainedModel CompareAndRefit(TrainedModel trained, const FitControl& control) {
  if (!AwaitsComparison(trained)) return trained;
  constexpr std::size_t kDraws = 256;
  const FitOptions options = trained.model.options;
  Holdout& holdout = *trained.holdout;
  holdout.report = AssessHoldout(trained.model, trained.data, holdout.held, kDraws, options.seed,
                                 WithThreads(options, control).threads);
  if (control.compared) control.compared(holdout.report);
  BandWidening widening = holdout.report.widening;
  if (!holdout.options.refit) {
    widening.SetGaps(trained.data);
    trained.model.widening = std::move(widening);
    Save(control, trained);
    return trained;
  }
  TrainedModel whole;
  whole.model.options = options;
  whole.data = Rejoin(trained.data, holdout.held);
  whole.validation = std::move(trained.validation);
  widening.SetGaps(whole.data);
  whole.model.widening = std::move(widening);
  whole.holdout = Holdout{.options = holdout.options, .report = std::move(holdout.report)};
  return Begin(std::move(whole), control);
}

}  // namespace

std::string InstructionSets() {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  constexpr std::string_view kRest = "v4";
#elif defined(__AVX2__) && defined(__FMA__)
  constexpr std::string_view kRest = "v3";
#else
  constexpr std::string_view kRest = "baseline";
#endif
  return fmt::format("{} in {}", simd::Name(simd::ActiveIsa()), kRest);
}

Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report) {
  FitControl control;
  control.report = report;
  return Train(data, options, control).model;
}

TrainedModel Train(const Dataset& data, const FitOptions& options, const FitControl& control,
                   const Dataset& validation) {
  TrainedModel trained;
  trained.model.options = Resolved(data, options);
  trained.data = data;
  trained.validation = validation;
  return Begin(std::move(trained), control);
}

TrainedModel TrainWithHoldout(const Dataset& data, const FitOptions& options,
                              const HoldoutOptions& holdout, const FitControl& control,
                              const Dataset& validation) {
  TrainedModel trained;
  trained.model.options = Resolved(data, options);
  CheckFitInput(data, trained.model.options);
  HeldBack parts = HoldBack(data, holdout);
  trained.data = std::move(parts.seen);
  trained.validation = validation;
  trained.holdout = Holdout{.options = holdout, .held = std::move(parts.held)};
  return CompareAndRefit(Begin(std::move(trained), control), control);
}

TrainedModel Resume(const std::filesystem::path& path, const FitControl& control) {
  FitControl own = control;
  if (own.checkpoint.empty()) own.checkpoint = path;
  return internal::ResumeSaved(LoadTrainedModel(path), path.string(), own);
}

TrainedModel internal::ResumeSaved(TrainedModel saved, std::string_view name,
                                   const FitControl& control) {
  if (AwaitsComparison(saved)) return CompareAndRefit(std::move(saved), control);
  if (saved.finished) return saved;
  if (saved.sampling) {
    return internal::NamingFile(name,
                                [&] { return CompareAndRefit(Sample(saved, control), control); });
  }
  if (!saved.state) {
    internal::ThrowAt(name, "holds a model without its training, cannot be resumed");
  }
  const auto trainer = internal::NamingFile(name, [&] {
    CheckFitInput(saved.data, saved.model.options);
    auto restored =
        std::make_unique<Trainer>(saved.data, TrainerOptions(saved.model.options, control),
                                  saved.state->start, saved.validation);
    restored->Restore(saved.state->trainer);
    return restored;
  });
  return CompareAndRefit(Run(*trainer, std::move(saved), control), control);
}

}  // namespace gpode
