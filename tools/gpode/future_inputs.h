// The inputs of a forecast: the options of the command line that name them, and the check that they
// reach far enough.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "gpode/held_inputs.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"

namespace gpode::tool {

struct InputArguments {
  std::string from;   // the file of inputs; empty if there is none
  bool hold = false;  // true to keep the last value after the last sample
};

// Adds --inputs-from and --hold-inputs.
void AddInputOptions(CLI::App* command, InputArguments* arguments);

// Reads the inputs of a data set from a file, at times of its own. `like` says how the data were
// read. If `names` is empty, all columns with numbers are inputs.
Dataset ReadInputs(const std::string& file, const std::vector<std::string>& names,
                   const ReadOptions& like);

// The inputs of the forecasts of one command.
class FutureInputs {
 public:
  // Reads the file, if there is one. Throws an InputError if the model has no measured inputs.
  FutureInputs(const std::string& command, const InputArguments& arguments,
               const TrainedModel& trained);

  // Sets the inputs of a forecast of a training trajectory, or from a given state. They come from
  // the file or, if there is none, are `own`, such as the inputs of test data. The forecast passes
  // through the times from `first` to `last`; throws an InputError that names the last time that is
  // covered if the inputs do not cover them.
  void Set(const Posterior& posterior, std::optional<std::size_t> trajectory,
           const InputSamples& own, double first, double last, ForecastOptions* options) const;

  // Extends the inputs of the model's trajectories in the same way, for all forecasts made from it.
  // `own` is empty, or has the inputs of the test data for each trajectory. A forecast may not go
  // beyond the samples that the model then has, unless the last value is kept.
  void Extend(const std::vector<InputSamples>& own, Model* model) const;
  // Throws an InputError, as Set does, if the inputs of a model's trajectory end before `until`.
  void CheckReach(const Model& model, std::size_t trajectory, double until) const;

 private:
  void CheckEnd(const InputSamples& samples, double last) const;
  InputSamples SamplesFor(std::optional<std::size_t> trajectory, const InputSamples& own) const;

  std::string command_;
  InputArguments arguments_;
  const TrainedModel& trained_;
  Dataset samples_;  // without trajectories if there is no file
};

}  // namespace gpode::tool
