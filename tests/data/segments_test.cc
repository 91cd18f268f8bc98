#include "data/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gpode {
namespace {

constexpr std::size_t kNone = Segment::kNone;

TimedValues At(std::vector<double> times) {
  const auto n = static_cast<Eigen::Index>(times.size());
  return {std::move(times), Matrix::Zero(n, 1)};
}

// Checks the properties that every segmentation must have.
void ExpectConsistent(const std::vector<TimedValues>& trajectories, const Segmentation& cut) {
  std::vector<std::size_t> next_observation(trajectories.size(), 0);
  std::set<std::size_t> started, ended;
  for (std::size_t i = 0; i < cut.segments.size(); ++i) {
    const Segment& s = cut.segments[i];
    SCOPED_TRACE(i);
    EXPECT_GT(s.count, 0u);
    EXPECT_EQ(s.first, next_observation[s.trajectory]) << "observations in order, none twice";
    next_observation[s.trajectory] = s.first + s.count;
    const std::vector<double>& times = trajectories[s.trajectory].times;
    if (s.state == kNone) {
      EXPECT_EQ(s.first, 0u);
      EXPECT_EQ(s.start, 0.0);
    } else {
      EXPECT_TRUE(started.insert(s.state).second) << "a state starts one segment";
      EXPECT_EQ(s.start, times[s.first - 1]) << "at the observation before";
    }
    if (s.next == kNone) continue;
    EXPECT_TRUE(ended.insert(s.next).second);
    ASSERT_LT(i + 1, cut.segments.size());
    EXPECT_EQ(cut.segments[i + 1].state, s.next) << "the segment after it starts there";
    EXPECT_EQ(cut.segments[i + 1].trajectory, s.trajectory);
    EXPECT_GT(times[s.first + s.count - 1], s.start) << "a segment takes some time";
  }
  for (std::size_t n = 0; n < trajectories.size(); ++n) {
    EXPECT_EQ(next_observation[n], trajectories[n].times.size()) << "every observation";
  }
  EXPECT_EQ(started, ended);
  EXPECT_EQ(started.size(), cut.shooting_states);
  for (std::size_t state : started) EXPECT_LT(state, cut.shooting_states);
}

// Returns the number of observations of each segment.
std::vector<std::size_t> Counts(const std::vector<TimedValues>& trajectories, std::size_t gaps) {
  const Segmentation cut = CutIntoSegments(trajectories, gaps);
  ExpectConsistent(trajectories, cut);
  std::vector<std::size_t> counts;
  for (const Segment& s : cut.segments) counts.push_back(s.count);
  return counts;
}

using Sizes = std::vector<std::size_t>;

TEST(Segments, VanillaIsOnePerTrajectory) {
  const std::vector<TimedValues> trajectories = {At({0, 1, 2}), At({0.5}), At({0, 4})};
  EXPECT_EQ(Counts(trajectories, 0), (Sizes{3, 1, 2}));
  const Segmentation cut = CutIntoSegments(trajectories, 0);
  EXPECT_EQ(cut.shooting_states, 0u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(cut.segments[n].trajectory, n);
    EXPECT_EQ(cut.segments[n].state, kNone);
    EXPECT_EQ(cut.segments[n].next, kNone);
  }
}

// An observation at the start time closes no gap, so that the first segment has one observation
// more than the others.
TEST(Segments, FirstObservationAtTheStart) {
  const std::vector<TimedValues> trajectories = {At({0, 1, 2, 3, 4, 5, 6})};
  EXPECT_EQ(Counts(trajectories, 1), (Sizes{2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Counts(trajectories, 2), (Sizes{3, 2, 2}));
  EXPECT_EQ(Counts(trajectories, 3), (Sizes{4, 3}));
  EXPECT_EQ(Counts(trajectories, 6), (Sizes{7}));
  EXPECT_EQ(Counts(trajectories, 100), (Sizes{7}));
  EXPECT_EQ(CutIntoSegments(trajectories, 1).shooting_states, 5u);
  EXPECT_EQ(CutIntoSegments(trajectories, 2).shooting_states, 2u);
  EXPECT_EQ(CutIntoSegments(trajectories, 3).shooting_states, 1u);
}

TEST(Segments, FirstObservationAfterTheStart) {
  const std::vector<TimedValues> trajectories = {At({0.5, 1, 2, 3, 4, 5, 6})};
  EXPECT_EQ(Counts(trajectories, 1), (Sizes{1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Counts(trajectories, 2), (Sizes{2, 2, 2, 1}));
  EXPECT_EQ(Counts(trajectories, 3), (Sizes{3, 3, 1}));
  EXPECT_EQ(CutIntoSegments(trajectories, 1).shooting_states, 6u);
  EXPECT_EQ(CutIntoSegments(trajectories, 2).shooting_states, 3u);
  EXPECT_EQ(CutIntoSegments(trajectories, 3).shooting_states, 2u);
}

TEST(Segments, FewObservations) {
  for (std::size_t gaps : {1, 2, 3}) {
    EXPECT_EQ(Counts({At({0})}, gaps), (Sizes{1}));
    EXPECT_EQ(Counts({At({2})}, gaps), (Sizes{1}));
    EXPECT_EQ(Counts({At({0, 1})}, gaps), (Sizes{2}));
  }
  EXPECT_EQ(Counts({At({1, 2})}, 1), (Sizes{1, 1}));
  EXPECT_EQ(Counts({At({1, 2})}, 2), (Sizes{2}));
}

TEST(Segments, RaggedTrajectories) {
  const std::vector<TimedValues> trajectories = {At({0, 1, 2, 3}), At({0.2}), At({0.1, 0.9, 7}),
                                                 At({0, 5})};
  EXPECT_EQ(Counts(trajectories, 1), (Sizes{2, 1, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(Counts(trajectories, 2), (Sizes{3, 1, 1, 2, 1, 2}));
  EXPECT_EQ(CutIntoSegments(trajectories, 1).shooting_states, 4u);
  EXPECT_EQ(CutIntoSegments(trajectories, 2).shooting_states, 2u);
}

TEST(Segments, ModelTimeCountsFromTheStart) {
  Dataset data{.channels = {"x"}, .trajectories = {}};
  data.trajectories.push_back(
      {.name = "", .times = {3, 5}, .values = Matrix::Constant(2, 1, 7.0), .start_time = {}});
  data.trajectories.push_back(
      {.name = "", .times = {3, 5}, .values = Matrix::Constant(2, 1, 8.0), .start_time = 2.0});
  const std::vector<TimedValues> timed = InModelTime(data, {.time_scale = 4.0});
  ASSERT_EQ(timed.size(), 2u);
  EXPECT_EQ(timed[0].times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(timed[1].times, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(timed[0].values(1, 0), 7.0);
  EXPECT_EQ(timed[1].values(1, 0), 8.0);
}

std::vector<std::size_t> Indices(const std::vector<IndexRun>& runs) {
  std::vector<std::size_t> all;
  for (const IndexRun& run : runs) {
    for (std::size_t i = 0; i < run.count; ++i) all.push_back(run.first + i);
  }
  return all;
}

TEST(FindTouched, StatesAtBothEndsOfTheSegments) {
  // The first trajectory has the segments 0 to 3 and the shooting states 0 to 2, the second one the
  // segments 4 and 5 and the shooting state 3.
  const Segmentation cut = CutIntoSegments({At({0.1, 0.2, 0.3, 0.4}), At({0.1, 0.2})}, 1);
  ASSERT_EQ(cut.segments.size(), 6u);
  TouchedStates touched;
  const auto of = [&](Sizes segments) { FindTouched(cut, segments, touched); };
  of({0, 1, 2, 3, 4, 5});
  ASSERT_EQ(touched.x0.size(), 1u) << "one run";
  ASSERT_EQ(touched.shooting.size(), 1u);
  EXPECT_EQ(Indices(touched.x0), (Sizes{0, 1}));
  EXPECT_EQ(Indices(touched.shooting), (Sizes{0, 1, 2, 3}));
  of({1});
  EXPECT_EQ(Indices(touched.x0), Sizes{});
  EXPECT_EQ(Indices(touched.shooting), (Sizes{0, 1}));
  of({0, 3, 4});
  EXPECT_EQ(Indices(touched.x0), (Sizes{0, 1}));
  EXPECT_EQ(Indices(touched.shooting), (Sizes{0, 2, 3}));
}

}  // namespace
}  // namespace gpode
