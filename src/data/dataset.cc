#include "gpode/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

void CheckInputs(const Dataset& data, const Trajectory& t, const std::string& name) {
  if (data.inputs.empty()) {
    if (!t.inputs.empty()) ThrowInput(name, "inputs", "have values, but the data set has no names");
    return;
  }
  CheckInputSamples(t.inputs, data.inputs, data.calendar, name);
  CheckInputsCover(t.inputs, t.start(), t.times.back(), data.calendar, name);
}

void CheckTrajectory(const Trajectory& t, const std::string& name, std::size_t channels) {
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
  Trajectory thinned{trajectory.name, {}, {}, trajectory.start_time, trajectory.inputs};
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t row = i * (count - 1) / (most - 1);
    thinned.times.push_back(trajectory.times[row]);
    rows.push_back(static_cast<Eigen::Index>(row));
  }
  thinned.values = trajectory.values(rows, Eigen::all);
  return thinned;
}

void SetInputs(const Dataset& samples, std::string_view where, Dataset* data) {
  const std::vector<Trajectory>& all = samples.trajectories;
  data->inputs = samples.channels;
  for (Trajectory& t : data->trajectories) {
    const auto found = std::ranges::find(all, t.name, &Trajectory::name);
    if (found == all.end() && all.size() != 1) {
      throw InputError(fmt::format(
          "{}: has {} trajectories, none is '{}'; must have the names of the data or only one",
          where, all.size(), t.name));
    }
    const Trajectory& own = found == all.end() ? all.front() : *found;
    Eigen::Index rows = own.values.rows();
    while (rows > 0 && !own.values.row(rows - 1).allFinite()) --rows;
    t.inputs = {.times = {own.times.begin(), own.times.begin() + rows},
                .values = own.values.topRows(rows)};
  }
}

void CheckInputSamples(const InputSamples& samples, const std::vector<std::string>& names,
                       const Calendar& calendar, std::string_view where) {
  const auto rows = std::ssize(samples.times), columns = std::ssize(names);
  if (samples.values.rows() != rows || samples.values.cols() != columns || rows == 0) {
    ThrowInput(where, "inputs",
               fmt::format("have {} times and values ({}, {}), must have values (times, {})", rows,
                           samples.values.rows(), samples.values.cols(), columns));
  }
  CheckFinite(where, "times of inputs", samples.times);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double time = samples.times[static_cast<std::size_t>(i)];
    if (i > 0 && !(time > samples.times[static_cast<std::size_t>(i) - 1])) {
      ThrowInput(where, "times of inputs",
                 fmt::format("have {} after {}, must increase", ShowTime(time, calendar),
                             ShowTime(samples.times[static_cast<std::size_t>(i) - 1], calendar)));
    }
    for (Eigen::Index c = 0; c < columns; ++c) {
      if (std::isfinite(samples.values(i, c))) continue;
      ThrowInput(where, fmt::format("input '{}'", names[static_cast<std::size_t>(c)]),
                 fmt::format("has no value at time {}, must have one at every time",
                             ShowTime(time, calendar)));
    }
  }
}

void CheckInputsCover(const InputSamples& samples, double from, double to, const Calendar& calendar,
                      std::string_view where) {
  const double first = samples.times.front(), last = samples.times.back();
  if (from < first) {
    ThrowInput(where, "inputs",
               fmt::format("begin at {}, must begin at {} or before", ShowTime(first, calendar),
                           ShowTime(from, calendar)));
  }
  if (to > last) {
    ThrowInput(where, "inputs",
               fmt::format("end at {}, must go on to {}", ShowTime(last, calendar),
                           ShowTime(to, calendar)));
  }
}

void CheckDataset(const Dataset& data) {
  if (data.channels.empty()) ThrowInput("Dataset", "channels", "is empty, must have at least one");
  if (data.trajectories.empty()) {
    ThrowInput("Dataset", "trajectories", "is empty, must have at least one");
  }
  for (std::size_t i = 0; i < data.trajectories.size(); ++i) {
    const Trajectory& t = data.trajectories[i];
    const std::string name =
        t.name.empty() ? fmt::format("trajectory {}", i + 1) : fmt::format("'{}'", t.name);
    CheckTrajectory(t, name, data.channels.size());
    CheckInputs(data, t, name);
  }
  if (data.observed() == 0) ThrowInput("Dataset", "values", "are all missing");
}

}  // namespace gpode
