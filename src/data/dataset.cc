#include "gpode/dataset.h"

#include <fmt/format.h>

#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

void CheckTrajectory(const Trajectory& t, std::size_t index, std::size_t channels) {
  const std::string name =
      t.name.empty() ? fmt::format("trajectory {}", index + 1) : fmt::format("'{}'", t.name);
  if (t.times.empty()) ThrowInput(name, "times", "is empty, must have at least one");
  CheckFinite(name, "times", t.times);
  for (std::size_t i = 1; i < t.times.size(); ++i) {
    if (!(t.times[i] > t.times[i - 1])) {
      ThrowInput(
          name, fmt::format("times[{}]", i),
          fmt::format("is {}, must be later than the one before, {}", t.times[i], t.times[i - 1]));
    }
  }
  if (t.start_time) CheckFinite(name, "start_time", *t.start_time);
  if (t.start_time && !(*t.start_time <= t.times.front())) {
    ThrowInput(name, "start_time",
               fmt::format("is {}, must not be later than the first observation at {}",
                           *t.start_time, t.times.front()));
  }
  if (t.values.rows() != static_cast<Eigen::Index>(t.times.size()) ||
      t.values.cols() != static_cast<Eigen::Index>(channels)) {
    ThrowInput(name, "values",
               fmt::format("is ({}, {}), must be ({}, {})", t.values.rows(), t.values.cols(),
                           t.times.size(), channels));
  }
  for (Eigen::Index i = 0; i < t.values.size(); ++i) {
    if (std::isinf(t.values.data()[i])) {
      ThrowInput(name, fmt::format("values[{}, {}]", i / t.values.cols(), i % t.values.cols()),
                 "is infinite, must be finite or missing (NaN)");
    }
  }
}

}  // namespace

std::size_t Dataset::observed() const {
  std::size_t count = 0;
  for (const Trajectory& t : trajectories) count += (t.values.array() == t.values.array()).count();
  return count;
}

Trajectory Thinned(const Trajectory& trajectory, std::size_t most) {
  if (most < 2) ThrowInput("Thinned", "most", fmt::format("is {}, must be at least 2", most));
  const std::size_t count = trajectory.times.size();
  if (count <= most) return trajectory;
  Trajectory thinned{trajectory.name, {}, {}, trajectory.start_time};
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t row = i * (count - 1) / (most - 1);
    thinned.times.push_back(trajectory.times[row]);
    rows.push_back(static_cast<Eigen::Index>(row));
  }
  thinned.values = trajectory.values(rows, Eigen::all);
  return thinned;
}

void CheckDataset(const Dataset& data) {
  if (data.channels.empty()) ThrowInput("Dataset", "channels", "is empty, must have at least one");
  if (data.trajectories.empty()) {
    ThrowInput("Dataset", "trajectories", "is empty, must have at least one");
  }
  for (std::size_t i = 0; i < data.trajectories.size(); ++i) {
    CheckTrajectory(data.trajectories[i], i, data.channels.size());
  }
  if (data.observed() == 0) ThrowInput("Dataset", "values", "are all missing");
}

}  // namespace gpode
