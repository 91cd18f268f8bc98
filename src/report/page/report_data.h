// The data of a report as the JSON object that docs/report.md describes.
//
// Thread safety: any thread may call these functions; they share no state that changes. Forecasts
// start their own threads.
//
//   std::string page = FillReportPage(ReportJson(trained, test, {.title = "a model"}).dump());
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  // The end of the forecasts; by default they extend beyond each trajectory by half of its length,
  // and to the end of its test data.
  std::optional<double> until;
  Origin from = Origin::kLatestState;
  // If there are any, the state at the first row of each test trajectory. The report then shows the
  // forecasts from these states instead of the model's trajectories.
  std::vector<StartState> starts = {};
  // Sections of analyses that were made (report_insight.h); none by default.
  nlohmann::ordered_json insight = {};
};

// Returns all data of a report. `test` is empty or has the model's channels and one trajectory for
// each element of options.starts or, if there are no starts, for each trajectory of the model. A
// trajectory without test data has no times.
nlohmann::ordered_json ReportJson(const TrainedModel& trained, const Dataset& test,
                                  const ReportOptions& options, LostDraws* lost_draws = nullptr);

struct Track;

// Each of these returns one part of the data. The forecasts are those of the tracks, on the grids
// of the channels.
nlohmann::ordered_json StatesJson(const TrainedModel& trained, const Posterior& posterior,
                                  const std::vector<Track>& tracks,
                                  const std::vector<Forecast>& forecasts,
                                  const ReportOptions& options);
nlohmann::ordered_json TrainingJson(const TrainedModel& trained, const ReportOptions& options);
nlohmann::ordered_json CalibrationJson(const TrainedModel& trained, const Posterior& posterior,
                                       const std::vector<Track>& tracks,
                                       const ReportOptions& options);
nlohmann::ordered_json LearnedJson(const TrainedModel& trained);

// Returns the bytes in base64.
std::string Base64(std::span<const unsigned char> bytes);

// Returns numbers in the encoding of docs/report.md: the base64 of their binary form, with NaN for
// missing values.
nlohmann::ordered_json Numbers(std::span<const double> values);

// Returns numbers as Numbers does, in single precision.
nlohmann::ordered_json ShortNumbers(std::span<const double> values);

}  // namespace gpode::report
