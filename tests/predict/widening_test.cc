// Tests of the widening of bands: where it applies, how large it is, and that bands never become
// narrower.
#include "gpode/widening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "gpode/posterior.h"
#include "gpode/scores.h"
#include "predict/first_trajectories.h"
#include "predict/widen.h"
#include "sample/chain_statistics.h"
#include "support/message_of.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::kStart;
using testing_support::MessageOf;
using testing_support::Rotation;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

BandWidening TwoKnots() {
  return {.horizons = {2, 4}, .variance = Matrix{{6, 0}, {10, 1}}, .limits = {20, 0.5}};
}

TEST(BandWidening, IsLinearBetweenKnotsAndGrowsBeyondThemToItsLimit) {
  const BandWidening w = TwoKnots();
  EXPECT_EQ(w.Variance(0, 0), 0);
  EXPECT_EQ(w.Variance(0, 1), 3);
  EXPECT_EQ(w.Variance(0, 2), 6);
  EXPECT_EQ(w.Variance(0, 3), 8);
  EXPECT_EQ(w.Variance(0, 4), 10);
  EXPECT_EQ(w.Variance(0, 6), 15);
  EXPECT_EQ(w.Variance(0, 100), 20);
  EXPECT_EQ(w.Variance(1, 1), 0);
  EXPECT_EQ(w.Variance(1, 3), 0.5);
  EXPECT_EQ(w.Variance(1, 100), 1) << "never less than what was seen";
  EXPECT_FALSE(w.IsZero());
  EXPECT_FALSE(w.IsJudged());
  EXPECT_TRUE(BandWidening().IsZero());
  EXPECT_EQ(BandWidening().Variance(3, 7), 0);
}

TEST(BandWidening, FindsGapsOfEachChannel) {
  Dataset data{.channels = {"x", "y"}, .trajectories = {{}, {}}};
  for (Trajectory& t : data.trajectories) {
    t.times.resize(12);
    std::iota(t.times.begin(), t.times.end(), 0.0);
    t.values = Matrix::Zero(12, 2);
  }
  Trajectory& second = data.trajectories[1];
  second.values.col(1).segment(3, 4).setConstant(kNaN);  // a gap between the times 2 and 7
  second.values(9, 0) = kNaN;                            // A single missing value is not a gap.
  BandWidening w = TwoKnots();
  w.SetGaps(data);
  ASSERT_EQ(w.gap_from.size(), 1u);
  EXPECT_EQ(w.gap_trajectory[0], 1u);
  EXPECT_EQ(w.gap_channel[0], 1u);
  EXPECT_EQ(w.DistanceInGap(1, 1, 3), 1);
  EXPECT_EQ(w.DistanceInGap(1, 1, 4.5), 2.5);
  EXPECT_EQ(w.DistanceInGap(1, 1, 6.5), 0.5);
  EXPECT_EQ(w.DistanceInGap(1, 1, 2), 0);
  EXPECT_EQ(w.DistanceInGap(1, 1, 8), 0);
  EXPECT_EQ(w.DistanceInGap(1, 1, 1), 0);
  EXPECT_EQ(w.DistanceInGap(1, 0, 4.5), 0);
  EXPECT_EQ(w.DistanceInGap(0, 1, 4.5), 0);
  CheckWidening(w, 2, 2);
  EXPECT_EQ(MessageOf([&] { CheckWidening(w, 2, 1); }),
            "widening: gaps name a trajectory or channel that is not there");
}

TEST(BandWidening, ImpossibleOnesAreRefused) {
  BandWidening w = TwoKnots();
  w.variance(1, 0) = 5;
  EXPECT_EQ(MessageOf([&] { CheckWidening(w, 2, 1); }),
            "widening: variance must not be negative, nor decrease with the horizon");
  w = TwoKnots();
  w.horizons = {4, 2};
  EXPECT_EQ(MessageOf([&] { CheckWidening(w, 2, 1); }), "widening: horizons must increase");
  w = TwoKnots();
  EXPECT_EQ(MessageOf([&] { CheckWidening(w, 3, 1); }),
            "widening: variance is (2, 2), must be (2, 3)");
  w.values = {3, 4};
  w.inside = {0.5, 1.5};
  w.inside_widened = {1, 1};
  EXPECT_EQ(MessageOf([&] { CheckWidening(w, 2, 1); }), "widening: inside must be between 0 and 1");
}

TEST(WidenAboutMedian, AddsVariancesOfNormalDraws) {
  constexpr std::size_t kDraws = 1001;
  std::vector<double> draws(kDraws);
  for (std::size_t s = 0; s < kDraws; ++s) {
    draws[s] = 5 + 3 * NormalQuantile((static_cast<double>(s) + 0.5) / kDraws);
  }
  WidenAboutMedian(draws, 4);
  EXPECT_TRUE(std::is_sorted(draws.begin(), draws.end()));
  EXPECT_EQ(draws[kDraws / 2], 5);
  double squares = 0;
  for (double x : draws) squares += (x - 5) * (x - 5) / kDraws;
  EXPECT_NEAR(std::sqrt(squares), 5, 0.02);
  EXPECT_NEAR(draws[950], 5 + 5 * 1.645, 0.05);
}

TEST(WidenAboutMedian, KeepsOrderAndMedianAndNeverNarrows) {
  for (std::vector<double> draws : {std::vector<double>{1, 1, 1, 1},
                                    {0, 0, 0, 10, 1000},
                                    {-5, -1, 0, 0},
                                    {1, 2, 3, 4, 5, 6, 7},
                                    {2, 3}}) {
    const std::vector<double> before = draws;
    const auto median = [](const std::vector<double>& v) {
      return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
    };
    WidenAboutMedian(draws, 0.7);
    EXPECT_TRUE(std::is_sorted(draws.begin(), draws.end()));
    EXPECT_NEAR(median(draws), median(before), 1e-12);
    EXPECT_LT(draws.front(), before.front());
    EXPECT_GT(draws.back(), before.back());
    for (std::size_t i = 0; i < draws.size(); ++i) {
      EXPECT_GE(std::fabs(draws[i] - median(before)), std::fabs(before[i] - median(before)));
    }
  }
  std::vector<double> one = {3};
  WidenAboutMedian(one, 1);
  EXPECT_EQ(one[0], 3);
}

Forecast Skewed() {
  Forecast forecast{.times = {0}, .noise = GaussianNoise(Vector::Constant(1, 1e-4))};
  for (int s = 0; s < 100; ++s)
    forecast.draws.push_back(Matrix::Constant(1, 1, s < 94 ? 0.0 : 1.0));
  return forecast;
}

TEST(Widening, NeverNarrowsABandOfObservations) {
  const Forecast raw = Skewed();
  for (double deviation : {1e-3, 0.03, 0.1, 0.3, 1.0}) {
    Forecast wide = raw;
    wide.widening = Matrix::Constant(1, 1, deviation);
    for (double p : {0.01, 0.05, 0.25, 0.75, 0.94, 0.95, 0.99}) {
      const double before = raw.PredictiveQuantile(p)(0, 0),
                   after = wide.PredictiveQuantile(p)(0, 0);
      EXPECT_TRUE(p < 0.5 ? after <= before : after >= before) << p << " " << deviation;
      EXPECT_TRUE(p < 0.5 ? wide.Quantile(p)(0, 0) <= raw.Quantile(p)(0, 0)
                          : wide.Quantile(p)(0, 0) >= raw.Quantile(p)(0, 0));
    }
  }
}

TEST(Widening, MovesBandsAndScoresButNotTheMean) {
  Forecast raw = Skewed();
  Forecast wide = raw;
  wide.widening = Matrix::Constant(1, 1, 2.0);
  EXPECT_EQ(wide.Mean(), raw.Mean());
  EXPECT_EQ(wide.Quantile(0.5), raw.Quantile(0.5));
  const Matrix seen = Matrix::Constant(1, 1, -2.5);
  const Scores before = Score(raw, raw.noise, seen), after = Score(wide, wide.noise, seen);
  EXPECT_EQ(before.mse, after.mse);
  EXPECT_EQ(before.coverage_90, 0);
  EXPECT_EQ(after.coverage_90, 1);
  EXPECT_EQ(before.predictive_90, 0);
  EXPECT_EQ(after.predictive_90, 1);
  EXPECT_EQ(after.predictive_50, 0);
  EXPECT_LT(after.mnll, before.mnll);
  EXPECT_LT(after.crps, before.crps);
}

// Returns the rotation with a widening. Its channels a, b and c are observed from time 10 to 15.
Model WideRotation() {
  Model model = Rotation();
  model.widening.horizons = {2};
  model.widening.variance = Matrix{{400, 4, 0}};
  model.widening.gap_trajectory = {0};
  model.widening.gap_channel = {1};
  model.widening.gap_from = {12};
  model.widening.gap_to = {14};
  return model;
}

TEST(Widening, FollowsTheTimeSinceTheData) {
  const Posterior posterior(WideRotation());
  const std::vector<double> times = {9, 10, 12, 12.5, 13, 15, 16, 17, 21};
  const Forecast forecast = posterior.Trajectory(0, times, {.draws = 4, .threads = 1});
  const double a[] = {std::sqrt(200.0), 0, 0, 0, 0, 0, std::sqrt(200.0), 20, std::sqrt(1200.0)};
  const double b[] = {std::sqrt(2.0), 0, 0, 1, std::sqrt(2.0), 0, std::sqrt(2.0), 2, std::sqrt(12)};
  for (Eigen::Index i = 0; i < std::ssize(times); ++i) {
    EXPECT_NEAR(forecast.widening(i, 0), a[i], 1e-12) << i;
    EXPECT_NEAR(forecast.widening(i, 1), b[i], 1e-12) << i;
    EXPECT_EQ(forecast.widening(i, 2), 0) << i;
  }
  const Forecast other = posterior.Trajectory(1, times, {.draws = 4, .threads = 1});
  EXPECT_EQ(other.widening(4, 1), 0) << "a gap of another trajectory";
  const Forecast from =
      posterior.From({.mean = Vector{{1, -3}}}, 3, std::vector<double>{2, 3, 5}, {.draws = 4});
  EXPECT_NEAR(from.widening(0, 0), std::sqrt(200.0), 1e-12);
  EXPECT_EQ(from.widening(1, 0), 0);
  EXPECT_NEAR(from.widening(2, 0), 20, 1e-12);
}

TEST(Widening, WithoutOneThereIsNothing) {
  const Posterior posterior(Rotation());
  const Forecast forecast =
      posterior.Trajectory(0, std::vector<double>{20}, {.draws = 4, .states = true});
  EXPECT_EQ(forecast.widening.size(), 0);
  EXPECT_EQ(forecast.state_widening.size(), 0);
}

TEST(Widening, OfStatesFollowsThatOfChannels) {
  Model model = WideRotation();
  // Two channels show one state each, and the third one shows none.
  model.map.matrix << 20, 0, 0, 0.5, 0, 0;
  const Posterior posterior(model);
  const Forecast forecast =
      posterior.Trajectory(0, std::vector<double>{15, 17}, {.draws = 9, .states = true});
  ASSERT_EQ(forecast.state_widening.rows(), 2);
  EXPECT_EQ(forecast.state_widening(0, 0), 0);
  // If z is the state in the model's units, the states in the user's units are 2 z_1 and 5 z_2, and
  // the channels are 20 z_1 and 0.5 z_2, up to offsets.
  EXPECT_NEAR(forecast.state_widening(1, 0), 20.0 / 20 * 2, 1e-12);
  EXPECT_NEAR(forecast.state_widening(1, 1), 2 / 0.5 * 5, 1e-12);
  const Forecast states = forecast.OfStates();
  EXPECT_EQ(states.draws, forecast.states);
  EXPECT_EQ(states.widening, forecast.state_widening);
  const double width = states.Quantile(0.95)(1, 0) - states.Quantile(0.05)(1, 0);
  EXPECT_GT(width, 4);
}

TEST(Widening, WidensImputationsInGaps) {
  const Model wide = WideRotation();
  Model raw = wide;
  raw.widening = {};
  Trajectory seen{
      .name = "", .times = {11, 13, 15}, .values = Matrix::Constant(3, 3, kNaN), .start_time = {}};
  const Imputation before = Posterior(raw).FillGaps(0, seen),
                   after = Posterior(wide).FillGaps(0, seen);
  const auto width = [](const Imputation& i, Eigen::Index row, Eigen::Index channel) {
    return i.upper(row, channel) - i.lower(row, channel);
  };
  EXPECT_EQ(width(after, 0, 1), width(before, 0, 1));
  EXPECT_GT(width(after, 1, 1), width(before, 1, 1) + 1);
  EXPECT_EQ(width(after, 1, 0), width(before, 1, 0));
  EXPECT_EQ(width(after, 2, 1), width(before, 2, 1));
  EXPECT_NEAR(after.filled.values(1, 1), before.filled.values(1, 1), 1e-12);
}

TEST(Widening, FewerTrajectoriesHaveFewerGaps) {
  Model model = WideRotation();
  model.widening.gap_trajectory = {0, 1};
  model.widening.gap_channel = {1, 0};
  model.widening.gap_from = {12, 12};
  model.widening.gap_to = {14, 13};
  const Model fewer = FirstTrajectories(model, 1);
  EXPECT_EQ(fewer.widening.gap_trajectory, (std::vector<std::size_t>{0}));
  CheckModel(fewer);
}

}  // namespace
}  // namespace gpode
