#include "gpode/dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "gpode/error.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Dataset Valid() {
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  for (int n = 0; n < 2; ++n) {
    Trajectory t{.name = "", .times = {0, 1, 2.5}, .values = Matrix::Ones(3, 2), .start_time = {}};
    data.trajectories.push_back(t);
  }
  return data;
}

std::string MessageFor(const Dataset& data) {
  try {
    CheckDataset(data);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Dataset, ValidDataPass) {
  Dataset data = Valid();
  EXPECT_EQ(MessageFor(data), "no error");
  data.trajectories[0].start_time = -1.0;
  data.trajectories[1].start_time = 0.0;
  data.trajectories[1].values.setConstant(NAN);
  EXPECT_EQ(MessageFor(data), "no error") << "one trajectory may have nothing observed";
}

TEST(Dataset, NothingAtAllIsNamed) {
  Dataset data = Valid();
  data.channels.clear();
  EXPECT_EQ(MessageFor(data), "Dataset: channels is empty, must have at least one");
  data = Valid();
  data.trajectories.clear();
  EXPECT_EQ(MessageFor(data), "Dataset: trajectories is empty, must have at least one");
  data = Valid();
  for (Trajectory& t : data.trajectories) t.values.setConstant(NAN);
  EXPECT_EQ(MessageFor(data), "Dataset: values are all missing");
}

TEST(Dataset, BadTimesAreNamed) {
  Dataset data = Valid();
  data.trajectories[1].times.clear();
  EXPECT_EQ(MessageFor(data), "trajectory 2: times is empty, must have at least one");
  data = Valid();
  data.trajectories[1].times[2] = kInfinity;
  EXPECT_EQ(MessageFor(data), "trajectory 2: times[2] is inf, must be finite");
  data.trajectories[1].times[2] = 1;
  EXPECT_EQ(MessageFor(data), "trajectory 2: times[2] is 1, must be later than the one before, 1");
  data.trajectories[1].times[2] = 0.5;
  EXPECT_EQ(MessageFor(data),
            "trajectory 2: times[2] is 0.5, must be later than the one before, 1");
}

TEST(Dataset, ATrajectorysNameIsUsed) {
  Dataset data = Valid();
  data.trajectories[0].name = "run 7";
  data.trajectories[0].times[1] = NAN;
  EXPECT_EQ(MessageFor(data), "'run 7': times[1] is nan, must be finite");
}

TEST(Dataset, BadStartTimesAreNamed) {
  Dataset data = Valid();
  data.trajectories[0].start_time = 0.25;
  EXPECT_EQ(MessageFor(data),
            "trajectory 1: start_time is 0.25, must not be later than the first observation at 0");
  data.trajectories[0].start_time = NAN;
  EXPECT_EQ(MessageFor(data), "trajectory 1: start_time is nan, must be finite");
}

// A start time of -infinity was once accepted, because it is before the first observation.
TEST(Dataset, StartTimeMustBeFinite) {
  Dataset data = Valid();
  data.trajectories[0].start_time = -kInfinity;
  EXPECT_EQ(MessageFor(data), "trajectory 1: start_time is -inf, must be finite");
}

TEST(Dataset, BadValuesAreNamed) {
  Dataset data = Valid();
  data.trajectories[1].values = Matrix::Ones(3, 1);
  EXPECT_EQ(MessageFor(data), "trajectory 2: values is (3, 1), must be (3, 2)");
  data.trajectories[1].values = Matrix::Ones(4, 2);
  EXPECT_EQ(MessageFor(data), "trajectory 2: values is (4, 2), must be (3, 2)");
  data = Valid();
  data.trajectories[1].values(2, 1) = -kInfinity;
  EXPECT_EQ(MessageFor(data),
            "trajectory 2: values[2, 1] is infinite, must be finite or missing (NaN)");
}

TEST(Dataset, ObservedCountsWhatIsNotMissing) {
  Dataset data = Valid();
  EXPECT_EQ(data.observed(), 12u);
  data.trajectories[0].values(0, 1) = NAN;
  data.trajectories[1].values.col(0).setConstant(NAN);
  EXPECT_EQ(data.observed(), 8u);
  EXPECT_EQ(Dataset{}.observed(), 0u);
}

TEST(Trajectory, StartIsTheFirstObservationUnlessGiven) {
  Trajectory t{.name = "", .times = {2, 3}, .values = Matrix::Ones(2, 1), .start_time = {}};
  EXPECT_EQ(t.start(), 2.0);
  t.start_time = 0.5;
  EXPECT_EQ(t.start(), 0.5);
}

TEST(Dataset, ThinnedKeepsFirstAndLastAndTheOrder) {
  Trajectory t{.name = "a", .times = {}, .values = Matrix(1001, 2), .start_time = -1.0};
  for (int i = 0; i <= 1000; ++i) {
    t.times.push_back(i);
    t.values.row(i) << i, -i;
  }
  const Trajectory thinned = Thinned(t, 11);
  ASSERT_EQ(thinned.times.size(), 11u);
  EXPECT_EQ(thinned.times.front(), 0);
  EXPECT_EQ(thinned.times.back(), 1000);
  EXPECT_EQ(thinned.start_time, t.start_time);
  for (Eigen::Index i = 0; i < 11; ++i) {
    EXPECT_EQ(thinned.times[static_cast<std::size_t>(i)], 100.0 * static_cast<double>(i));
    EXPECT_EQ(thinned.values(i, 1), -100.0 * static_cast<double>(i));
  }
  EXPECT_EQ(Thinned(t, 2000).times.size(), 1001u);
  EXPECT_EQ(Thinned(t, 2).times, (std::vector<double>{0, 1000}));
}

TEST(Dataset, ThinnedNeedsRoomForFirstAndLast) {
  const Trajectory t{
      .name = "", .times = {2, 3, 4}, .values = Matrix::Ones(3, 1), .start_time = {}};
  EXPECT_EQ(MessageOf([&] { Thinned(t, 1); }), "Thinned: most is 1, must be at least 2");
  EXPECT_EQ(MessageOf([&] { Thinned(t, 0); }), "Thinned: most is 0, must be at least 2");
}

}  // namespace
}  // namespace gpode
