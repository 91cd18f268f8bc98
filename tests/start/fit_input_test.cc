#include "gpode/fit_input.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

Dataset Rows(std::size_t count) {
  Dataset data{.channels = {"a", "b"}, .trajectories = std::vector<Trajectory>(1)};
  Trajectory& t = data.trajectories[0];
  t.name = "one";
  t.values.resize(static_cast<Eigen::Index>(count), 2);
  for (std::size_t i = 0; i < count; ++i) {
    t.times.push_back(2.0 + 0.5 * static_cast<double>(i));
    t.values.row(static_cast<Eigen::Index>(i)) << static_cast<double>(i), 1.0;
  }
  return data;
}

std::string Message(std::string_view when) {
  Dataset data = Rows(3);
  try {
    SetStartTimes(when, "fit: --initial", &data);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FitInput, StartTimes) {
  Dataset data = Rows(3);
  SetStartTimes("first", "x", &data);
  EXPECT_FALSE(data.trajectories[0].start_time);
  SetStartTimes("gap", "x", &data);
  EXPECT_EQ(data.trajectories[0].start_time, 1.5);
  SetStartTimes("-3", "x", &data);
  EXPECT_EQ(data.trajectories[0].start_time, -3);
  EXPECT_EQ(Message("last"), "fit: --initial is 'last', must be first, gap or a time");
  EXPECT_EQ(Message("3"),
            "fit: --initial is '3', must be at or before the first observation, at 2");
  Dataset one = Rows(1);
  EXPECT_THROW(SetStartTimes("gap", "x", &one), InputError);
}

TEST(FitInput, ChannelsAreTheFirstOfMoreStates) {
  FitOptions options;
  options.states = 3;
  CompleteObservation(2, &options);
  EXPECT_EQ(options.observation, Observation::kMatrix);
  EXPECT_EQ(options.observation_map.matrix, (Matrix{{1, 0, 0}, {0, 1, 0}}));
  FitOptions same;
  same.states = 2;
  CompleteObservation(2, &same);
  EXPECT_EQ(same.observation, Observation::kIdentity);
}

TEST(FitInput, ChannelsThatNeverChangeAreFound) {
  Dataset data = Rows(4);
  ASSERT_TRUE(FindConstantChannel(data));
  EXPECT_EQ(FindConstantChannel(data)->channel, 1u);
  EXPECT_EQ(FindConstantChannel(data)->value, 1.0);
  data.trajectories[0].values.col(1).setConstant(NAN);
  EXPECT_FALSE(FindConstantChannel(data)->value);
  data.trajectories[0].values(0, 1) = 1;
  data.trajectories[0].values(2, 1) = 2;
  EXPECT_FALSE(FindConstantChannel(data));
}

}  // namespace
}  // namespace gpode
