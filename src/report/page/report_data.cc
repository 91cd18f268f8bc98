#include "report/page/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpode/fit_quality.h"
#include "gpode/gpode.h"
#include "gpode/options.h"
#include "predict/shown_values.h"
#include "predict/summarise_remarks.h"
#include "report/model_view.h"
#include "report/page/report_tracks.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

// Number of values of one kind on the grids of all channels and trajectories, which limits the size
// of the page.
constexpr std::size_t kMostOnGrids = 40'000;
// Larger data sets are written in single precision, to limit the size of the page.
constexpr std::size_t kExactNumbers = 200'000;

template <typename T>
Json Encoded(const char* name, const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  return {{name, Base64({reinterpret_cast<const unsigned char*>(values.data()),
                         sizeof(T) * values.size()})}};
}

Json ColumnNumbers(const Matrix& values, Eigen::Index column, bool exact) {
  const auto source = values.col(column);
  const std::vector<double> numbers(source.begin(), source.end());
  return exact ? Numbers(numbers) : ShortNumbers(numbers);
}

// The quantiles of a forecast, (T, channels) each.
struct Bands {
  Matrix low95, low50, median, high50, high95;
  Matrix low95_noise, high95_noise;  // the band of observations, noise included
};

Bands BandsOf(const Forecast& forecast) {
  return {forecast.Quantile(0.025),
          forecast.Quantile(0.25),
          forecast.Quantile(0.5),
          forecast.Quantile(0.75),
          forecast.Quantile(0.975),
          forecast.PredictiveQuantile(0.025),
          forecast.PredictiveQuantile(0.975)};
}

Json SeriesJson(const Track& track, const Forecast& forecast, const Bands& bands, Eigen::Index c,
                const ReportOptions& options, bool exact) {
  Json series;
  series["observed"] =
      track.observed != nullptr ? ColumnNumbers(track.observed->values, c, exact) : Json::array();
  series["median"] = ColumnNumbers(bands.median, c, false);
  series["low50"] = ColumnNumbers(bands.low50, c, false);
  series["high50"] = ColumnNumbers(bands.high50, c, false);
  series["low95"] = ColumnNumbers(bands.low95, c, false);
  series["high95"] = ColumnNumbers(bands.high95, c, false);
  series["low95_noise"] = ColumnNumbers(bands.low95_noise, c, false);
  series["high95_noise"] = ColumnNumbers(bands.high95_noise, c, false);
  series["draws"] = Json::array();
  for (std::size_t i = 0; i < std::min(options.shown_draws, forecast.draws.size()); ++i) {
    series["draws"].push_back(ColumnNumbers(ShownValues(forecast, forecast.draws[i]), c, false));
  }
  if (track.test != nullptr) series["test"] = ColumnNumbers(track.test->values, c, exact);
  return series;
}

// Returns total time and speed of training and, for each session, its time and machine.
Json TimingJson(const Timing& timing) {
  Json list = Json::array({{{"name", "training"}, {"seconds", timing.total()}}});
  list.push_back({{"name", "speed"}, {"value", Speed(timing)}});
  const std::size_t sessions = timing.sessions.size();
  for (std::size_t i = 0; i < sessions; ++i) {
    const std::string which = sessions > 1 ? fmt::format(" of session {}", i + 1) : "";
    if (sessions > 1) list.push_back({{"name", "time" + which}, {"seconds", timing.sessions[i]}});
    list.push_back({{"name", "machine" + which},
                    {"value", fmt::format("{}, {}", timing.cpu[i],
                                          Pluralise(static_cast<std::size_t>(timing.threads[i]),
                                                    "thread", "threads"))}});
  }
  return list;
}

Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// Returns how well held-back data were forecast, for each channel and third of the horizons.
Json HoldoutJson(const HoldoutReport& report) {
  Json json = {{"seen_times", report.seen_times}, {"held_times", report.held_times}};
  json["rows"] = Json::array();
  for (const HoldoutRow& row : report.rows) {
    json["rows"].push_back({{"channel", row.channel},
                            {"from", row.from},
                            {"to", row.to},
                            {"values", row.values},
                            {"rmse", Finite(row.rmse)},
                            {"persistence", Finite(row.persistence)},
                            {"linear", Finite(row.linear)},
                            {"skill", Finite(row.Skill())},
                            {"inside", Finite(row.inside)},
                            {"inside_widened", Finite(row.inside_widened)}});
  }
  return json;
}

Json MetaJson(const TrainedModel& trained, const ReportOptions& options) {
  const Model& m = trained.model;
  Json meta = {{"title", options.title}, {"version", Version()}};
  meta["seed"] = std::to_string(m.options.seed);
  if (!options.command.empty()) meta["command"] = options.command;
  meta["bands"] = fmt::format(
      "Bands are those of the system itself, without observation noise: "
      "the central 50 and 95 % of {} draws, seed {}{}. Observations should lie inside the dotted "
      "lines, which include the noise, at 95 % of the times.",
      options.draws, options.seed, WideningNote(m));
  const Quantity time = TimeOf(trained.data);
  meta["time_name"] = time.name;
  if (!time.unit.empty()) meta["time_unit"] = time.unit;
  const Calendar& calendar = trained.data.calendar;
  if (calendar.IsSet()) {
    meta["time_origin"] = calendar.origin;
    meta["time_seconds"] = calendar.unit;
  }
  if (options.timing) meta["timing"] = TimingJson(*options.timing);
  meta["facts"] = Json::array();
  const auto fact = [&](const std::string& name, const std::string& value) {
    meta["facts"].push_back({{"name", name}, {"value", value}});
  };
  if (!trained.data.trajectories.empty()) fact("data", DescribeData(trained.data));
  if (const std::string inputs = DescribeInputs(m); !inputs.empty()) fact("inputs", inputs);
  fact("learnt by", NameOf(m.options).title);
  if (!trained.history.empty()) {
    fact("steps", std::to_string(trained.history.back().step + 1));
    fact("bound", fmt::format("{:.2f}", trained.history.back().bound));
  }
  if (options.timing) fact("training time", Duration(options.timing->total()));
  if (trained.holdout && !trained.holdout->report.rows.empty()) {
    meta["holdout"] = HoldoutJson(trained.holdout->report);
  }
  return meta;
}

// Returns the values of the inputs at which the field is drawn, such as "u = 3.1, cos(24) = 1".
std::string TypicalInputsText(const Posterior& posterior) {
  const Vector values = posterior.TypicalInputs();
  const std::vector<std::string> names = posterior.model().input_rule().AllNames();
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{} = {:.3g}", i > 0 ? ", " : "", names[i],
                        values[static_cast<Eigen::Index>(i)]);
  }
  return text;
}

// Adds the verdict on the bands and all warnings, as `gpode fit` prints them.
void AddVerdict(const TrainedModel& trained, const ReportOptions& options, Json* meta) {
  (*meta)["warnings"] = Json::array();
  if (trained.data.trajectories.empty()) return;
  const FitQuality quality =
      AssessFit(trained, {.draws = 64, .seed = options.seed, .threads = options.threads});
  (*meta)["verdict"] = fmt::format("Bands: {}.", BandVerdict(trained, quality));
  const std::vector<std::string> remarks = AllRemarks(trained, quality);
  (*meta)["warnings"] = SummariseRemarks(remarks);
  if ((*meta)["warnings"].size() < remarks.size()) (*meta)["all_warnings"] = remarks;
}

Json TrajectoryJson(const Track& track, const Forecast& forecast) {
  Json json = {{"name", track.name}};
  json["times"] = track.observed != nullptr ? Numbers(track.observed->times) : Json::array();
  json["grid"] = Numbers(forecast.times);
  json["forecast_from"] = track.end;
  if (track.test != nullptr) json["test_times"] = Numbers(track.test->times);
  return json;
}

}  // namespace

std::string Base64(std::span<const unsigned char> bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k) value = value << 8 | (k < left ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? kAlphabet[value >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

Json Numbers(std::span<const double> values) {
  return Encoded("f64", std::vector<double>(values.begin(), values.end()));
}

Json ShortNumbers(std::span<const double> values) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (double v : values) floats.push_back(static_cast<float>(v));
  return Encoded("f32", floats);
}

Json ReportJson(const TrainedModel& trained, const Dataset& test, const ReportOptions& options,
                LostDraws* lost_draws) {
  const Posterior posterior(trained.model);
  const std::vector<Track> tracks = TracksOf(trained, test, options);
  const std::size_t most = kMostOnGrids / tracks.size() / trained.model.channels.size();
  Json json = {{"format", "gpode-report"}, {"format_version", 1}};
  json["meta"] = MetaJson(trained, options);
  AddVerdict(trained, options, &json["meta"]);
  if (trained.model.coordinates.inputs() > 0) {
    json["meta"]["comments"].push_back(
        fmt::format("The vector field is drawn at {}.", TypicalInputsText(posterior)));
  }
  std::vector<Forecast> forecasts;
  std::vector<Bands> bands;
  LostDraws lost;
  for (const Track& track : tracks) {
    forecasts.push_back(Follow(posterior, track, GridOf(posterior, track, most, options), options));
    bands.push_back(BandsOf(forecasts.back()));
    lost.Add(forecasts.back());
    json["trajectories"].push_back(TrajectoryJson(track, forecasts.back()));
  }
  json["meta"]["facts"].push_back(
      {{"name", "diverged draws"}, {"value", std::to_string(lost.diverged)}});
  if (lost.unfinished > 0) {
    json["meta"]["facts"].push_back(
        {{"name", "draws out of solver steps"}, {"value", std::to_string(lost.unfinished)}});
  }
  if (lost.many) json["meta"]["warnings"].push_back("forecasts: " + lost.Warning());
  if (lost_draws != nullptr) *lost_draws = lost;
  const bool exact = trained.data.observed() <= kExactNumbers;
  const std::vector<Quantity> channels = QuantitiesOf(trained.model.channels);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    Json channel = {{"name", channels[c].name}};
    if (!channels[c].unit.empty()) channel["unit"] = channels[c].unit;
    channel["series"] = Json::array();
    for (std::size_t n = 0; n < tracks.size(); ++n) {
      channel["series"].push_back(SeriesJson(tracks[n], forecasts[n], bands[n],
                                             static_cast<Eigen::Index>(c), options, exact));
    }
    json["channels"].push_back(channel);
  }
  json["states"] = StatesJson(trained, posterior, tracks, forecasts, options);
  if (!trained.history.empty()) json["training"] = TrainingJson(trained, options);
  json["calibration"] = CalibrationJson(trained, posterior, tracks, options);
  json["learned"] = LearnedJson(trained);
  if (!options.insight.empty()) json["insight"] = options.insight;
  return json;
}

}  // namespace gpode::report
