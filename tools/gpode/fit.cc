// gpode fit: learns a model from data files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "fit_arguments.h"
#include "fit_summary.h"
#include "gpode/error.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "output.h"
#include "progress.h"
#include "sidecar.h"
#include "start/check_input.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kLongSeries = 100;  // times from which on a series is shot by default

// When the initial states are.
void SetStarts(const std::string& initial, Dataset* data) {
  for (Trajectory& t : data->trajectories) {
    if (initial == "first") continue;
    if (initial == "gap") {
      t.start_time = t.times[0] - (t.times[1] - t.times[0]);
      continue;
    }
    const std::optional<double> time = internal::ToNumber(initial);
    if (!time || !std::isfinite(*time)) {
      Refuse({"fit", "--initial"}, initial, kInitialWords);
    }
    if (*time > t.times[0]) {
      Refuse({"fit", "--initial"}, initial,
             fmt::format("at or before the first observation, at {:g}", t.times[0]));
    }
    t.start_time = *time;
  }
}

// A channel without movement has no field. Principal components pass it over.
void CheckChannelsMove(const Dataset& data, const RunConfig& config) {
  if (config.fit.observation == Observation::kPca) return;
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Trajectory& t : data.trajectories) {
      for (double v : t.values.col(static_cast<Eigen::Index>(c))) {
        if (std::isnan(v)) continue;
        least = std::min(least, v), most = std::max(most, v);
      }
    }
    if (least < most) continue;
    internal::ThrowAt(config.files.front(),
                      fmt::format("channel {} is {:g} in every row, must vary; choose others with "
                                  "--channels",
                                  internal::Quote(data.channels[c]), least));
  }
}

bool SameData(const Dataset& one, const Dataset& other) {
  bool same = one.channels == other.channels || one.trajectories.empty();
  same = same && one.trajectories.size() == other.trajectories.size();
  for (std::size_t n = 0; same && n < one.trajectories.size(); ++n) {
    const Trajectory &a = one.trajectories[n], &b = other.trajectories[n];
    same = a.times == b.times && a.start_time == b.start_time &&
           (a.values.array() == b.values.array() ||
            (a.values.array().isNaN() && b.values.array().isNaN()))
               .all();
  }
  return same;
}

bool IsLong(const Dataset& data) {
  return std::any_of(data.trajectories.begin(), data.trajectories.end(),
                     [](const Trajectory& t) { return t.times.size() >= kLongSeries; });
}

class Fitter {
 public:
  Fitter(const FitArguments& arguments, std::string command_line)
      : a_(arguments), command_line_(std::move(command_line)) {}

  void Run() {
    config_ = ConfigOf(a_);
    Prepare();
    CheckOutput(out_, config_.files);
    CheckOutput(SidecarOf(out_), config_.files);
    Interruption interruption;
    const TrainedModel trained = Learn();
    // A sampler that was stopped has nothing to show.
    if (!trained.finished && IsSampled(config_.fit) && !config_.files.empty()) {
      throw Interrupted();
    }
    WriteSidecar(trained);
    Conclude(trained);
    if (Interruption::Asked()) throw Interrupted();
    CheckSucceeded(trained);
  }

 private:
  void Prepare() {
    out_ = a_.out;
    if (!config_.files.empty()) {
      const std::vector<std::filesystem::path> paths(config_.files.begin(), config_.files.end());
      if (out_.empty()) out_ = paths.front().stem().string() + ".gpode";
      data_ = ReadDataset(paths, config_.read);
      SetStarts(config_.initial, &data_);
      SetObservation(a_.observe, data_.channels.size(), &config_.fit);
      CheckChannelsMove(data_, config_);
      ChooseModel();
      CheckFitInput(data_, config_.fit);
      ReadValidation();
    } else if (!a_.resume) {
      ThrowInput("fit", "DATA", "is missing, must name at least one file; see gpode fit --help");
    } else if (out_.empty()) {
      ThrowInput("fit", "-o", "is missing, must name the model file to go on with");
    } else if (!a_.changes.empty() || !a_.config.empty() || a_.observe || a_.model != "auto" ||
               !a_.validation.empty()) {
      ThrowInput("fit", "--resume",
                 "without DATA goes on as the run was, must not have other options for it");
    }
    if (out_ == "-") ThrowInput("fit", "-o", "is '-', must be a file");
  }

  void ChooseModel() {
    if (a_.model != "auto") SetModel(config_.fit, a_.model, "fit: --model");
    // A configuration file has chosen already.
    if (a_.model == "auto" && a_.config.empty()) {
      config_.fit.bound = IsLong(data_) ? BoundKind::kShooting : BoundKind::kVanilla;
    }
  }

  void ReadValidation() {
    if (config_.validation.empty()) return;
    if (IsSampled(config_.fit)) {
      ThrowInput("fit", "--validation", "has no use with a sampler, must not be given");
    }
    validation_ = ReadDataset(std::vector<std::filesystem::path>{config_.validation}, config_.read);
    if (validation_.channels == data_.channels) return;
    internal::ThrowAt(
        config_.validation,
        fmt::format("has channels {}, must have those of the data, {}",
                    internal::ListOf(validation_.channels), internal::ListOf(data_.channels)));
  }

  // What is in the file must be the run that was asked for.
  void CheckResumes(const TrainedModel& saved) const {
    if (config_.files.empty()) return;
    if (!SameData(saved.data, data_) || !SameData(saved.validation, validation_)) {
      internal::ThrowAt(out_, "holds a run on other data, cannot go on with these");
    }
    FitOptions was = saved.model.options, is = config_.fit;
    was.threads = is.threads;
    if (OptionsText(was) != OptionsText(is)) {
      internal::ThrowAt(out_,
                        "holds a run with other options, cannot go on with these; leave out "
                        "DATA and options to go on as it was");
    }
  }

  TrainedModel Learn() {
    ProgressLine line(a_.common.quiet || a_.common.json);
    FitControl control;
    control.report = [&](const Progress& progress) {
      clock_->Record(progress.step);
      line.Show(progress);
      WriteSidecarNowAndThen();
      return !Interruption::Asked();
    };
    control.report_every = 1;
    control.checkpoint = out_;
    control.checkpoint_seconds = a_.checkpoint_seconds;
    if (a_.common.threads > 0) control.threads = a_.common.threads;
    const bool go_on = a_.resume && (config_.files.empty() || std::filesystem::exists(out_));
    if (!a_.common.quiet && !a_.common.json && !go_on) PrintPlan(data_, config_);
    clock_.emplace(control.threads.value_or(config_.fit.threads));
    if (!go_on) return Train(data_, config_.fit, control, validation_);
    resumed_ = true;
    const TrainedModel saved = LoadTrainedModel(out_);
    CheckResumes(saved);
    if (const auto earlier = TimingBeside(out_)) clock_->GoOnFrom(*earlier);
    if (!a_.common.quiet && !a_.common.json) {
      fmt::print("{}: {}\n", out_, saved.finished ? "is finished already" : "going on");
    }
    return Resume(out_, control);
  }

  void WriteSidecar(const report::Timing& timing) const {
    // A run that goes on keeps the command that began it.
    std::string text = resumed_ ? ReadSidecar(out_) : "";
    if (text.empty() && config_.files.empty()) return;
    if (text.empty()) text = ConfigText(config_, command_line_);
    text = WithTiming(text, timing);
    internal::WriteFile(SidecarOf(out_), std::as_bytes(std::span(text)));
  }

  // Beside the model that is there now.
  void WriteSidecar(const TrainedModel& trained) const {
    if (clock_->started()) WriteSidecar(clock_->At(trained.history));
  }

  // As often as checkpoints: a run that is killed has its configuration and times, too.
  void WriteSidecarNowAndThen() {
    if (IsSampled(config_.fit)) return;  // which writes its model at the end only
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - written_;
    if (!(a_.checkpoint_seconds > 0) || passed.count() < a_.checkpoint_seconds) return;
    written_ = now;
    WriteSidecar(clock_->Thinned());
  }

  // Numbers that are none are no model, whatever the file holds.
  void CheckSucceeded(const TrainedModel& trained) const {
    if (trained.history.empty() || std::isfinite(trained.history.back().bound)) return;
    throw TrainingFailed(
        fmt::format("fit: training failed, its bound is {}: {} is of no use; a "
                    "smaller --learning-rate may help",
                    trained.history.back().bound, out_));
  }

  void Conclude(const TrainedModel& trained) const {
    if (a_.common.quiet && !a_.common.json) return;
    const FitQuality quality = AssessFit(
        trained, {.draws = 64, .seed = trained.model.options.seed, .threads = a_.common.threads});
    if (a_.common.json) {
      PrintSummaryJson(trained, quality, out_);
    } else {
      PrintSummary(trained, quality, out_, a_.common.verbose);
    }
  }

  const FitArguments& a_;
  std::string command_line_, out_;
  RunConfig config_;
  Dataset data_, validation_;
  bool resumed_ = false;
  std::optional<TrainingClock> clock_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace

void AddFit(CLI::App& app) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* command = app.add_subcommand("fit", "Learn the vector field behind data");
  AddFitOptions(command, arguments.get());
  AddExamples(command, {"gpode fit vdp.csv -o vdp.gpode",
                        "gpode fit run1.csv run2.csv --model shooting --inducing 32 -o both.gpode",
                        "gpode fit walk*.amc skeleton.asf --observe pca --states 5 -o walk.gpode",
                        "gpode fit vdp.csv -o vdp.gpode --resume"});
  command->callback([arguments] { Fitter(*arguments, CommandLine()).Run(); });
}

}  // namespace gpode::tool
