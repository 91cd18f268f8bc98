#include "report/page/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpode/fit_quality.h"
#include "gpode/gpode.h"
#include "gpode/options.h"
#include "report/model_view.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGrid = 301;      // number of times in the plots of a trajectory
constexpr double kForecastShare = 0.5;  // default length of the forecast, over that of the data
// Larger data sets are written in single precision, to limit the size of the page.
constexpr std::size_t kExactNumbers = 200'000;

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

template <typename T>
Json Encoded(const char* name, const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  return {{name, Base64({reinterpret_cast<const unsigned char*>(values.data()),
                         sizeof(T) * values.size()})}};
}

Json ColumnNumbers(const Matrix& values, Eigen::Index column, bool exact) {
  const auto source = values.col(column);
  if (exact) return Encoded("f64", std::vector<double>(source.begin(), source.end()));
  std::vector<float> floats;
  for (double v : source) floats.push_back(static_cast<float>(v));
  return Encoded("f32", floats);
}

std::vector<double> GridOf(const Model& model, std::size_t n, const std::optional<double>& until) {
  const double start = model.start_times[n], end = model.end_times[n];
  double last = until ? std::max(*until, end) : end + kForecastShare * (end - start);
  // Without a given end, forecasts end where the inputs do.
  if (!until && !model.inputs.empty()) {
    last = std::min(last, model.input_samples[n].times.back());
  }
  return RegularTimes(start, last > start ? last : start + 1, kGrid);
}

// The quantiles of a forecast, (T, channels) each.
struct Bands {
  Matrix low95, low50, median, high50, high95;
};

Bands BandsOf(const Forecast& forecast) {
  return {forecast.Quantile(0.025), forecast.Quantile(0.25), forecast.Quantile(0.5),
          forecast.Quantile(0.75), forecast.Quantile(0.975)};
}

Json SeriesJson(const TrainedModel& trained, const Dataset& test, const Forecast& forecast,
                const Bands& bands, std::size_t n, Eigen::Index c, const ReportOptions& options,
                bool exact) {
  Json series;
  series["observed"] = n < trained.data.trajectories.size()
                           ? ColumnNumbers(trained.data.trajectories[n].values, c, exact)
                           : Json::array();
  series["median"] = ColumnNumbers(bands.median, c, false);
  series["low50"] = ColumnNumbers(bands.low50, c, false);
  series["high50"] = ColumnNumbers(bands.high50, c, false);
  series["low95"] = ColumnNumbers(bands.low95, c, false);
  series["high95"] = ColumnNumbers(bands.high95, c, false);
  series["draws"] = Json::array();
  for (std::size_t i = 0; i < std::min(options.shown_draws, forecast.draws.size()); ++i) {
    series["draws"].push_back(ColumnNumbers(forecast.draws[i], c, false));
  }
  if (n < test.trajectories.size() && !test.trajectories[n].times.empty()) {
    series["test"] = ColumnNumbers(test.trajectories[n].values, c, exact);
  }
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

// Returns a sentence on the forecasts of held-back data for each channel and third of the horizons.
std::vector<std::string> HoldoutComments(const TrainedModel& trained) {
  const HoldoutReport& report = trained.holdout->report;
  if (report.rows.empty()) return {};
  std::vector<std::string> comments;
  for (const HoldoutRow& row : report.rows) {
    constexpr std::size_t kMostComments = 12;
    if (comments.size() == kMostComments) break;
    comments.push_back(fmt::format(
        "Held back, {}, horizon {:.4g} to {:.4g}: root mean square error {:.4g}, of the last value "
        "{:.4g}, of a linear model {:.4g}; {:.0f} % of {} values inside 90 % bands, {:.0f} % after "
        "widening.",
        trained.model.channels[row.channel], row.from, row.to, row.rmse, row.persistence,
        row.linear, 100 * row.inside, row.values, 100 * row.inside_widened));
  }
  return comments;
}

Json MetaJson(const TrainedModel& trained, const ReportOptions& options) {
  const Model& m = trained.model;
  Json meta = {{"title", options.title}, {"version", Version()}};
  meta["seed"] = std::to_string(m.options.seed);
  if (!options.command.empty()) meta["command"] = options.command;
  meta["bands"] = fmt::format(
      "Bands are those of the system itself, without observation noise: "
      "the central 50 and 95 % of {} draws, seed {}{}.",
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
  if (m.widening.IsJudged()) fact("bands", DescribeWidening(m));
  if (trained.holdout) {
    const std::vector<std::string> comments = HoldoutComments(trained);
    if (!comments.empty()) meta["comments"] = comments;
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

std::vector<std::string> Warnings(const TrainedModel& trained, const ReportOptions& options) {
  if (trained.data.trajectories.empty()) return {};
  std::vector<std::string> warnings = DataRemarks(trained.data);
  const FitQuality quality =
      AssessFit(trained, {.draws = 64, .seed = options.seed, .threads = options.threads});
  warnings.insert(warnings.end(), quality.remarks.begin(), quality.remarks.end());
  if (trained.holdout && !trained.holdout->report.rows.empty()) {
    const std::vector<std::string> remarks =
        trained.holdout->report.Remarks(trained.model.channels);
    warnings.insert(warnings.end(), remarks.begin(), remarks.end());
  }
  return warnings;
}

Json TrajectoryJson(const TrainedModel& trained, const Dataset& test, const Forecast& forecast,
                    std::size_t n) {
  Json json = {{"name", TrajectoryName(trained, n)}};
  json["times"] = n < trained.data.trajectories.size() ? Numbers(trained.data.trajectories[n].times)
                                                       : Json::array();
  json["grid"] = Numbers(forecast.times);
  json["forecast_from"] = trained.model.end_times[n];
  if (n < test.trajectories.size() && !test.trajectories[n].times.empty()) {
    json["test_times"] = Numbers(test.trajectories[n].times);
  }
  return json;
}

}  // namespace

Json Numbers(std::span<const double> values) {
  return Encoded("f64", std::vector<double>(values.begin(), values.end()));
}

Json ReportJson(const TrainedModel& trained, const Dataset& test, const ReportOptions& options,
                LostDraws* lost_draws) {
  const Posterior posterior(trained.model);
  const std::size_t count = trained.model.start_times.size();
  Json json = {{"format", "gpode-report"}, {"format_version", 1}};
  json["meta"] = MetaJson(trained, options);
  json["meta"]["warnings"] = Warnings(trained, options);
  if (trained.model.coordinates.inputs() > 0) {
    json["meta"]["comments"].push_back(
        fmt::format("The vector field is drawn at {}.", TypicalInputsText(posterior)));
  }
  std::vector<Forecast> forecasts;
  std::vector<Bands> bands;
  LostDraws lost;
  for (std::size_t n = 0; n < count; ++n) {
    forecasts.push_back(posterior.Trajectory(n, GridOf(trained.model, n, options.until),
                                             {.draws = options.draws,
                                              .seed = options.seed,
                                              .threads = options.threads,
                                              .from = Origin::kLatestState,
                                              .states = true}));
    bands.push_back(BandsOf(forecasts.back()));
    lost.Add(forecasts.back());
    json["trajectories"].push_back(TrajectoryJson(trained, test, forecasts.back(), n));
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
    for (std::size_t n = 0; n < count; ++n) {
      channel["series"].push_back(SeriesJson(trained, test, forecasts[n], bands[n], n,
                                             static_cast<Eigen::Index>(c), options, exact));
    }
    json["channels"].push_back(channel);
  }
  json["states"] = StatesJson(trained, posterior, forecasts, options);
  if (!trained.history.empty()) json["training"] = TrainingJson(trained, options);
  json["calibration"] = CalibrationJson(trained, posterior, test, options);
  json["learned"] = LearnedJson(trained);
  return json;
}

}  // namespace gpode::report
