// The output of `gpode fit` before and after training.
#pragma once

#include <string>

#include "config.h"
#include "gpode/fit_quality.h"
#include "gpode/training.h"

namespace gpode::tool {

void PrintPlan(const Dataset& data, const RunConfig& config);
void PrintSummary(const TrainedModel& trained, const FitQuality& quality, const std::string& out,
                  bool verbose);
void PrintSummaryJson(const TrainedModel& trained, const FitQuality& quality,
                      const std::string& out);

// Prints the kernel's lengthscales in the user's units, one row per derivative.
void PrintLengthscales(const Model& model);

}  // namespace gpode::tool
