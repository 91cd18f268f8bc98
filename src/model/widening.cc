#include "gpode/widening.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gpode/error.h"
#include "model/check_shapes.h"

namespace gpode {
namespace {

constexpr std::string_view kWhere = "widening";
// A gap is longer than this multiple of the median distance between neighbouring observations.
constexpr double kLongGap = 2.5;

std::vector<double> ObservedTimes(const Trajectory& t, Eigen::Index channel) {
  std::vector<double> times;
  for (std::size_t i = 0; i < t.times.size(); ++i) {
    if (!std::isnan(t.values(static_cast<Eigen::Index>(i), channel))) times.push_back(t.times[i]);
  }
  return times;
}

double MedianDistance(const std::vector<double>& times) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

void CheckShares(std::string_view name, const std::vector<double>& shares, std::size_t channels) {
  CheckSize(kWhere, name, shares.size(), channels);
  for (double share : shares) {
    if (!(share >= 0 && share <= 1)) ThrowInput(kWhere, name, "must be between 0 and 1");
  }
}

void CheckGaps(const BandWidening& w, std::size_t channels, std::size_t trajectories) {
  const std::size_t gaps = w.gap_trajectory.size();
  CheckSize(kWhere, "gap_channel", w.gap_channel.size(), gaps);
  CheckSize(kWhere, "gap_from", w.gap_from.size(), gaps);
  CheckSize(kWhere, "gap_to", w.gap_to.size(), gaps);
  CheckFinite(kWhere, "gap_from", w.gap_from);
  CheckFinite(kWhere, "gap_to", w.gap_to);
  for (std::size_t i = 0; i < gaps; ++i) {
    if (w.gap_trajectory[i] >= trajectories || w.gap_channel[i] >= channels) {
      ThrowInput(kWhere, "gaps", "name a trajectory or channel that is not there");
    }
    const auto key = [&](std::size_t k) {
      return std::tuple(w.gap_trajectory[k], w.gap_channel[k], w.gap_from[k]);
    };
    if (!(w.gap_from[i] < w.gap_to[i]) || (i > 0 && !(key(i - 1) < key(i)))) {
      ThrowInput(kWhere, "gaps", "must be ordered by trajectory, channel and time");
    }
  }
}

}  // namespace

double BandWidening::Variance(std::size_t channel, double horizon) const {
  if (variance.size() == 0 || !(horizon > 0)) return 0;
  const auto column = variance.col(static_cast<Eigen::Index>(channel));
  const std::size_t last = horizons.size() - 1;
  if (horizon >= horizons[last]) {
    const double known = column[static_cast<Eigen::Index>(last)];
    const double grown = known * (horizon / horizons[last]);
    return limits.empty() ? grown : std::min(grown, std::max(known, limits[channel]));
  }
  const auto next = static_cast<std::size_t>(
      std::upper_bound(horizons.begin(), horizons.end(), horizon) - horizons.begin());
  const double from = next > 0 ? horizons[next - 1] : 0;
  const double low = next > 0 ? column[static_cast<Eigen::Index>(next - 1)] : 0;
  const double share = (horizon - from) / (horizons[next] - from);
  return low + share * (column[static_cast<Eigen::Index>(next)] - low);
}

double BandWidening::DistanceInGap(std::size_t trajectory, std::size_t channel, double time) const {
  const auto [first, last] =
      std::equal_range(gap_trajectory.begin(), gap_trajectory.end(), trajectory);
  const auto begin = gap_channel.begin() + (first - gap_trajectory.begin());
  const auto end = gap_channel.begin() + (last - gap_trajectory.begin());
  const auto [own, own_end] = std::equal_range(begin, end, channel);
  const auto from = gap_from.begin() + (own - gap_channel.begin());
  const auto after =
      std::upper_bound(from, gap_from.begin() + (own_end - gap_channel.begin()), time);
  if (after == from) return 0;
  const auto gap = static_cast<std::size_t>(after - gap_from.begin()) - 1;
  return std::max(0.0, std::min(time - gap_from[gap], gap_to[gap] - time));
}

void BandWidening::SetGaps(const Dataset& data) {
  gap_trajectory.clear(), gap_channel.clear(), gap_from.clear(), gap_to.clear();
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    for (std::size_t c = 0; c < data.channels.size(); ++c) {
      const std::vector<double> times =
          ObservedTimes(data.trajectories[n], static_cast<Eigen::Index>(c));
      if (times.size() < 3) continue;
      const double longest = kLongGap * MedianDistance(times);
      for (std::size_t i = 1; i < times.size(); ++i) {
        if (!(times[i] - times[i - 1] > longest)) continue;
        gap_trajectory.push_back(n);
        gap_channel.push_back(c);
        gap_from.push_back(times[i - 1]);
        gap_to.push_back(times[i]);
      }
    }
  }
}

void CheckWidening(const BandWidening& w, std::size_t channels, std::size_t trajectories) {
  CheckGaps(w, channels, trajectories);
  if (!w.IsJudged() && w.variance.size() == 0) return;
  CheckMatrix(kWhere, "variance", w.variance, w.horizons.size(), channels);
  CheckPositive(kWhere, "horizons", w.horizons);
  for (std::size_t k = 0; k < w.horizons.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (k > 0 && !(w.horizons[k] > w.horizons[k - 1])) {
      ThrowInput(kWhere, "horizons", "must increase");
    }
    const bool grows = k == 0 || (w.variance.row(row) - w.variance.row(row - 1)).minCoeff() >= 0;
    if (w.variance.row(row).minCoeff() < 0 || !grows) {
      ThrowInput(kWhere, "variance", "must not be negative, nor decrease with the horizon");
    }
  }
  if (!w.limits.empty()) CheckSize(kWhere, "limits", w.limits.size(), channels);
  for (double limit : w.limits) CheckNonNegative(kWhere, "limits", limit);
  if (!w.IsJudged()) return;
  CheckSize(kWhere, "values", w.values.size(), channels);
  CheckShares("inside", w.inside, channels);
  CheckShares("inside_widened", w.inside_widened, channels);
}

}  // namespace gpode
