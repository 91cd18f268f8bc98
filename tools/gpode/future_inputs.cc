#include "future_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "io/files.h"
#include "report/model_view.h"

namespace gpode::tool {

void AddInputOptions(CLI::App* command, InputArguments* arguments) {
  AddName(command, "--inputs-from", "FILE", &arguments->from,
          "file with the inputs after the data, in columns of the model's inputs");
  AddSwitch(command, "--hold-inputs", &arguments->hold,
            "keep the last value of the inputs where they end");
}

Dataset ReadInputs(const std::string& file, const std::vector<std::string>& names,
                   const ReadOptions& like) {
  ReadOptions read = like;
  read.channels = names;
  read.inputs.clear();
  read.names_are_hints = true;
  read.allow_empty_channels = true;
  read.fewest_rows = 1;
  read.after.clear();
  read.until.clear();
  read.only.clear();
  read.every = 1;
  const std::vector<std::filesystem::path> paths = {file};
  return ReadDataset(paths, read);
}

FutureInputs::FutureInputs(const std::string& command, const InputArguments& arguments,
                           const TrainedModel& trained)
    : command_(command), arguments_(arguments), trained_(trained) {
  const bool has_inputs = !trained.model.inputs.empty();
  const auto refuse = [&](const char* option) {
    ThrowInput(command, option, "is given, but the model has no measured inputs");
  };
  if (!has_inputs && !arguments.from.empty()) refuse("--inputs-from");
  if (!has_inputs && arguments.hold) refuse("--hold-inputs");
  if (arguments.from.empty()) return;
  samples_ = ReadInputs(arguments.from, trained.model.inputs, OptionsLike(trained.data));
}

// Returns the samples of the file or, without one, `own`.
InputSamples FutureInputs::SamplesFor(std::optional<std::size_t> trajectory,
                                      const InputSamples& own) const {
  if (samples_.trajectories.empty()) return own;
  Dataset one{.channels = trained_.model.channels, .trajectories = {Trajectory()}};
  if (trajectory) one.trajectories[0].name = report::TrajectoryName(trained_, *trajectory);
  SetInputs(samples_, arguments_.from, &one);
  const InputSamples& samples = one.trajectories[0].inputs;
  CheckInputSamples(samples, trained_.model.inputs, trained_.data.calendar, arguments_.from);
  return samples;
}

void FutureInputs::Extend(const std::vector<InputSamples>& own, Model* model) const {
  // A sample so late that every forecast ends before it keeps the last value.
  constexpr double kForever = 1e100;
  for (std::size_t n = 0; n < model->input_samples.size(); ++n) {
    InputSamples& samples = model->input_samples[n];
    samples = Joined(samples, SamplesFor(n, own.empty() ? InputSamples() : own[n]));
    if (!arguments_.hold) continue;
    const Eigen::Index last = samples.values.rows();
    samples.times.push_back(kForever);
    samples.values.conservativeResize(last + 1, Eigen::NoChange);
    samples.values.row(last) = samples.values.row(last - 1);
  }
}

void FutureInputs::Set(const Posterior& posterior, std::optional<std::size_t> trajectory,
                       const InputSamples& own, double first, double last,
                       ForecastOptions* options) const {
  if (trained_.model.inputs.empty()) return;
  options->hold_inputs = arguments_.hold;
  options->inputs = SamplesFor(trajectory, own);
  const InputSamples all =
      trajectory ? posterior.SamplesOf(*trajectory, options->inputs) : options->inputs;
  const Calendar& calendar = trained_.data.calendar;
  if (all.empty()) {
    ThrowInput(command_, "--inputs-from", "is missing, must name a file with the model's inputs");
  }
  if (first < all.times.front()) {
    throw InputError(
        fmt::format("{}: inputs begin at {}, must begin at {} or before; give them with "
                    "--inputs-from",
                    command_, ShowTime(all.times.front(), calendar), ShowTime(first, calendar)));
  }
  CheckEnd(all, last);
}

void FutureInputs::CheckEnd(const InputSamples& samples, double last) const {
  if (!(last > samples.times.back()) || arguments_.hold) return;
  const Calendar& calendar = trained_.data.calendar;
  throw InputError(
      fmt::format("{}: inputs end at {}, must go on to {}; give them with "
                  "--inputs-from, or keep their last value with --hold-inputs",
                  command_, ShowTime(samples.times.back(), calendar), ShowTime(last, calendar)));
}

void FutureInputs::CheckReach(const Model& model, std::size_t trajectory, double until) const {
  if (!model.inputs.empty()) CheckEnd(model.input_samples[trajectory], until);
}

}  // namespace gpode::tool
