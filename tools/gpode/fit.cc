// Implements `gpode fit`, which learns a model from data files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "arguments.h"
#include "commands.h"
#include "device/engine.h"
#include "fit_arguments.h"
#include "fit_data.h"
#include "fit_summary.h"
#include "gpode/compare_models.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/likelihood.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "model_target.h"
#include "output.h"
#include "program_ranks.h"
#include "progress.h"
#include "report/model_view.h"
#include "sidecar.h"
#include "start/check_input.h"
#include "store/model_file.h"

namespace gpode::tool {
namespace {

bool SameSamples(const InputSamples& a, const InputSamples& b) {
  return a.times == b.times && a.values.rows() == b.values.rows() &&
         a.values.cols() == b.values.cols() && a.values == b.values;
}

bool SameData(const Dataset& one, const Dataset& other) {
  bool same = one.channels == other.channels || one.trajectories.empty();
  same = same && (one.inputs == other.inputs || one.trajectories.empty());
  same = same && one.trajectories.size() == other.trajectories.size();
  for (std::size_t n = 0; same && n < one.trajectories.size(); ++n) {
    const Trajectory &a = one.trajectories[n], &b = other.trajectories[n];
    same = a.times == b.times && a.start_time == b.start_time && SameSamples(a.inputs, b.inputs) &&
           (a.values.array() == b.values.array() ||
            (a.values.array().isNaN() && b.values.array().isNaN()))
               .all();
  }
  return same;
}

class Fitter {
 public:
  Fitter(const FitArguments& arguments, std::string command_line)
      : a_(arguments), command_line_(std::move(command_line)) {}

  void Run() {
    config_ = ConfigOf(a_);
    Prepare();
    std::vector<std::string> read = config_.files;
    if (!config_.inputs_from.empty()) read.push_back(config_.inputs_from);
    CheckOutput(out_, read);
    CheckEnding(out_, OutputKind::kModel);
    CheckOutput(SidecarPath(out_), read);
    target_.emplace(out_, a_.resume);
    const Interruption interruption([this] { Rescue(); });
    try {
      LearnAndSave();
    } catch (const TrainingFailed&) {
      target_->Discard();
      throw;
    }
  }

 private:
  void LearnAndSave() {
    const TrainedModel trained = Learn();
    WriteSidecar(trained);
    const std::optional<FitQuality> quality = Assess(trained);
    const std::string failure = FailureOf(trained, quality);
    std::string backup;
    if (trained.finished && failure.empty()) {
      const Interruption::Delay delay;
      backup = target_->Finish(!a_.force);
    }
    if (quality && (!a_.common.quiet || a_.common.json)) {
      PrintQuality(trained, *quality, failure.empty());
    }
    if (WasStoppedBeforeDraws(trained) && (!a_.common.quiet || a_.common.json)) {
      PrintStopped(target_->working(), out_, a_.common.json);
    }
    if (!backup.empty() && !IsSilent())
      Print("{}: the model that was in {} before\n", backup, out_);
    if (Interruption::Requested()) throw Interrupted();
    if (!failure.empty()) throw TrainingFailed(failure);
  }

  bool IsSilent() const { return a_.common.quiet || a_.common.json; }

  // Writes the sidecar, then the model file. The sidecar belongs to the new model and to the one
  // before, so that a run that is killed between the two writes has a valid sidecar as well.
  void WriteModel(std::span<const std::byte> bytes) {
    const Interruption::Delay delay;
    const std::string checksum = internal::ChecksumOf(bytes);
    std::vector<std::string> checksums = {checksum};
    if (!checksum_.empty()) checksums.push_back(checksum_);
    WriteSidecar(clock_->Thinned(), checksums);
    try {
      target_->Write(bytes);
    } catch (const InputError&) {
      if (checksum_.empty()) target_->RemoveSidecar();  // there is no model beside it
      throw;
    }
    checksum_ = checksum;
    standby_ = nullptr;
  }

  // Saves an interrupted run whose step takes too long, if that is possible, and prints a message.
  // It is called from another thread, which then ends the process.
  void Rescue() {
    if (const auto save = std::exchange(standby_, nullptr)) {
      save();
      PrintRemark(fmt::format("stopped; saved {}, continue with gpode fit --resume -o {}",
                              target_->working(), out_));
    } else if (!checksum_.empty()) {
      PrintRemark(fmt::format("stopped; continue with gpode fit --resume -o {}", out_));
    } else {
      PrintRemark("stopped before there was anything to save");
    }
    target_->Unlock();
  }

  void Prepare() {
    out_ = a_.out;
    if (!config_.files.empty()) {
      const std::vector<std::filesystem::path> paths(config_.files.begin(), config_.files.end());
      if (out_.empty()) out_ = internal::NameOf(paths.front()) + ".gpode";
      data_ = ReadFitData(a_.observe, a_.equations, &config_, &notes_);
      ChooseModel();
      TakeEquations(a_.equations, data_, &config_);
      CheckChannelsMove(data_, config_, "every row");
      CheckFitInput(data_, config_.fit);
      PrepareHoldout();
      ReadValidation();
    } else if (!a_.resume) {
      ThrowInput("fit", "DATA",
                 "is missing, for example gpode fit vdp.csv -o vdp.gpode; see gpode fit --help");
    } else if (out_.empty()) {
      ThrowInput("fit", "-o", "is missing, must name the model file to resume");
    } else if (!a_.changes.empty() || !a_.config.empty() || a_.observe || a_.model != "auto" ||
               !a_.validation.empty() || a_.holdout || a_.holdout_after || a_.no_refit) {
      ThrowInput(
          "fit", "--resume",
          "without DATA uses the options of the saved run, must not be combined with others");
    }
    if (out_ == "-") ThrowInput("fit", "-o", "is '-', must be a file");
  }

  void ChooseModel() {
    if (a_.model != "auto") SetModel(config_.fit, a_.model, "fit: --model");
    // With a configuration file, the model is the one that it sets.
    if (a_.model == "auto" && a_.config.empty()) {
      std::vector<std::string> given = a_.given;
      if (!config_.validation.empty()) given.emplace_back("validation_patience");
      config_.fit = ChooseOptions(data_, config_.fit, given);
      given_ = std::move(given);
    }
    // An option for a part of the model, such as --posterior, takes precedence over --model.
    for (const auto& change : a_.changes) change(config_);
    config_.fit.likelihood = ResolveLikelihood(config_.fit.likelihood, data_.channels);
    config_.fit.positive = ResolvePositive(config_.fit.positive, data_.channels);
  }

  // Chooses the model by trial fits if the data are suitable (ChooseModel). Rows that --holdout
  // holds back are not used for the choice, since they judge its result.
  void MeasureModels(bool silent) {
    if (!given_) return;
    const Dataset& data = holdout_ ? parts_.seen : data_;
    const std::vector<CandidateModel> candidates = ModelsToTry(data, config_.fit, *given_);
    if (candidates.empty()) return;
    std::optional<ProgressLine> line;
    std::size_t current = candidates.size();
    CompareControl control;
    if (a_.common.threads > 0) control.threads = a_.common.threads;
    control.report = [&](std::size_t candidate, const Progress& progress) {
      if (candidate != current) line.emplace(silent, "trying " + candidates[candidate].name);
      current = candidate;
      line->Show(progress);
      return !Interruption::Requested();
    };
    choice_ = gpode::ChooseModel(data, config_.fit, *given_, control);
    line.reset();
    if (choice_->comparison.interrupted) throw Interrupted();
    config_.fit = choice_->options;
    for (const auto& change : a_.changes) change(config_);
    if (!silent) Print("model: {}\n", choice_->reason);
  }

  // Restores the parts of the model that trial fits chose when the run began.
  void TakeChoiceOf(const FitOptions& saved) {
    const Dataset& data = holdout_ ? parts_.seen : data_;
    if (!given_ || ModelsToTry(data, config_.fit, *given_).empty()) return;
    config_.fit.posterior = saved.posterior;
    config_.fit.bound = saved.bound;
    config_.fit.kernel = saved.kernel;
    config_.fit.features = saved.features;
  }

  // Splits the data, so that errors in the split are found before training starts. TrainWithHoldout
  // splits them again.
  void PrepareHoldout() {
    holdout_ = HoldoutOf(config_, data_.calendar);
    if (!holdout_) return;
    try {
      parts_ = HoldBack(data_, *holdout_);
    } catch (const InputError& error) {
      if (error.function() != "holdout") throw;
      ThrowInput("fit", holdout_->after ? "--holdout-after" : "--holdout", error.message());
    }
    CheckChannelsMove(parts_.seen, config_, "the rows that --holdout leaves");
    CheckFitInput(parts_.seen, config_.fit);
  }

  void ReadValidation() {
    if (config_.validation.empty()) return;
    if (IsSampled(config_.fit)) {
      ThrowInput("fit", "--validation",
                 "cannot be combined with a sampler, which does not stop early");
    }
    ReadOptions read = OptionsLike(data_);
    read.channels = config_.read.channels;
    read.part = config_.read.part;
    read.every = config_.read.every;
    read.fewest_rows = config_.read.fewest_rows;
    read.allow_missing_inputs = config_.read.allow_missing_inputs;
    validation_ = ReadDataset(std::vector<std::filesystem::path>{config_.validation}, read);
    if (!config_.inputs_from.empty()) TakeInputsFrom(config_, &validation_);
    if (validation_.channels == data_.channels) return;
    internal::ThrowAt(
        config_.validation,
        fmt::format("has channels {}, must have those of the data, {}",
                    internal::ListOf(validation_.channels), internal::ListOf(data_.channels)));
  }

  // Throws if data files are given and the model file holds a run on other data or with other
  // options.
  void CheckSameRun(const TrainedModel& saved) const {
    if (config_.files.empty()) return;
    const std::optional<HoldoutOptions> held =
        saved.holdout ? std::optional(saved.holdout->options) : std::nullopt;
    if (held != holdout_) {
      internal::ThrowAt(target_->working(),
                        fmt::format("holds a run {}, cannot be resumed with these; leave out "
                                    "DATA and options to resume it as it is",
                                    held ? "with other held-back data" : "without held-back data"));
    }
    // While rows are held back, saved.data holds only the other rows.
    const bool split = saved.holdout && !saved.holdout->held.trajectories.empty();
    if (!SameData(split ? Rejoin(saved.data, saved.holdout->held) : saved.data, data_) ||
        !SameData(saved.validation, validation_)) {
      internal::ThrowAt(target_->working(),
                        "holds a run on other data, cannot be resumed with these");
    }
    FitOptions was = saved.model.options, is = config_.fit;
    was.threads = is.threads;
    if (OptionsText(was) != OptionsText(is)) {
      internal::ThrowAt(target_->working(),
                        "holds a run with other options, cannot be resumed with these; "
                        "leave out DATA and options to resume it as it is");
    }
  }

  TrainedModel Learn() {
    const bool silent = IsSilent();
    std::optional<ProgressLine> line(std::in_place, silent);
    FitControl control;
    control.report = [&](const Progress& progress) {
      {
        // A sampler may write a checkpoint at the same time, from another thread.
        const Interruption::Delay delay;
        clock_->Record(progress.step);
      }
      line->Show(progress);
      return !Interruption::Requested();
    };
    // This function is called after the first run, on the data that are not held back. If there is
    // a second run, on all data, progress and times refer to that run from now on.
    control.compared = [&](const HoldoutReport& report) {
      line->End();
      if (!silent) ShowHoldout(report);
      line.emplace(silent);
      if (!holdout_ || holdout_->refit) clock_.emplace(threads_);
    };
    control.report_every = 1;
    control.checkpoint = target_->working();
    control.write = [this](std::span<const std::byte> bytes) { WriteModel(bytes); };
    control.checkpoint_failed = [&](const std::string& message) {
      line->End();
      PrintRemark(fmt::format("{}; the run goes on, and the next checkpoint tries again", message));
    };
    control.standby = [this](std::function<void()> save) {
      const Interruption::Delay delay;
      standby_ = std::move(save);
    };
    const StandbyEnd end_of_standby{this};  // standby_ refers to `control`
    control.checkpoint_seconds = a_.checkpoint_seconds;
    if (a_.common.threads > 0) control.threads = a_.common.threads;
    control.ranks = ProgramRanks();
    control.device = a_.device;
    control.device_chosen = [silent](const std::string& name) {
      if (!silent) Print("training on {}\n", name);
      std::fflush(stdout);
    };
    CheckDevice();
    const bool resumes =
        a_.resume && (config_.files.empty() || std::filesystem::exists(control.checkpoint));
    if (!resumes) {
      if (!silent) PrintData(data_, config_, notes_);
      MeasureModels(silent);
      if (!silent) PrintPlan(data_, config_);
    }
    if (a_.common.json && !a_.common.quiet) {
      for (const std::string& note : notes_) PrintRemark("note: " + note);
    }
    if (!silent && !resumes && holdout_) PrintHeldBack(parts_.seen, parts_.held);
    if (!silent) PrintRanks();
    threads_ = control.threads.value_or(config_.fit.threads);
    clock_.emplace(threads_);
    if (!resumes && holdout_) {
      return TrainWithHoldout(data_, config_.fit, *holdout_, control, validation_);
    }
    if (!resumes) return Train(data_, config_.fit, control, validation_);
    resumed_ = true;
    const TrainedModel saved = LoadTrainedModel(control.checkpoint);
    TakeChoiceOf(saved.model.options);
    CheckSameRun(saved);
    checksum_ = internal::ChecksumOf(internal::ReadFile(control.checkpoint));
    if (saved.holdout) holdout_ = saved.holdout->options;
    channels_ = saved.model.channels;
    const bool goes_on = !saved.finished && !saved.instruction_sets.empty();
    if (goes_on && saved.instruction_sets != InstructionSets()) {
      PrintRemark(fmt::format(
          "warning: the run began with the instruction sets {}, here they are {}: the model will "
          "not have the bits of a run without interruption; GPODE_SIMD may choose the same",
          internal::Quote(saved.instruction_sets), InstructionSets()));
    }
    if (const auto earlier = ReadTiming(target_->working())) clock_->ContinueFrom(*earlier);
    const bool compared = !saved.holdout || saved.holdout->report.held_times > 0;
    if (!silent) {
      Print("{}: {}\n", out_, saved.finished && compared ? "already finished" : "resuming");
    }
    return Resume(control.checkpoint, control);
  }

  // Finds errors of --device before training begins.
  void CheckDevice() const {
    if (a_.device != Device::kCuda) return;
    if (IsSampled(config_.fit) && !config_.files.empty()) {
      ThrowInput("fit", "--device",
                 fmt::format("is cuda, but the posterior {} is sampled, which the CPU does; "
                             "--model shooting --posterior blocks is trained",
                             internal::Quote(config_.fit.posterior)));
    }
    if (const std::string reason = device::WhyNoGpu(); !reason.empty()) {
      ThrowInput("fit", "--device", "is cuda, but " + reason);
    }
  }

  // Prints how many processes share the work, if there are several.
  void PrintRanks() const {
    const Ranks* const ranks = ProgramRanks();
    if (ranks == nullptr) return;
    const std::size_t threads = a_.common.threads > 0 ? a_.common.threads : ranks->threads();
    Print("{} with {} each{}\n", report::Pluralise(ranks->size(), "rank", "ranks"),
          report::Pluralise(threads, "thread", "threads"),
          IsSampled(config_.fit) ? "; the sampler of this posterior uses rank 0 alone" : "");
    std::fflush(stdout);
  }

  void ShowHoldout(const HoldoutReport& report) {
    PrintHoldout(channels_.empty() ? data_.channels : channels_, report, a_.common.verbose);
    if (holdout_->refit)
      Print("learning from all {} times\n", report.seen_times + report.held_times);
    std::fflush(stdout);
  }

  void WriteSidecar(const report::Timing& timing, const std::vector<std::string>& checksums) const {
    // The sidecar of a resumed run keeps the command with which the run was started.
    std::string text = resumed_ ? ReadSidecar(target_->working()) : "";
    if (text.empty() && config_.files.empty()) return;
    if (text.empty()) text = ConfigText(config_, command_line_);
    target_->WriteSidecar(WithTiming(text, timing, checksums));
  }

  // Writes the sidecar of the final model, with the training time at each step of its history.
  void WriteSidecar(const TrainedModel& trained) const {
    const Interruption::Delay delay;
    if (clock_->started()) WriteSidecar(clock_->At(trained.history), {checksum_});
  }

  static bool WasStoppedBeforeDraws(const TrainedModel& trained) {
    return IsSampled(trained.model.options) && !trained.model.IsSampled();
  }

  // Returns nothing for a sampler that was stopped before it had draws.
  std::optional<FitQuality> Assess(const TrainedModel& trained) const {
    if (WasStoppedBeforeDraws(trained)) return {};
    return AssessFit(
        trained, {.draws = 64, .seed = trained.model.options.seed, .threads = a_.common.threads});
  }

  // Returns why the run has no usable model: its bound is not finite, or nothing can be forecast.
  // Returns "" if the model is usable.
  std::string FailureOf(const TrainedModel& trained,
                        const std::optional<FitQuality>& quality) const {
    const std::string fate =
        fmt::format("{} {}", out_, target_->IsReplacement() ? "stays as it was" : "cannot be used");
    if (!trained.history.empty() && !std::isfinite(trained.history.back().bound)) {
      return fmt::format(
          "fit: training failed, its bound is {}: {}; a smaller --learning-rate may help",
          trained.history.back().bound, fate);
    }
    if (!quality || !quality->IsAllMissed()) return "";
    return fmt::format(
        "fit: training failed, nothing can be forecast: {}: {}; --initial nearer to the data, more "
        "--iterations or --model shooting may help",
        quality->lost.Warning(), fate);
  }

  void PrintQuality(const TrainedModel& trained, const FitQuality& quality, bool succeeded) const {
    if (a_.common.json) {
      PrintSummaryJson(trained, quality, out_, choice_ ? choice_->reason : "");
    } else {
      PrintSummary(trained, quality, a_.common.verbose);
      PrintSaved(trained, succeeded);
    }
  }

  void PrintSaved(const TrainedModel& trained, bool succeeded) const {
    if (!trained.finished) {
      Print("saved {}; continue with gpode fit --resume -o {}\n", target_->working(), out_);
    } else if (succeeded || !target_->IsReplacement()) {
      Print("saved {}\n", out_);
    }
  }

  // Resets standby_ at the end of training, after which it must not be called.
  struct StandbyEnd {
    Fitter* fitter;
    ~StandbyEnd() {
      const Interruption::Delay delay;
      fitter->standby_ = nullptr;
    }
  };

  const FitArguments& a_;
  std::string command_line_, out_;
  RunConfig config_;
  Dataset data_, validation_;
  std::vector<std::string> notes_;                 // notes from the reader of the data
  std::optional<std::vector<std::string>> given_;  // options that --model auto must not change
  std::optional<ModelChoice> choice_;              // set if trial fits chose the model
  std::optional<HoldoutOptions> holdout_;
  HeldBack parts_;                     // the data, split as holdout_ says
  std::vector<std::string> channels_;  // the channels of a resumed run; otherwise empty
  std::size_t threads_ = 0;
  bool resumed_ = false;
  std::optional<TrainingClock> clock_;
  std::optional<ModelTarget> target_;
  std::string checksum_;           // checksum of the model file that was written last; may be empty
  std::function<void()> standby_;  // saves the run as it was after its last long step
};

}  // namespace

void AddFit(CLI::App& app) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* command = app.add_subcommand("fit", "Learn the vector field behind data");
  AddFitOptions(command, arguments.get());
  AddExamples(command, {"gpode fit vdp.csv -o vdp.gpode",
                        "gpode fit run1.csv run2.csv --model shooting --inducing 32 -o both.gpode",
                        "gpode fit walk*.amc skeleton.asf --observe pca --states 5 -o walk.gpode",
                        "gpode fit vdp.csv --holdout 0.2 -o vdp.gpode",
                        "gpode fit vdp.csv -o vdp.gpode --resume"});
  command->callback([arguments] { Fitter(*arguments, CommandLine()).Run(); });
}

}  // namespace gpode::tool
