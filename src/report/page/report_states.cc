// The phase portrait of a report: trajectories in state space, inducing points, and the vector
// field on a grid for each pair of states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model_view.h"
#include "report/page/report_data.h"
#include "report/page/report_tracks.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Eigen::Index kSide = 30;         // points of a grid along each axis
constexpr Eigen::Index kMostStates = 6;    // pairs are made of the first states only
constexpr double kMargin = 0.15;           // margin around the trajectories, over their extent
constexpr double kReach = 1;               // room for forecasts beyond the data, over their extent
constexpr std::size_t kMostPoints = 2000;  // observations of one trajectory in the portrait
// An anchor is a state at which the states that are not in a pair are held. Anchors are these
// shares of the way along the observed part of the first trajectory.
constexpr double kAnchorShares[] = {0.25, 0.5, 0.75};

Json Columns(const Matrix& values) {
  Json list = Json::array();
  for (Eigen::Index d = 0; d < values.cols(); ++d) {
    const Vector column = values.col(d);
    list.push_back(ShortNumbers({column.data(), static_cast<std::size_t>(column.size())}));
  }
  return list;
}

struct Limits {
  Vector low, high;  // (D)
};

// A path in state space: the median of the states at some times.
struct Path {
  std::vector<double> times;
  Matrix median;               // (T, D)
  std::vector<Matrix> draws;   // (T, D) each: the first few draws
  bool has_own_times = false;  // true if the times are not those of the channels
};

// Widens the limits so that they include the rows of a path whose times are in (after, until].
void Include(const Path& path, double after, double until, Limits* limits) {
  for (std::size_t i = 0; i < path.times.size(); ++i) {
    const auto row = path.median.row(static_cast<Eigen::Index>(i));
    if (!(path.times[i] > after && path.times[i] <= until) || !row.allFinite()) continue;
    limits->low = limits->low.cwiseMin(row.transpose());
    limits->high = limits->high.cwiseMax(row.transpose());
  }
}

// Returns the axis limits of each state, with a margin: around the median trajectories along the
// data, widened for their forecasts, but not so far that a forecast that runs away flattens them.
Limits LimitsOf(const std::vector<Track>& tracks, const std::vector<Path>& paths) {
  const Eigen::Index dim = paths[0].median.cols();
  Limits limits{Vector::Constant(dim, HUGE_VAL), Vector::Constant(dim, -HUGE_VAL)};
  Limits forecasts = limits;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    Include(paths[n], -HUGE_VAL, tracks[n].end, tracks[n].start ? &forecasts : &limits);
    Include(paths[n], tracks[n].end, HUGE_VAL, &forecasts);
  }
  for (Eigen::Index d = 0; d < dim; ++d) {
    double &low = limits.low[d], &high = limits.high[d];
    if (!(low < high)) low = forecasts.low[d], high = forecasts.high[d];
    if (!(low <= high)) low = -1, high = 1;
    const double reach = kReach * (high - low);
    low = std::max(std::min(low, forecasts.low[d]), low - reach);
    high = std::min(std::max(high, forecasts.high[d]), high + reach);
    const double size = high - low;
    const double margin = size > 0 ? kMargin * size : std::max(1.0, std::abs(low));
    low -= margin;
    high += margin;
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

// Returns the times of the anchors, as rows of the first path. With two states there is nothing to
// hold, and the anchor does not matter.
std::vector<Eigen::Index> AnchorRows(const Track& track, const Path& path) {
  if (path.median.cols() <= 2) return {0};
  std::vector<Eigen::Index> rows;
  const double start = path.times.front(), end = track.start ? path.times.back() : track.end;
  for (double share : kAnchorShares) {
    const auto at =
        std::lower_bound(path.times.begin(), path.times.end(), start + share * (end - start));
    rows.push_back(std::min<Eigen::Index>(at - path.times.begin(), std::ssize(path.times) - 1));
  }
  return rows;
}

Path PathOf(const Posterior& posterior, const Track& track, const Forecast& on_grid,
            const ReportOptions& options) {
  Path path;
  path.times = PathTimes(posterior, track, on_grid, options);
  path.has_own_times = path.times != on_grid.times;
  const Forecast forecast =
      path.has_own_times ? Follow(posterior, track, path.times, options) : on_grid;
  path.median = forecast.OfStates().Quantile(0.5);
  for (std::size_t i = 0; i < std::min(options.shown_draws, forecast.states.size()); ++i) {
    path.draws.push_back(forecast.states[i]);
  }
  return path;
}

Json PathJson(const Model& m, const Track& track, const Path& path) {
  Json json = {{"median", Columns(path.median)}, {"draws", Json::array()}};
  if (path.has_own_times) json["times"] = Numbers(path.times);
  for (const Matrix& draw : path.draws) json["draws"].push_back(Columns(draw));
  if (track.observed != nullptr && m.map.dim() <= m.map.channels()) {
    const Trajectory shown = Thinned(*track.observed, kMostPoints);
    json["observed"] = Columns(m.ObservedStates(shown.values));
  }
  return json;
}

// Returns a sentence on what the portrait leaves out; empty if there is nothing.
std::string NoteOf(const TrainedModel& trained, const std::vector<Track>& tracks,
                   const std::vector<Path>& paths) {
  std::string note;
  if (paths[0].has_own_times) {
    note = fmt::format(
        "The first path is that from {0} {1} to {2}: longer ones could not be followed by eye.",
        TimeOf(trained.data).name, ShowTime(paths[0].times.front(), trained.data.calendar),
        ShowTime(paths[0].times.back(), trained.data.calendar));
  }
  for (const Track& track : tracks) {
    if (track.observed == nullptr || track.observed->times.size() <= kMostPoints) continue;
    return fmt::format("{}{}Of long trajectories, {} evenly chosen observations are shown.", note,
                       note.empty() ? "" : " ", kMostPoints);
  }
  return note;
}

}  // namespace

Json StatesJson(const TrainedModel& trained, const Posterior& posterior,
                const std::vector<Track>& tracks, const std::vector<Forecast>& forecasts,
                const ReportOptions& options) {
  const Model& m = trained.model;
  Json json;
  for (const Quantity& state : QuantitiesOf(StateNames(m))) {
    json["names"].push_back(state.name);
    json["units"].push_back(state.unit);
  }
  if (m.parameters.Has("inducing_locations")) {
    json["inducing"] = Columns(InducingLocations(m));
  }
  std::vector<Path> paths;
  for (std::size_t n = 0; n < tracks.size(); ++n) {
    paths.push_back(PathOf(posterior, tracks[n], forecasts[n], options));
    json["paths"].push_back(PathJson(m, tracks[n], paths[n]));
  }
  if (const std::string note = NoteOf(trained, tracks, paths); !note.empty()) json["note"] = note;
  const Limits limits = LimitsOf(tracks, paths);
  const auto dim = static_cast<Eigen::Index>(m.dim());
  json["fields"] = Json::array();
  std::size_t index = 0;
  for (Eigen::Index row : AnchorRows(tracks[0], paths[0])) {
    Vector anchor = paths[0].median.row(row);
    if (!anchor.allFinite()) anchor = m.coordinates.state_offset;
    json["anchors"].push_back(
        {{"label", fmt::format("{}, {} {}", tracks[0].name, TimeOf(trained.data).name,
                               ShowTime(paths[0].times[static_cast<std::size_t>(row)],
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
