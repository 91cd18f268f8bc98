// Segments of trajectories: one for each trajectory (the vanilla bound), or short ones that start
// at observation times (multiple shooting; paper, section 3.4).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/dataset.h"

namespace gpode {

// Observations in the model's time: counted from the trajectory's start, divided by a scale.
struct TimedValues {
  std::vector<double> times;  // (T), the first at zero or later
  Matrix values;              // (T, channels)
};

struct Segment {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t trajectory;
  std::size_t first, count;  // its observations
  double start;              // time
  std::size_t state;         // shooting state it starts from; kNone: the trajectory's x0
  std::size_t next;          // shooting state at its end; kNone: the trajectory ends there
};

struct Segmentation {
  std::vector<Segment> segments;
  std::size_t shooting_states = 0;
};

// Indices first .. first + count - 1.
struct IndexRun {
  std::size_t first, count;
};

// The states that some segments start from or end at, in increasing order.
struct TouchedStates {
  std::vector<IndexRun> x0;        // of trajectories
  std::vector<IndexRun> shooting;  // shooting states
};

// Finds the states of the segments with these indices, which increase. Reuses the memory of
// `touched`.
void FindTouched(const Segmentation& cut, std::span<const std::size_t> segments,
                 TouchedStates& touched);

std::vector<TimedValues> InModelTime(const Dataset& data, const Coordinates& coordinates);

// Cuts each trajectory into segments of `gaps` observation gaps, or into a single one if `gaps` is
// 0. Shooting states stand at observation times after the start, never at the last one.
Segmentation CutIntoSegments(const std::vector<TimedValues>& trajectories, std::size_t gaps);

}  // namespace gpode
