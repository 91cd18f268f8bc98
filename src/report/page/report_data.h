// What a report shows, as the JSON object that docs/report.md describes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gpode/posterior.h"
#include "gpode/training.h"
#include "report/timing.h"

namespace gpode::report {

struct ReportOptions {
  std::string title, command;
  std::optional<Timing> timing = {};
  std::size_t draws = 128, shown_draws = 6;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  std::optional<double> until;  // default: half of each trajectory's span further
};

// `test` may have no trajectories; otherwise one per trajectory of the model, of the same channels,
// with no times where there is nothing to compare.
nlohmann::ordered_json ReportJson(const TrainedModel& trained, const Dataset& test,
                                  const ReportOptions& options);

// Its parts.
nlohmann::ordered_json StatesJson(const TrainedModel& trained, const Posterior& posterior,
                                  const std::vector<Forecast>& forecasts,
                                  const ReportOptions& options);
nlohmann::ordered_json TrainingJson(const TrainedModel& trained, const ReportOptions& options);
nlohmann::ordered_json CalibrationJson(const TrainedModel& trained, const Posterior& posterior,
                                       const Dataset& test, const ReportOptions& options);
nlohmann::ordered_json LearnedJson(const TrainedModel& trained);

// Numbers of docs/report.md: base64 of floats, NaN being missing.
nlohmann::ordered_json Numbers(std::span<const double> values);

}  // namespace gpode::report
