// Tests with unusual data: training ends with finite results, or with a message that says why not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/forecast.h"
#include "gpode/scores.h"
#include "gpode/simulate.h"
#include "gpode/training.h"
#include "support/message_of.h"
#include "support/noise.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::WithNoise;

FitOptions Short(BoundKind bound = BoundKind::kVanilla) {
  FitOptions options;
  options.bound = bound;
  options.inducing = 8;
  options.features = 32;
  options.steps = 60;
  options.polish = 0.3;
  options.threads = 1;
  return options;
}

Dataset VanDerPolData(std::size_t points = 30) {
  const std::vector<double> times = RegularTimes(0, 7, points);
  return {.channels = {"x", "y"},
          .trajectories = {
              {"",
               times,
               WithNoise(SolveSystem("vdp", std::vector<double>{-1.5, 2.5}, times), 0.05, 7),
               {}}}};
}

// Returns one channel with the values value(i) at the times time(i).
template <typename Time, typename Value>
Dataset OneChannel(Time time, Value value) {
  Dataset data{.channels = {"x"}, .trajectories = {{}}};
  Trajectory& t = data.trajectories[0];
  t.values.resize(40, 1);
  for (int i = 0; i < 40; ++i) {
    t.times.push_back(time(i));
    t.values(i, 0) = value(i);
  }
  return data;
}

bool IsFinite(const Model& m) {
  const auto is_finite = [](double v) { return std::isfinite(v); };
  const Vector noise = m.noise().parameters;
  const bool finite = m.map.matrix.allFinite() && m.map.offset.allFinite() &&
                      m.coordinates.state_scale.allFinite() &&
                      m.coordinates.state_offset.allFinite() &&
                      std::isfinite(m.coordinates.time_scale) && noise.minCoeff() > 0 &&
                      std::ranges::all_of(m.parameters.values, is_finite);
  return finite;
}

// Expects that model, forecasts and scores of a run have no NaN, except in draws that are counted
// as diverged.
void ExpectUsable(const Dataset& data, const FitOptions& options) {
  const Model model = Fit(data, options, [](const Progress& progress) {
    EXPECT_TRUE(std::isfinite(progress.bound)) << "step " << progress.step;
    return true;
  });
  EXPECT_TRUE(IsFinite(model));
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Trajectory& t = data.trajectories[n];
    const Forecast forecast = ForecastTrajectory(model, n, t.times, {.draws = 8, .threads = 1});
    EXPECT_TRUE(forecast.diverged > 0 || forecast.Mean().allFinite()) << "trajectory " << n;
    const Scores scores = Score(forecast, forecast.noise, t.values);
    for (double score : {scores.mnll, scores.mse, scores.crps, scores.coverage_90}) {
      EXPECT_FALSE(std::isnan(score)) << "trajectory " << n;
    }
  }
}

class OddData : public testing::TestWithParam<BoundKind> {
 protected:
  FitOptions options = Short(GetParam());
};
INSTANTIATE_TEST_SUITE_P(BothBounds, OddData,
                         testing::Values(BoundKind::kVanilla, BoundKind::kShooting),
                         [](const auto& kind) {
                           return kind.param == BoundKind::kVanilla ? "vanilla" : "shooting";
                         });

TEST_P(OddData, FieldsThatBlowUp) {
  ExpectUsable(OneChannel([](int i) { return 0.5 * i; }, [](int i) { return std::exp(0.5 * i); }),
               options);
  ExpectUsable(OneChannel([](int i) { return i / 40.0; }, [](int i) { return 40.0 / (40 - i); }),
               options);
  ExpectUsable(OneChannel([](int i) { return i; }, [](int i) { return i == 20 ? 1e6 : 0; }),
               options);
}

TEST_P(OddData, ConstantChannels) {
  for (double constant : {0.0, 3.0, 1e-9, 1e9}) {
    Dataset data = VanDerPolData();
    data.trajectories[0].values.col(1).setConstant(constant);
    ExpectUsable(data, options);
    data.trajectories[0].values.setConstant(constant);
    ExpectUsable(data, options);
    options.observation = Observation::kPca;
    options.states = 1;
    ExpectUsable(data, options);
    options.observation = Observation::kIdentity;
    options.states = 0;
  }
}

TEST_P(OddData, NothingSeen) {
  Dataset data = VanDerPolData();
  data.trajectories[0].values.row(0).setConstant(NAN);
  data.trajectories[0].values.row(7).setConstant(NAN);
  ExpectUsable(data, options);
  data.trajectories[0].values.col(1).setConstant(NAN);
  ExpectUsable(data, options);
  data.trajectories.push_back(data.trajectories[0]);
  data.trajectories[1].values.setConstant(NAN);
  ExpectUsable(data, options);
  data.trajectories.erase(data.trajectories.begin());
  EXPECT_EQ(MessageOf([&] { Fit(data, options); }), "Dataset: values are all missing");
}

TEST_P(OddData, FewObservations) {
  Dataset data = VanDerPolData();
  data.trajectories.push_back({"", {1.0}, Matrix::Constant(1, 2, 0.5), {}});
  ExpectUsable(data, options);
  data.trajectories.erase(data.trajectories.begin());
  ExpectUsable(data, options);
  data.trajectories[0].start_time = 0.0;
  ExpectUsable(data, options);
  ExpectUsable(VanDerPolData(2), options);
  options.inducing = 40;
  ExpectUsable(VanDerPolData(3), options);
}

TEST_P(OddData, AnyUnits) {
  options.steps = 30;
  for (double unit : {1e8, 1e-8}) {
    for (double time_unit : {1e9, 1e-9}) {
      Dataset data = VanDerPolData();
      data.trajectories[0].values *= unit;
      for (double& t : data.trajectories[0].times) t *= time_unit;
      for (bool scale : {true, false}) {
        SCOPED_TRACE(testing::Message() << unit << " " << time_unit << (scale ? "" : " unscaled"));
        options.scale = scale;
        ExpectUsable(data, options);
      }
    }
  }
  // The changes of values and times are small compared with their offsets.
  ExpectUsable(OneChannel([](int i) { return 1e9 + 1e-3 * i; },
                          [](int i) { return 1e8 + 1e-6 * std::sin(0.3 * i); }),
               options);
}

// Principal components were once rounding errors here, and states were divided by them.
TEST_P(OddData, PrincipalComponentsOfChannelsInFarUnits) {
  Dataset data = VanDerPolData();
  data.trajectories[0].values.col(0) *= 1e9;
  data.trajectories[0].values.col(1) *= 1e-9;
  options.observation = Observation::kPca;
  options.states = 2;
  ExpectUsable(data, options);
}

TEST_P(OddData, AnyNumberOfInducingPoints) {
  for (std::size_t inducing : {1, 100}) {
    options.inducing = inducing;
    options.steps = 20;
    ExpectUsable(VanDerPolData(), options);
  }
  options.jitter = 0;
  ExpectUsable(VanDerPolData(), options);
}

TEST_P(OddData, HiddenStatesOfAlmostNothing) {
  options.observation = Observation::kMatrix;
  options.observation_map.matrix = Matrix::Ones(1, 3);
  Dataset data = OneChannel([](int i) { return i; }, [](int i) { return std::sin(0.3 * i); });
  ExpectUsable(data, options);
  data.trajectories[0].times.resize(1);
  data.trajectories[0].values = Matrix::Ones(1, 1);
  ExpectUsable(data, options);
}

// The scale of hidden states was once the size of rounding errors.
TEST_P(OddData, HiddenStatesOfAConstantHaveItsSize) {
  options.observation = Observation::kMatrix;
  options.observation_map.matrix = Matrix::Ones(1, 2);
  const Dataset data = OneChannel([](int i) { return i; }, [](int) { return 0.1; });
  ExpectUsable(data, options);
  const Model model = Fit(data, options);
  EXPECT_GT(model.coordinates.state_scale.minCoeff(), 1e-3);
  EXPECT_LT(model.coordinates.state_scale.maxCoeff(), 1e3);
}

// Constant data say nothing about the field. Without scaling of time, the field was once integrated
// over billions of units of time.
TEST_P(OddData, TimeOfAConstantIsScaledByItsSpan) {
  const Dataset data = OneChannel([](int i) { return 1e9 * i; }, [](int) { return 2.0; });
  ExpectUsable(data, options);
  EXPECT_DOUBLE_EQ(Fit(data, options).coordinates.time_scale, 39e9);
}

TEST(OddData, UnitsWhoseSquaresOverflowAreRefused) {
  const FitOptions options = Short();
  const auto count = [](int i) { return static_cast<double>(i); };
  for (double unit : {1e200, 1e-200}) {
    const Dataset values = OneChannel(count, [&](int i) { return unit * std::sin(i); });
    EXPECT_EQ(MessageOf([&] { Fit(values, options); }),
              "Fit: channel 'x' has values below 1e-100 or above 1e100: choose another unit");
    const Dataset times = OneChannel([&](int i) { return unit * i; }, count);
    EXPECT_EQ(MessageOf([&] { Fit(times, options); }),
              "Fit: trajectory 1 lasts less than 1e-100 or more than 1e100: choose another unit of "
              "time");
  }
}

// The exponential of a parameter once became zero or infinite here, and the message blamed the
// user's input.
TEST(OddData, LearningRatesThatOverflowLogarithms) {
  FitOptions options = Short(BoundKind::kShooting);
  options.steps = 20;
  options.warm_up = 0;
  options.learning_rate = 1e4;
  EXPECT_TRUE(IsFinite(Fit(VanDerPolData(), options)));
}

TEST(OddData, TrainingThatCannotGoOnEndsWithAWarning) {
  FitOptions options = Short();
  options.steps = 1000;
  options.noise_variance = {1e-300};
  std::size_t last = 0;
  const Model model = Fit(VanDerPolData(), options, [&](const Progress& progress) {
    last = progress.step;
    return true;
  });
  EXPECT_TRUE(IsFinite(model));
  EXPECT_EQ(last, 199u);
  EXPECT_EQ(model.warning.substr(0, 70),
            "training ended after 200 of 1000 steps: the last 200 had no usable gra");
}

TEST(OddData, MapsAndNoiseThatDoNotFitAreNamed) {
  const auto message = [](const auto& change) {
    FitOptions options = Short();
    change(options);
    return MessageOf([&] { Fit(VanDerPolData(), options); });
  };
  EXPECT_EQ(message([](FitOptions& o) {
              o.noise_variance = {0.1, -1};
            }),
            "Fit: noise_variance is [0.1, -1], must be positive and finite");
  EXPECT_EQ(message([](FitOptions& o) {
              o.noise_variance = {1, 1, 1};
            }),
            "Fit: noise_variance has 3 values, must have 2");
  EXPECT_EQ(message([](FitOptions& o) { o.observation_map.matrix = Matrix::Ones(2, 2); }),
            "Fit: observation_map is given, but observation is the identity");
  EXPECT_EQ(message([](FitOptions& o) { o.observation = Observation::kMatrix; }),
            "Fit: observation_map is empty, but observation asks for a matrix");
  const auto with_map = [&](const Matrix& matrix, const Vector& offset, std::size_t states) {
    return message([&](FitOptions& o) {
      o.observation = Observation::kMatrix;
      o.observation_map = {matrix, offset};
      o.states = states;
    });
  };
  EXPECT_EQ(with_map(Matrix::Ones(3, 2), {}, 0),
            "Fit: observation_map.matrix's rows has 3 values, must have 2");
  EXPECT_EQ(with_map(Matrix::Ones(2, 3), {}, 2),
            "Fit: observation_map.matrix's columns has 3 values, must have 2");
  EXPECT_EQ(with_map(Matrix::Zero(2, 3), {}, 0),
            "Fit: observation_map.matrix is all zero, must not be");
  EXPECT_EQ(with_map(Matrix::Ones(2, 3), Vector::Ones(3), 0),
            "Fit: observation_map.offset has 3 values, must have 2");
}

}  // namespace
}  // namespace gpode
