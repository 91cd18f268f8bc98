#include "start/without_outliers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpode/likelihood.h"

namespace gpode {
namespace {

constexpr std::ptrdiff_t kNeighbours = 3;  // the neighbours on each side
constexpr double kFar = 6;
constexpr std::size_t kFewest = 12;  // the fewest values of a channel that can have outliers

double Median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A value of a channel: its row and its distance from the median of its neighbours.
struct Distance {
  Trajectory* trajectory;
  Eigen::Index row;
  double off;
};

void AddDistances(Trajectory& t, Eigen::Index channel, std::vector<Distance>& all) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
    if (!std::isnan(t.values(i, channel))) rows.push_back(i);
  }
  const std::ptrdiff_t count = std::ssize(rows);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    std::vector<double> near;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - kNeighbours);
         j <= std::min(count - 1, i + kNeighbours); ++j) {
      if (j != i) near.push_back(t.values(rows[static_cast<std::size_t>(j)], channel));
    }
    if (near.empty()) continue;
    const Eigen::Index row = rows[static_cast<std::size_t>(i)];
    all.push_back({&t, row, std::fabs(t.values(row, channel) - Median(std::move(near)))});
  }
}

}  // namespace

Dataset WithoutOutliers(const Dataset& data, std::string_view likelihood) {
  Dataset kept = data;
  const Likelihood& all = GetLikelihood(likelihood);
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    if (all.ForChannel(c).name() != "student-t") continue;
    const auto channel = static_cast<Eigen::Index>(c);
    std::vector<Distance> distances;
    for (Trajectory& t : kept.trajectories) AddDistances(t, channel, distances);
    if (distances.size() < kFewest) continue;
    std::vector<double> sizes;
    for (const Distance& d : distances) sizes.push_back(d.off);
    const double typical = 1.4826 * Median(std::move(sizes));
    for (const Distance& d : distances) {
      if (d.off > kFar * typical) d.trajectory->values(d.row, channel) = NAN;
    }
  }
  return kept;
}

}  // namespace gpode
