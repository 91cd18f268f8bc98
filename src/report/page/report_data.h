// The data of a report as the JSON object that docs/report.md describes.
//
// Thread safety: plain functions; forecasts start their own threads.
//
//   std::string page = FillReportPage(ReportJson(trained, test, {.title = "a model"}).dump());
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
  std::optional<double> until;  // end of forecasts; default: half of each trajectory's span further
};

// Returns all data of a report. `test` has no trajectories, or one per trajectory of the model with
// the same channels, which has no times if there is nothing to compare.
nlohmann::ordered_json ReportJson(const TrainedModel& trained, const Dataset& test,
                                  const ReportOptions& options);

// Each of these returns one part of the data.
nlohmann::ordered_json StatesJson(const TrainedModel& trained, const Posterior& posterior,
                                  const std::vector<Forecast>& forecasts,
                                  const ReportOptions& options);
nlohmann::ordered_json TrainingJson(const TrainedModel& trained, const ReportOptions& options);
nlohmann::ordered_json CalibrationJson(const TrainedModel& trained, const Posterior& posterior,
                                       const Dataset& test, const ReportOptions& options);
nlohmann::ordered_json LearnedJson(const TrainedModel& trained);

// Returns numbers in the encoding of docs/report.md: base64 of binary numbers, NaN for missing
// ones.
nlohmann::ordered_json Numbers(std::span<const double> values);

}  // namespace gpode::report
