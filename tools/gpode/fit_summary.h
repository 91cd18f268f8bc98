// The output of `gpode fit` before and after training.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config.h"
#include "gpode/fit_quality.h"
#include "gpode/training.h"

namespace gpode::tool {

void PrintPlan(const Dataset& data, const RunConfig& config);
void PrintSummary(const TrainedModel& trained, const FitQuality& quality, const std::string& out,
                  bool verbose);
void PrintSummaryJson(const TrainedModel& trained, const FitQuality& quality,
                      const std::string& out);

// Prints which rows are held back.
void PrintHeldBack(const Dataset& seen, const Dataset& held);
// Prints how forecasts of held-back data compare with simple ones.
void PrintHoldout(const std::vector<std::string>& channels, const HoldoutReport& report,
                  bool verbose);
// Returns what `fit --json` and `info --json` say about held-back data.
nlohmann::ordered_json HoldoutJson(const Holdout& holdout,
                                   const std::vector<std::string>& channels);
nlohmann::ordered_json WideningJson(const BandWidening& widening);

// Prints the kernel's lengthscales in the user's units, one row per derivative.
void PrintLengthscales(const Model& model);

}  // namespace gpode::tool
