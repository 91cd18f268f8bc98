// The phase portrait of a report: trajectories in state space, inducing points, and the vector
// field on a grid for each pair of states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model_view.h"
#include "report/page/report_data.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Eigen::Index kSide = 30;       // points of a grid along each axis
constexpr Eigen::Index kMostStates = 6;  // pairs are made of the first states only
constexpr double kMargin = 0.15;         // margin around the trajectories, over their extent
// An anchor is a state at which the states that are not in a pair are held. Anchors are these
// shares of the way along the observed part of the first trajectory.
constexpr double kAnchorShares[] = {0.25, 0.5, 0.75};

Json Columns(const Matrix& values) {
  Json list = Json::array();
  for (Eigen::Index d = 0; d < values.cols(); ++d) {
    const Vector column = values.col(d);
    list.push_back(Numbers({column.data(), static_cast<std::size_t>(column.size())}));
  }
  return list;
}

struct Limits {
  Vector low, high;  // (D)
};

// Returns the axis limits of each state: around the median trajectories, with a margin.
Limits LimitsOf(const std::vector<Matrix>& medians) {
  const Eigen::Index dim = medians[0].cols();
  Limits limits{Vector::Constant(dim, HUGE_VAL), Vector::Constant(dim, -HUGE_VAL)};
  for (const Matrix& median : medians) {
    for (const auto& row : median.rowwise()) {
      if (!row.allFinite()) continue;
      limits.low = limits.low.cwiseMin(row.transpose());
      limits.high = limits.high.cwiseMax(row.transpose());
    }
  }
  for (Eigen::Index d = 0; d < dim; ++d) {
    if (!(limits.low[d] <= limits.high[d])) limits.low[d] = -1, limits.high[d] = 1;
    const double size = limits.high[d] - limits.low[d];
    const double margin = size > 0 ? kMargin * size : std::max(1.0, std::abs(limits.low[d]));
    limits.low[d] -= margin;
    limits.high[d] += margin;
  }
  return limits;
}

Json FieldJson(const Posterior& posterior, const Limits& limits, const Vector& anchor,
               std::size_t anchor_index, Eigen::Index x, Eigen::Index y) {
  const bool line = y < 0;
  const Eigen::Index rows = line ? 1 : kSide;
  const auto at = [](double low, double high, Eigen::Index i) {
    return low + (high - low) * static_cast<double>(i) / static_cast<double>(kSide - 1);
  };
  Matrix points(rows * kSide, anchor.size());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    points.row(i) = anchor.transpose();
    points(i, x) = at(limits.low[x], limits.high[x], i % kSide);
    if (!line) points(i, y) = at(limits.low[y], limits.high[y], i / kSide);
  }
  const Matrix mean = posterior.FieldMean(points);
  const Matrix deviation = posterior.FieldVariance(points).cwiseSqrt();
  const auto numbers = [](const Matrix& values, Eigen::Index column) {
    const Vector v = values.col(column);
    return Numbers({v.data(), static_cast<std::size_t>(v.size())});
  };
  Json json = {{"x", x}, {"y", nullptr}, {"anchor", anchor_index}};
  json["x_range"] = {limits.low[x], limits.high[x]};
  json["columns"] = kSide;
  json["rows"] = rows;
  json["dx"] = numbers(mean, x);
  json["sd_dx"] = numbers(deviation, x);
  if (line) return json;
  json["y"] = y;
  json["y_range"] = {limits.low[y], limits.high[y]};
  json["dy"] = numbers(mean, y);
  json["sd_dy"] = numbers(deviation, y);
  return json;
}

// Returns the times of the anchors, as rows of the first trajectory's forecast. With two states
// there is nothing to hold, and the anchor does not matter.
std::vector<Eigen::Index> AnchorRows(const Model& model, const Forecast& forecast) {
  if (model.dim() <= 2) return {0};
  std::vector<Eigen::Index> rows;
  const double start = model.start_times[0], end = model.end_times[0];
  for (double share : kAnchorShares) {
    const auto at = std::lower_bound(forecast.times.begin(), forecast.times.end(),
                                     start + share * (end - start));
    rows.push_back(
        std::min<Eigen::Index>(at - forecast.times.begin(), std::ssize(forecast.times) - 1));
  }
  return rows;
}

Json PathJson(const TrainedModel& trained, const Forecast& forecast, const Matrix& median,
              std::size_t n, std::size_t draws) {
  Json path = {{"median", Columns(median)}, {"draws", Json::array()}};
  for (std::size_t i = 0; i < std::min(draws, forecast.states.size()); ++i) {
    path["draws"].push_back(Columns(forecast.states[i]));
  }
  const Model& m = trained.model;
  if (n < trained.data.trajectories.size() && m.map.dim() <= m.map.channels()) {
    path["observed"] =
        Columns(m.coordinates.ToUser(m.map.StatesOf(trained.data.trajectories[n].values)));
  }
  return path;
}

}  // namespace

Json StatesJson(const TrainedModel& trained, const Posterior& posterior,
                const std::vector<Forecast>& forecasts, const ReportOptions& options) {
  const Model& m = trained.model;
  Json json;
  for (const Quantity& state : QuantitiesOf(StateNames(m))) {
    json["names"].push_back(state.name);
    json["units"].push_back(state.unit);
  }
  if (m.parameters.Has("inducing_locations")) {
    json["inducing"] = Columns(InducingLocations(m));
  }
  std::vector<Matrix> medians;
  for (std::size_t n = 0; n < forecasts.size(); ++n) {
    medians.push_back(forecasts[n].OfStates().Quantile(0.5));
    json["paths"].push_back(PathJson(trained, forecasts[n], medians[n], n, options.shown_draws));
  }
  const Limits limits = LimitsOf(medians);
  const auto dim = static_cast<Eigen::Index>(m.dim());
  json["fields"] = Json::array();
  std::size_t index = 0;
  for (Eigen::Index row : AnchorRows(m, forecasts[0])) {
    Vector anchor = medians[0].row(row);
    if (!anchor.allFinite()) anchor = m.coordinates.state_offset;
    json["anchors"].push_back(
        {{"label", fmt::format("{}, {} {}", TrajectoryName(trained, 0), TimeOf(trained.data).name,
                               ShowTime(forecasts[0].times[static_cast<std::size_t>(row)],
                                        trained.data.calendar))},
         {"state", std::vector<double>(anchor.begin(), anchor.end())}});
    if (dim == 1) json["fields"].push_back(FieldJson(posterior, limits, anchor, index, 0, -1));
    for (Eigen::Index x = 0; x < std::min(dim, kMostStates); ++x) {
      for (Eigen::Index y = x + 1; y < std::min(dim, kMostStates); ++y) {
        json["fields"].push_back(FieldJson(posterior, limits, anchor, index, x, y));
      }
    }
    ++index;
  }
  return json;
}

}  // namespace gpode::report
