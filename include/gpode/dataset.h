// A data set: any number of trajectories, each observed at its own times, regular or not, through
// the same channels. Any value may be missing.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   Dataset data{.channels = {"x", "y"}, .trajectories = {{.times = t, .values = y}}};
//   CheckDataset(data);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/calendar.h"
#include "gpode/field.h"
#include "gpode/inputs.h"

namespace gpode {

struct Trajectory {
  std::string name;
  std::vector<double> times;  // (T), increasing
  Matrix values;              // (T, channels), NaN for a missing value
  // The time of the initial state, not after the first observation. If it is not set, it is the
  // time of the first observation.
  std::optional<double> start_time;
  InputSamples inputs = {};  // the measured inputs, at times of their own

  double start() const { return start_time.value_or(times.front()); }
};

struct Dataset {
  std::vector<std::string> channels;
  std::vector<Trajectory> trajectories;
  std::string time_name = {};  // name of the time column, such as "t [ms]"; empty if unknown
  Calendar calendar = {};      // the dates that times stand for, if they do
  // How the data were read, as text (ReadingText in gpode/options.h), so that later files of the
  // same kind can be read without options; empty if unknown.
  std::string reading = {};
  std::vector<std::string> inputs = {};  // names of the measured inputs

  // Returns the number of values that are not missing.
  std::size_t observed() const;
};

// Returns the trajectory with at most `most` of its rows: evenly spaced ones, the first and the
// last included. Throws an InputError if `most` is less than 2.
Trajectory Thinned(const Trajectory& trajectory, std::size_t most);

// Throws an InputError that names the trajectory and the problem unless the data set has channels
// and trajectories, times are finite and increase, values have the right shape and are finite or
// missing, and at least one value is not missing. Measured inputs must be finite, and their samples
// must begin at or before a trajectory's start and end at or after its last observation.
void CheckDataset(const Dataset& data);

// Makes the channels of `samples` the measured inputs of `data`. A trajectory's samples are those
// of the trajectory with the same name or, if `samples` has only one trajectory, of that one.
// Throws an InputError that begins with `where` if there are none. Trailing rows with a missing
// value are left out.
void SetInputs(const Dataset& samples, std::string_view where, Dataset* data);

// Throws an InputError that begins with `where` and names the input and the time unless the samples
// of a trajectory have increasing times and a finite value of each of the inputs `names`.
void CheckInputSamples(const InputSamples& samples, const std::vector<std::string>& names,
                       const Calendar& calendar, std::string_view where);

// Throws an InputError unless the samples cover all times from `from` to `to`. Its message begins
// with `where` and names the first or last time at which inputs are known.
void CheckInputsCover(const InputSamples& samples, double from, double to, const Calendar& calendar,
                      std::string_view where);

}  // namespace gpode
