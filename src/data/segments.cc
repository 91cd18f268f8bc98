// Cuts trajectories into segments. The term of the bound that ties a shooting state to the segment
// before it, log p(s_i | s_{i-1}, f) in the paper, is in model/bound.cc.
#include "data/segments.h"

namespace gpode {
namespace {

// Appends an index to runs of increasing indices, unless it already is the last index of the last
// run. The index must not be smaller than that one.
void Append(std::size_t index, std::vector<IndexRun>& runs) {
  if (runs.empty() || index > runs.back().first + runs.back().count) {
    runs.push_back({index, 1});
  } else if (index == runs.back().first + runs.back().count) {
    ++runs.back().count;
  }
}

}  // namespace

void FindTouched(const Segmentation& cut, std::span<const std::size_t> segments,
                 TouchedStates& touched) {
  touched.x0.clear();
  touched.shooting.clear();
  for (std::size_t i : segments) {
    const Segment& s = cut.segments[i];
    if (s.state == Segment::kNone) {
      Append(s.trajectory, touched.x0);
    } else {
      Append(s.state, touched.shooting);
    }
    if (s.next != Segment::kNone) Append(s.next, touched.shooting);
  }
}

std::vector<TimedValues> InModelTime(const Dataset& data, const Coordinates& coordinates) {
  std::vector<TimedValues> result;
  for (const Trajectory& t : data.trajectories) {
    TimedValues timed{t.times, t.values};
    for (double& time : timed.times) time = coordinates.TimeToModel(time, t.start());
    result.push_back(std::move(timed));
  }
  return result;
}

Segmentation CutIntoSegments(const std::vector<TimedValues>& trajectories, std::size_t gaps) {
  Segmentation cut;
  for (std::size_t n = 0; n < trajectories.size(); ++n) {
    const std::vector<double>& times = trajectories[n].times;
    Segment segment{n, 0, 0, 0.0, Segment::kNone, Segment::kNone};
    std::size_t passed = 0;  // gaps since the segment's start
    for (std::size_t i = 0; i < times.size(); ++i) {
      ++segment.count;
      if (times[i] > segment.start) ++passed;
      if (gaps == 0 || passed < gaps || i + 1 == times.size()) continue;
      segment.next = cut.shooting_states++;
      cut.segments.push_back(segment);
      segment = {n, i + 1, 0, times[i], segment.next, Segment::kNone};
      passed = 0;
    }
    cut.segments.push_back(segment);
  }
  return cut;
}

}  // namespace gpode
