#include "report/page/report_tracks.h"

#include <algorithm>
#include <cmath>

#include "gpode/gpode.h"
#include "report/model_view.h"

namespace gpode::report {
namespace {

constexpr double kForecastShare = 0.5;     // default length of the forecast relative to the data's
constexpr std::size_t kFewest = 301;       // times of the shortest grid
constexpr std::size_t kMostDoublings = 6;  // how often the number of intervals may be doubled
constexpr std::size_t kMostOnPath = 1201;  // times of the longest path in state space
constexpr std::size_t kMostHalvings = 8;   // how often the span that a path shows may be halved
// A grid follows a trajectory closely if for almost all times each state is this close to the mean
// of its two neighbours, over the extent of the state. A sine then has about 30 times per cycle.
constexpr double kCloseness = 0.01, kAlmostAll = 0.98;
constexpr std::size_t kTried = 2;  // the number of draws that decide how fine a grid is

double LastTime(const Model& model, const Track& track, const std::optional<double>& until) {
  const bool tested = track.test != nullptr && !track.test->times.empty();
  double last =
      until ? std::max(*until, track.end) : track.end + kForecastShare * (track.end - track.begin);
  if (tested && !until) last = std::max(last, track.test->times.back());
  // Without a given end, forecasts end where the inputs do.
  if (!until && !model.inputs.empty()) {
    last = std::min(last, model.input_samples[track.trajectory].times.back());
  }
  return last > track.begin ? last : track.begin + 1;
}

// Returns the largest extent of each state among the draws, (D).
Vector ExtentOf(const Forecast& forecast) {
  Vector extent = Vector::Zero(forecast.states.cols());
  for (const auto& draw : forecast.states) {
    for (Eigen::Index d = 0; d < draw.cols(); ++d) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (double x : draw.col(d)) {
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
      }
      extent[d] = std::max(extent[d], high - low);
    }
  }
  return extent;
}

bool FollowsClosely(const Forecast& forecast, const Vector& extent) {
  std::size_t close = 0, all = 0;
  for (const auto& draw : forecast.states) {
    for (Eigen::Index d = 0; d < draw.cols(); ++d) {
      for (Eigen::Index i = 1; i + 1 < draw.rows(); ++i) {
        const double off = std::abs(draw(i, d) - 0.5 * (draw(i - 1, d) + draw(i + 1, d)));
        if (!std::isfinite(off)) continue;
        ++all;
        if (off <= kCloseness * extent[d]) ++close;
      }
    }
  }
  return static_cast<double>(close) >= kAlmostAll * static_cast<double>(all);
}

Forecast FollowFewDraws(const Posterior& posterior, const Track& track,
                        const std::vector<double>& times, ReportOptions options) {
  options.draws = std::min(options.draws, kTried);
  return Follow(posterior, track, times, options);
}

}  // namespace

std::vector<Track> TracksOf(const TrainedModel& trained, const Dataset& test,
                            const ReportOptions& options) {
  std::vector<Track> tracks;
  for (std::size_t i = 0; i < options.starts.size(); ++i) {
    const Trajectory& t = test.trajectories[i];
    tracks.push_back({.name = t.name.empty() ? std::to_string(i + 1) : t.name,
                      .test = &t,
                      .begin = t.times.front(),
                      .end = t.times.front(),
                      .start = options.starts[i]});
  }
  if (!tracks.empty()) return tracks;
  const Model& model = trained.model;
  for (std::size_t n = 0; n < model.start_times.size(); ++n) {
    Track track{.name = TrajectoryName(trained, n),
                .begin = model.start_times[n],
                .end = model.end_times[n],
                .trajectory = n,
                .start = {}};
    if (n < trained.data.trajectories.size()) track.observed = &trained.data.trajectories[n];
    if (n < test.trajectories.size() && !test.trajectories[n].times.empty()) {
      track.test = &test.trajectories[n];
    }
    tracks.push_back(std::move(track));
  }
  return tracks;
}

Forecast Follow(const Posterior& posterior, const Track& track, const std::vector<double>& times,
                const ReportOptions& options) {
  const ForecastOptions follow{.draws = options.draws,
                               .seed = options.seed,
                               .threads = options.threads,
                               .from = options.from,
                               .states = true};
  if (track.start) return posterior.From(*track.start, track.begin, times, follow);
  return posterior.Trajectory(track.trajectory, times, follow);
}

std::vector<double> GridOf(const Posterior& posterior, const Track& track, std::size_t most,
                           const ReportOptions& options) {
  const double last = LastTime(posterior.model(), track, options.until);
  std::vector<double> grid = RegularTimes(track.begin, last, kFewest);
  for (std::size_t i = 0; i < kMostDoublings; ++i) {
    const std::size_t finer = 2 * grid.size() - 1;
    if (finer > most) break;
    const Forecast few = FollowFewDraws(posterior, track, grid, options);
    if (FollowsClosely(few, ExtentOf(few))) break;
    grid = RegularTimes(track.begin, last, finer);
  }
  return grid;
}

std::vector<double> PathTimes(const Posterior& posterior, const Track& track,
                              const Forecast& on_grid, const ReportOptions& options) {
  const std::vector<double>& grid = on_grid.times;
  const Vector extent = ExtentOf(on_grid);
  if (grid.size() <= kMostOnPath && FollowsClosely(on_grid, extent)) return grid;
  std::vector<double> times;
  for (std::size_t i = 0; i <= kMostHalvings; ++i) {
    const double share = std::ldexp(1.0, -static_cast<int>(i));
    times = RegularTimes(track.end - share * (track.end - grid.front()),
                         track.end + share * (grid.back() - track.end), kMostOnPath);
    if (FollowsClosely(FollowFewDraws(posterior, track, times, options), extent)) break;
  }
  return times;
}

}  // namespace gpode::report
