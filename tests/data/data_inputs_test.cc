#include "data/data_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "gpode/dataset.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

InputSamples Samples() {
  InputSamples samples{.times = {10, 12, 16, 18}, .values = Matrix(4, 1)};
  samples.values << 1, 3, 3, 7;
  return samples;
}

Coordinates Scaled(std::size_t inputs) {
  Coordinates c = Coordinates::Identity(1, inputs);
  c.time_scale = 2;
  c.input_scale.setConstant(4);
  c.input_offset.setConstant(1);
  return c;
}

double At(const InputSignal& signal, double t) {
  double u = NAN;
  signal.At(t, {&u, 1});
  return u;
}

double AtPiece(const InputSignal& signal, double t, double inside) {
  double u = NAN;
  signal.AtPiece(t, inside, {&u, 1});
  return u;
}

// In the model's time, with a start at 10 and a unit of 2, samples are at 0, 1, 3 and 4; values are
// 0, 0.5, 0.5 and 1.5.
TEST(DataInputsTest, HoldsThePreviousSample) {
  const DataInputs inputs({.names = {"u"}}, Samples(), Scaled(1), 10);
  EXPECT_EQ(At(inputs, -5), 0);
  EXPECT_EQ(At(inputs, 0.9), 0);
  EXPECT_EQ(At(inputs, 1), 0.5);
  EXPECT_EQ(At(inputs, 3.9), 0.5);
  EXPECT_EQ(At(inputs, 100), 1.5);
  EXPECT_EQ(AtPiece(inputs, 1, 0.5), 0) << "the limit from the left";
  EXPECT_EQ(AtPiece(inputs, 1, 2), 0.5) << "the limit from the right";
}

TEST(DataInputsTest, BreaksWhereAHeldInputChanges) {
  const DataInputs inputs({.names = {"u"}}, Samples(), Scaled(1), 10);
  EXPECT_EQ(inputs.NextBreak(0, 1), 1);
  EXPECT_EQ(inputs.NextBreak(1, 1), 4) << "the sample at 3 changes nothing";
  EXPECT_EQ(inputs.NextBreak(4, 1), kInfinity);
  EXPECT_EQ(inputs.NextBreak(4, -1), 1);
  EXPECT_EQ(inputs.NextBreak(1, -1), -kInfinity);
}

TEST(DataInputsTest, InterpolatesLinearly) {
  const DataInputs inputs({.names = {"u"}, .hold = InputHold::kLinear}, Samples(), Scaled(1), 10);
  EXPECT_EQ(At(inputs, -1), 0);
  EXPECT_EQ(At(inputs, 0.5), 0.25);
  EXPECT_EQ(At(inputs, 2), 0.5);
  EXPECT_EQ(At(inputs, 3.5), 1);
  EXPECT_EQ(At(inputs, 5), 1.5);
  EXPECT_EQ(inputs.NextBreak(-1, 1), 0);
  EXPECT_EQ(inputs.NextBreak(0, 1), 1);
  EXPECT_EQ(inputs.NextBreak(1, 1), 3);
  EXPECT_EQ(inputs.NextBreak(3, 1), 4);
  EXPECT_EQ(inputs.NextBreak(4, 1), kInfinity);
}

TEST(DataInputsTest, ClockAndTimeAreThoseOfTheUser) {
  Coordinates own = Coordinates::Identity(1, 3);
  own.time_scale = 2;
  own.input_scale[2] = 5;
  own.input_offset[2] = 10;
  const DataInputs inputs({.periods = {24}, .has_time = true}, {}, own, 10);
  std::vector<double> u(3);
  inputs.At(4, u);  // time 18
  EXPECT_NEAR(u[0], std::cos(2 * std::numbers::pi * 18 / 24), 1e-15);
  EXPECT_NEAR(u[1], std::sin(2 * std::numbers::pi * 18 / 24), 1e-15);
  EXPECT_EQ(u[2], (18.0 - 10) / 5);
  EXPECT_EQ(inputs.NextBreak(0, 1), kInfinity);
}

TEST(DataInputsTest, ShiftedInputsAreTheSameAtShiftedTimes) {
  const InputRule rule{.names = {"u"}, .hold = InputHold::kLinear, .periods = {7}};
  Coordinates own = Scaled(3);
  const DataInputs inputs(rule, Samples(), own, 10);
  const auto later = inputs.Shifted(1.25);
  for (double t : {0.0, 0.3, 1.75, 2.0, 4.0}) {
    std::vector<double> one(3), other(3);
    inputs.At(t + 1.25, one);
    later->At(t, other);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one[i], other[i], 1e-14) << t;
  }
  EXPECT_EQ(later->NextBreak(0, 1), 3 - 1.25);
}

TEST(InputsTest, AllInputsHaveNames) {
  const InputRule rule{.names = {"u", "w"}, .periods = {24, 168.5}, .has_time = true};
  const std::vector<std::string> names = {"u",          "w",          "cos(24)", "sin(24)",
                                          "cos(168.5)", "sin(168.5)", "time"};
  EXPECT_EQ(rule.AllNames(), names);
  EXPECT_EQ(rule.size(), 7u);
}

TEST(InputsTest, LaterSamplesReplaceEarlierOnes) {
  InputSamples later{.times = {16, 20}, .values = Matrix(2, 1)};
  later.values << 8, 9;
  const InputSamples all = Joined(Samples(), later);
  EXPECT_EQ(all.times, (std::vector<double>{10, 12, 16, 20}));
  EXPECT_EQ(all.values(1, 0), 3);
  EXPECT_EQ(all.values(2, 0), 8);
  EXPECT_EQ(Joined(Samples(), {}).times, Samples().times);
  EXPECT_EQ(Joined({}, later).times, later.times);
}

Dataset WithInputs() {
  Dataset data;
  data.channels = {"x"};
  data.inputs = {"u"};
  data.trajectories = {{"a", {10, 14}, Matrix::Ones(2, 1), {}, Samples()}};
  return data;
}

TEST(InputsTest, GapsAreErrorsThatSayWhere) {
  Dataset data = WithInputs();
  EXPECT_NO_THROW(CheckDataset(data));
  data.trajectories[0].inputs.values(1, 0) = NAN;
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }),
            "'a': input 'u' has no value at time 12, must have one at every time");
  data = WithInputs();
  data.trajectories[0].times[1] = 19;
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }), "'a': inputs end at 18, must go on to 19");
  data = WithInputs();
  data.trajectories[0].start_time = 9;
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }),
            "'a': inputs begin at 10, must begin at 9 or before");
  data = WithInputs();
  data.trajectories[0].inputs.times[1] = 10;
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }),
            "'a': times of inputs have 10 after 10, must increase");
  data = WithInputs();
  data.trajectories[0].inputs = {};
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }),
            "'a': inputs have 0 times and values (0, 0), must have values (times, 1)");
  data = WithInputs();
  data.inputs.clear();
  EXPECT_EQ(MessageOf([&] { CheckDataset(data); }),
            "'a': inputs have values, but the data set has no names");
}

TEST(InputsTest, SamplesOfAFileGoToTheTrajectoryOfTheSameName) {
  Dataset data = WithInputs(), samples;
  data.inputs.clear();
  data.trajectories[0].inputs = {};
  data.trajectories.push_back(data.trajectories[0]);
  data.trajectories[1].name = "b";
  samples.channels = {"u"};
  samples.trajectories = {{"b", {1, 2, 3}, Matrix::Ones(3, 1), {}},
                          {"a", {4, 5}, Matrix::Ones(2, 1), {}}};
  samples.trajectories[0].values(2, 0) = NAN;
  SetInputs(samples, "u.csv", &data);
  EXPECT_EQ(data.inputs, samples.channels);
  EXPECT_EQ(data.trajectories[0].inputs.times, (std::vector<double>{4, 5}));
  EXPECT_EQ(data.trajectories[1].inputs.times, (std::vector<double>{1, 2})) << "without the end";
  samples.trajectories[1].name = "c";
  EXPECT_EQ(MessageOf([&] { SetInputs(samples, "u.csv", &data); }),
            "u.csv: has 2 trajectories, none is 'a'; must have the names of the data or only one");
  samples.trajectories.pop_back();
  SetInputs(samples, "u.csv", &data);
  EXPECT_EQ(data.trajectories[0].inputs.times, (std::vector<double>{1, 2})) << "one for all";
}

}  // namespace
}  // namespace gpode
