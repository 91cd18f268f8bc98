// Segments of trajectories: a single one per trajectory for the vanilla bound, or short ones that
// start at observation times for multiple shooting (paper, section 3.4).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "data/data_inputs.h"
#include "gpode/coordinates.h"
#include "gpode/dataset.h"

namespace gpode {

// Observations of a trajectory in the model's time, which is zero at the trajectory's start and has
// the unit Coordinates::time_scale.
struct TimedValues {
  std::vector<double> times;                           // (T), the first at zero or later
  Matrix values;                                       // (T, channels)
  std::shared_ptr<const DataInputs> inputs = nullptr;  // none if the system is autonomous
};

struct Segment {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t trajectory;
  std::size_t first, count;  // observations first .. first + count - 1 of the trajectory
  double start;              // time of the segment's start
  std::size_t state;         // index of the shooting state at its start; kNone if that is x0
  std::size_t next;          // index of the shooting state at its end; kNone if it is the last
};

struct Segmentation {
  std::vector<Segment> segments;
  std::size_t shooting_states = 0;
};

// Indices first .. first + count - 1.
struct IndexRun {
  std::size_t first, count;
};

// The states that some segments start from or end at, as runs of increasing indices.
struct TouchedStates {
  std::vector<IndexRun> x0;        // indices of the trajectories whose initial states are touched
  std::vector<IndexRun> shooting;  // indices of the shooting states that are touched
};

// Finds the states of the segments with these increasing indices. Reuses the memory of `touched`.
void FindTouched(const Segmentation& cut, std::span<const std::size_t> segments,
                 TouchedStates& touched);

// The rule says which inputs there are.
std::vector<TimedValues> InModelTime(const Dataset& data, const Coordinates& coordinates,
                                     const InputRule& rule = {});

// Cuts each trajectory into segments that span `gaps` intervals between observations, or into a
// single segment if `gaps` is 0. Shooting states are at observation times after the trajectory's
// start, but never at the last observation.
Segmentation CutIntoSegments(const std::vector<TimedValues>& trajectories, std::size_t gaps);

}  // namespace gpode
