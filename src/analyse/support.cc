#include "analyse/support.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpode/simulate.h"

namespace gpode {
namespace {

constexpr std::size_t kPathTimes = 100, kPathDraws = 32;

// Appends the finite rows of `more` to `rows`.
void AppendFinite(const Matrix& more, std::vector<Vector>* rows) {
  for (const auto& row : more.rowwise()) {
    if (row.allFinite()) rows->emplace_back(row.transpose());
  }
}

}  // namespace

Matrix LearntPath(const Posterior& posterior, std::size_t trajectory,
                  const std::vector<double>& times, std::uint64_t seed) {
  const Forecast forecast = posterior.Trajectory(
      trajectory, times,
      {.draws = kPathDraws, .seed = seed, .from = Origin::kLatestState, .states = true});
  return forecast.OfStates().Quantile(0.5);
}

Support::Support(const Posterior& posterior, const Dataset& data) {
  const Model& model = posterior.model();
  std::vector<Vector> rows;
  for (const Trajectory& trajectory : data.trajectories) {
    AppendFinite(model.ObservedStates(trajectory.values), &rows);
  }
  for (std::size_t n = 0; rows.size() < 2 && n < model.start_times.size(); ++n) {
    const double from = model.start_times[n], to = model.end_times[n];
    AppendFinite(
        LearntPath(posterior, n, RegularTimes(from, to > from ? to : from + 1, kPathTimes)), &rows);
  }
  if (rows.empty()) rows.push_back(model.coordinates.state_offset);
  states_.resize(std::ssize(rows), static_cast<Eigen::Index>(posterior.dim()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    states_.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
  }
  const Matrix away = states_.rowwise() - states_.colwise().mean();
  deviations_ =
      (away.colwise().squaredNorm() / static_cast<double>(states_.rows())).cwiseSqrt().transpose();
  for (Eigen::Index d = 0; d < deviations_.size(); ++d) {
    if (!(deviations_[d] > 0)) deviations_[d] = model.coordinates.state_scale[d];
  }
}

StateBox Support::BoxOf(double factor) const {
  StateBox box{states_.colwise().minCoeff().transpose(), states_.colwise().maxCoeff().transpose()};
  for (Eigen::Index d = 0; d < deviations_.size(); ++d) {
    if (box.upper[d] > box.lower[d]) continue;
    box.lower[d] -= deviations_[d];
    box.upper[d] += deviations_[d];
  }
  return box.Enlarged(factor);
}

double Support::Distance(const Vector& x) const {
  double nearest = HUGE_VAL;
  for (const auto& row : states_.rowwise()) {
    nearest = std::min(nearest, (row.transpose() - x).cwiseQuotient(deviations_).norm());
  }
  return nearest;
}

}  // namespace gpode
