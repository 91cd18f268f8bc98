#include "fit_data.h"

#include <fmt/format.h>

#include "fit_arguments.h"
#include "future_inputs.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/reading.h"

namespace gpode::tool {

Dataset ReadFitData(const std::optional<std::string>& observe, const std::string& equations,
                    RunConfig* config, std::vector<std::string>* notes) {
  ReadOptions& read = config->read;
  const std::vector<std::filesystem::path> paths(config->files.begin(), config->files.end());
  if (!config->inputs_from.empty()) {
    if (read.inputs.empty()) read.inputs = ReadInputs(config->inputs_from, {}, read).channels;
    read.allow_missing_inputs = true;
  }
  Dataset data = ReadDataset(paths, read, notes);
  data.reading = ReadingText(read);
  if (!config->inputs_from.empty()) TakeInputsFrom(*config, &data);
  SetStartTimes(config->initial, "fit: --initial", &data);
  if (!observe) TakeEquations(equations, data, config);
  SetObservation(observe, data.channels.size(), &config->fit);
  return data;
}

void TakeEquations(const std::string& file, const Dataset& data, RunConfig* config) {
  CompleteEquations(data, &config->fit, file.empty() ? "equations" : file);
}

void TakeInputsFrom(const RunConfig& config, Dataset* data) {
  ReadOptions read = config.read;
  read.calendar = data->calendar;
  read.has_fixed_calendar = true;
  SetInputs(ReadInputs(config.inputs_from, config.read.inputs, read), config.inputs_from, data);
}

void CheckChannelsMove(const Dataset& data, const RunConfig& config, std::string_view rows) {
  if (config.fit.observation == Observation::kPca) return;
  const std::optional<ConstantChannel> found = FindConstantChannel(data);
  if (!found) return;
  const std::string name = internal::Quote(data.channels[found->channel]);
  internal::ThrowAt(
      config.files.front(),
      found->value
          ? fmt::format("channel {} is {:g} in {}, must vary; choose others with --channels", name,
                        *found->value, rows)
          : fmt::format("channel {} has no value in {}, must have some; choose others with "
                        "--channels",
                        name, rows));
}

}  // namespace gpode::tool
