// The output of `gpode fit` before and after training.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config.h"
#include "gpode/fit_quality.h"
#include "gpode/training.h"

namespace gpode::tool {

// Prints a summary of the data and `notes` on their reading. Throws before it prints anything if
// the unknown function cannot be made with these options.
void PrintData(const Dataset& data, const RunConfig& config, const std::vector<std::string>& notes);
// Prints which model is learnt.
void PrintPlan(const Dataset& data, const RunConfig& config);
void PrintSummary(const TrainedModel& trained, const FitQuality& quality, bool verbose);
// Says that a sampler was stopped, so that there is nothing to summarise. `saved` is the file of
// its checkpoint, and `out` the model that the checkpoint becomes.
void PrintStopped(const std::string& saved, const std::string& out, bool json);
// Prints the summary of a run as JSON. `choice` is the reason why the model was chosen; it is empty
// if trial fits did not choose it.
void PrintSummaryJson(const TrainedModel& trained, const FitQuality& quality,
                      const std::string& out, const std::string& choice);

// Prints how many rows are held back.
void PrintHeldBack(const Dataset& seen, const Dataset& held);
// Prints the errors of forecasts of held-back data beside those of simple forecasts.
void PrintHoldout(const std::vector<std::string>& channels, const HoldoutReport& report,
                  bool verbose);
// These functions return what `fit --json` and `info --json` print about held-back data and the
// widening of bands.
nlohmann::ordered_json HoldoutJson(const Holdout& holdout,
                                   const std::vector<std::string>& channels);
nlohmann::ordered_json WideningJson(const BandWidening& widening);

// Returns the inputs of a model: their names, how they are interpolated, and their scales.
nlohmann::ordered_json InputsJson(const Model& model);

// Returns the parameters of known equations with their bands.
nlohmann::ordered_json ParametersJson(const Model& model);

// Prints the kernel's lengthscales in the user's units, one row per derivative.
void PrintLengthscales(const Model& model);

}  // namespace gpode::tool
