// The parts of a report about training, calibration and learnt parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/moments.h"
#include "gpode/pit.h"
#include "gpode/scores.h"
#include "report/model_view.h"
#include "report/page/report_data.h"
#include "report/page/report_tracks.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBins = 20, kHorizons = 12;
constexpr std::size_t kMostValues = 40'000;  // about the most values to score, since CRPS is slow

Json Line(const std::string& name, const std::vector<double>& values) {
  return {{"name", name}, {"values", Numbers(values)}};
}

Json CoverageJson(const std::string& name, const PitValues& all) {
  const std::vector<double>& pit = all.with_noise;
  std::vector<double> nominal, observed;
  for (int percent = 5; percent <= 95; percent += 5) {
    nominal.push_back(0.01 * percent);
    observed.push_back(ShareInside(pit, nominal.back(), all.missed));
  }
  return {{"name", name},
          {"count", pit.size() + all.missed},
          {"nominal", Numbers(nominal)},
          {"observed", Numbers(observed)}};
}

Json ScoresJson(const Scores& s) {
  Json list = Json::array();
  const auto add = [&](const char* name, double value, const char* note) {
    list.push_back({{"name", name},
                    {"value", std::isfinite(value) ? Json(value) : Json(nullptr)},
                    {"note", note}});
  };
  add("MNLL", s.mnll, "mean negative log likelihood of a value; lower is better");
  add("MSE", s.mse, "mean squared error of the draws' mean");
  add("CRPS", s.crps, "continuous ranked probability score; lower is better");
  add("90 % bands", s.coverage_90,
      "share of values inside, bands without noise: right for the truth");
  add("90 % bands with noise", s.predictive_90, "right for observations");
  return list;
}

// The result of comparing forecasts with test data or, if there are none, with training data. Of
// large data sets, only a part of the times is compared.
struct Comparison {
  std::vector<Scores> scores;
  PitValues pit;
  std::vector<std::vector<HorizonScores>> horizons;
};

Json HorizonJson(const std::vector<HorizonScores>& rows) {
  std::vector<double> times, errors, sharpness;
  for (const HorizonScores& row : rows) {
    if (row.scores.values == 0) continue;
    times.push_back(0.5 * (row.from + row.to));
    errors.push_back(std::sqrt(row.scores.mse));
    sharpness.push_back(row.scores.mnll);
  }
  Json plots = Json::array();
  plots.push_back({{"title", "Error by horizon"},
                   {"y_name", "root mean square error"},
                   {"series", Json::array({Line("error of the mean", errors)})}});
  plots.push_back({{"title", "MNLL by horizon"},
                   {"y_name", "MNLL"},
                   {"series", Json::array({Line("MNLL", sharpness)})}});
  return {{"times", Numbers(times)}, {"plots", plots}};
}

// Returns the edges of kHorizons equal bins of the horizon (time since the end of a trajectory's
// training data), up to the longest in the test data. The last edge is slightly beyond, so that it
// includes that time.
std::vector<double> Edges(const std::vector<Track>& tracks) {
  double last = 0;
  for (const Track& track : tracks) {
    if (track.test != nullptr) last = std::max(last, track.test->times.back() - track.end);
  }
  if (!(last > 0)) return {};
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kHorizons; ++i) {
    edges.push_back(last * (i == kHorizons ? 1.0001 : static_cast<double>(i) / kHorizons));
  }
  return edges;
}

}  // namespace

Json TrainingJson(const TrainedModel& trained, const ReportOptions& options) {
  const std::vector<Progress>& history = trained.history;
  const auto all = [&](auto get) {
    std::vector<double> values;
    for (const Progress& p : history) values.push_back(static_cast<double>(get(p)));
    return values;
  };
  Json json = {{"steps", Numbers(all([](const Progress& p) { return p.step; }))}};
  const std::vector<double> seconds =
      options.timing ? SecondsAt(*options.timing, history) : std::vector<double>();
  if (!seconds.empty()) json["seconds"] = Numbers(seconds);
  json["phases"] = Json::array();
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (i > 0 && history[i].phase == history[i - 1].phase) continue;
    json["phases"].push_back(
        {{"name", history[i].phase == BoundKind::kShooting ? "shooting" : "whole trajectories"},
         {"from", history[i].step}});
  }
  const auto plot = [&](const std::string& title, const std::string& y, bool log, Json series) {
    json["plots"].push_back(
        {{"title", title}, {"y_name", y}, {"log", log}, {"series", std::move(series)}});
  };
  plot("Bound", "nats", false,
       Json::array({Line("bound", all([](const Progress& p) { return p.bound; })),
                    Line("log likelihood", all([](const Progress& p) { return p.loglik; })),
                    Line("-KL of the field", all([](const Progress& p) { return -p.kl_u; })),
                    Line("constraint", all([](const Progress& p) { return p.constraint; }))}));
  const std::string unit = CommonUnit(QuantitiesOf(trained.model.channels));
  plot("Noise", Quantity{"mean standard deviation", unit}.Label(), true,
       Json::array({Line("noise", all([](const Progress& p) { return p.noise; }))}));
  if (trained.model.parameters.Has("lengthscales")) {
    plot("Lengthscale", "share of the states' spread", true,
         Json::array({Line("lengthscale", all([](const Progress& p) { return p.lengthscale; }))}));
  }
  const auto shooting = [&](auto get) {
    return all(
        [&](const Progress& p) { return p.phase == BoundKind::kShooting ? get(p) : std::nan(""); });
  };
  const bool shot = std::any_of(history.begin(), history.end(),
                                [](const Progress& p) { return p.phase == BoundKind::kShooting; });
  if (shot) {
    plot("Shooting", "share of the states' spread", true,
         Json::array({Line("gaps", shooting([](const Progress& p) { return p.gap; })),
                      Line("tolerance", shooting([](const Progress& p) { return p.tolerance; }))}));
  }
  return json;
}

Json CalibrationJson(const TrainedModel& trained, const Posterior& posterior,
                     const std::vector<Track>& tracks, const ReportOptions& options) {
  const bool tested =
      std::ranges::any_of(tracks, [](const Track& track) { return track.test != nullptr; });
  Comparison all;
  const std::vector<double> edges = Edges(tracks);
  std::size_t compared = 0;
  const std::size_t rows =
      std::max<std::size_t>(20, kMostValues / trained.model.channels.size() / tracks.size());
  for (const Track& track : tracks) {
    const Trajectory* data = tested ? track.test : track.observed;
    if (data == nullptr || data->times.empty()) continue;
    const Trajectory seen = Thinned(*data, rows);
    const Forecast forecast = Follow(posterior, track, seen.times, options);
    all.scores.push_back(Score(forecast, forecast.noise, seen.values, options.threads));
    AddPitValues(forecast, seen.values, &all.pit);
    if (!edges.empty()) {
      all.horizons.push_back(
          ScoreByHorizon(forecast, forecast.noise, seen.values, track.end, edges, options.threads));
    }
    ++compared;
  }
  Json json;
  const std::vector<double>& pit = all.pit.with_noise;
  if (pit.empty()) {
    return json = {{"note", all.pit.missed > 0
                                ? fmt::format("None of {} could be forecast.",
                                              Pluralise(all.pit.missed, "value", "values"))
                                : "There is nothing to compare with."}};
  }
  json["note"] =
      fmt::format("{} of {}, {} with noise.", Pluralise(pit.size(), "value", "values"),
                  Pluralise(compared, "trajectory", "trajectories"),
                  tested ? "test data against forecasts" : "training data against their fit");
  if (all.pit.missed > 0) {
    json["note"] = fmt::format("{} {} could not be forecast and count as outside of all bands.",
                               json["note"].get<std::string>(),
                               Pluralise(all.pit.missed, "further value", "further values"));
  }
  json["scores"] = ScoresJson(Pool(all.scores));
  json["coverage"] = Json::array({CoverageJson(tested ? "test data" : "training data", all.pit)});
  json["pit"] = {{"counts", Numbers(PitCounts(pit, kBins))}};
  if (!all.horizons.empty()) json["horizon"] = HorizonJson(PoolByHorizon(all.horizons));
  return json;
}

Json LearnedJson(const TrainedModel& trained) {
  const Model& m = trained.model;
  Json json;
  json["facts"] = Json::array();
  for (const auto& [name, value] : FieldFacts(m)) {
    json["facts"].push_back({{"name", name}, {"value", value}});
  }
  json["lengthscales"] = Json::array();
  const Matrix lengthscales = Lengthscales(m);
  for (Eigen::Index d = 0; d < lengthscales.rows(); ++d) {
    json["lengthscales"].push_back(
        std::vector<double>(lengthscales.row(d).begin(), lengthscales.row(d).end()));
  }
  const Vector& spread = m.coordinates.state_scale;
  json["state_spread"] = std::vector<double>(spread.begin(), spread.end());
  const Matrix variances = m.parameters.AsMatrix("variances");
  if (variances.size() == spread.size()) {
    const Matrix amplitudes = m.coordinates.SlopesToUser(variances.transpose().cwiseSqrt());
    json["amplitudes"] =
        std::vector<double>(amplitudes.data(), amplitudes.data() + amplitudes.size());
  }
  const ObservationNoise noise = m.noise();
  json["noise"] = Json::array();
  const ChannelMoments moments = MomentsOf(trained.data);
  for (std::size_t c = 0; c < m.channels.size(); ++c) {
    json["noise"].push_back(
        {{"channel", c},
         {"sd", noise.DeviationAt(c, moments.mean[static_cast<Eigen::Index>(c)])},
         {"spread", std::sqrt(moments.variance[static_cast<Eigen::Index>(c)])}});
  }
  return json;
}

}  // namespace gpode::report
