// What was observed: any number of trajectories, each with its own times, regular or not, any
// number of channels, missing values anywhere.
//
// Thread safety: plain values.
//
//   Dataset data{.channels = {"x", "y"}, .trajectories = {{.times = t, .values = y}}};
//   CheckDataset(data);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpode/field.h"

namespace gpode {

struct Trajectory {
  std::string name;
  std::vector<double> times;  // (T), increasing
  Matrix values;              // (T, channels), NaN where nothing was seen
  // When the initial state is; the first observation's time unless given, and never after it.
  std::optional<double> start_time;

  double start() const { return start_time.value_or(times.front()); }
};

struct Dataset {
  std::vector<std::string> channels;
  std::vector<Trajectory> trajectories;
  std::string time_name = {};  // of the times' column, such as "t [ms]"; empty: not known

  // How many values are not missing.
  std::size_t observed() const;
};

// At most so many of its rows, evenly chosen, the first and the last among them.
Trajectory Thinned(const Trajectory& trajectory, std::size_t most);

// Throws an InputError that names the trajectory and what is wrong: no trajectory, no times, times
// that are not finite or do not increase, values of another shape, infinite values, nothing
// observed at all.
void CheckDataset(const Dataset& data);

}  // namespace gpode
