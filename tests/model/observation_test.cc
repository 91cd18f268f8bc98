#include "gpode/observation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <vector>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "gpode/likelihood.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

constexpr double kGradientTolerance = 1e-8;

using Values = std::vector<double>;

// An observation of two states by three channels.
struct Seen {
  ObservationMap map;
  Values noise{0.3, 0.05, 1.7}, y{0.4, -1.2, 2.5}, x{0.7, -0.9};

  Seen() {
    testing_support::Numbers numbers(8);
    map = {numbers.Normals(3, 2), numbers.Normals(3, 1)};
  }

  // Returns log N(y_c | C_c x + b_c, noise_c).
  double LogDensity(Eigen::Index c) const {
    const double predicted = map.matrix(c, 0) * x[0] + map.matrix(c, 1) * x[1] + map.offset[c];
    return std::log(std::exp(-std::pow(y[c] - predicted, 2) / (2 * noise[c])) /
                    std::sqrt(2 * std::numbers::pi * noise[c]));
  }
};

// Returns the log likelihood of a row as bounds compute it, and adds its gradient to bx and bnoise.
double LogLikelihoodPullback(const ObservationMap& map, std::span<const double> noise,
                             std::span<const double> y, std::span<const double> x,
                             std::span<double> bx, std::span<double> bnoise,
                             std::span<const double> weights = {}) {
  Values channels(y.size()), bchannels(y.size(), 0.0);
  map.ApplyTo(x, channels);
  const double value =
      GetLikelihood("gaussian").RowReverse(y, channels, noise, weights, bchannels, bnoise);
  map.AddReverse(bchannels, bx);
  return value;
}

double LogLikelihood(const ObservationMap& map, std::span<const double> noise,
                     std::span<const double> y, std::span<const double> x,
                     std::span<const double> weights = {}) {
  Values bx(x.size()), bnoise(y.size());
  return LogLikelihoodPullback(map, noise, y, x, bx, bnoise, weights);
}

TEST(Observation, LogLikelihoodSumsTheChannels) {
  const Seen s;
  EXPECT_NEAR(LogLikelihood(s.map, s.noise, s.y, s.x),
              s.LogDensity(0) + s.LogDensity(1) + s.LogDensity(2), 1e-11);
}

TEST(Observation, MissingChannelsAreLeftOut) {
  Seen s;
  const double expected = s.LogDensity(0) + s.LogDensity(2);
  s.y[1] = NAN;
  EXPECT_NEAR(LogLikelihood(s.map, s.noise, s.y, s.x), expected, 1e-11);
  s.y.assign(3, NAN);
  EXPECT_EQ(LogLikelihood(s.map, s.noise, s.y, s.x), 0.0);
}

TEST(Observation, PullbackIsTheGradient) {
  for (bool missing : {false, true}) {
    Seen s;
    if (missing) s.y[1] = NAN;
    Values bx(2, 0.0), bnoise(3, 0.0);
    const double value = LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx, bnoise);
    EXPECT_EQ(value, LogLikelihood(s.map, s.noise, s.y, s.x));
    const GradientCheck states = CheckGradient(
        [&](std::span<const double> x) { return LogLikelihood(s.map, s.noise, s.y, x); }, s.x, bx);
    EXPECT_TRUE(states.ok(kGradientTolerance)) << states.message;
    const GradientCheck noise =
        CheckGradient([&](std::span<const double> n) { return LogLikelihood(s.map, n, s.y, s.x); },
                      s.noise, bnoise, {.initial_step = 0.01});
    EXPECT_TRUE(noise.ok(kGradientTolerance)) << noise.message;
    EXPECT_EQ(bnoise[1] == 0.0, missing);
  }
}

// Values and gradients are sums over channels, and a weight says how often a channel counts.
TEST(Observation, WeightsScaleTheChannels) {
  const Seen s;
  const Values weights = {0.5, 0.0, 2.0};
  EXPECT_NEAR(LogLikelihood(s.map, s.noise, s.y, s.x, weights),
              0.5 * s.LogDensity(0) + 2 * s.LogDensity(2), 1e-11);
  EXPECT_EQ(LogLikelihood(s.map, s.noise, s.y, s.x, Values(3, 1.0)),
            LogLikelihood(s.map, s.noise, s.y, s.x));
  Values bx(2, 0.0), bnoise(3, 0.0), bx_weighted(2, 0.0), bnoise_weighted(3, 0.0);
  LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx, bnoise);
  LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx_weighted, bnoise_weighted, weights);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_DOUBLE_EQ(bnoise_weighted[c], weights[c] * bnoise[c]);
  Values bx_all(2, 0.0);
  LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx_all, bnoise, Values(3, 0.25));
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(bx_all[k], 0.25 * bx[k], 1e-12);
}

TEST(Observation, PullbackIsTheGradientWithWeights) {
  for (bool missing : {false, true}) {
    Seen s;
    if (missing) s.y[1] = NAN;
    const Values weights = {0.3, 0.8, 1.6};
    Values bx(2, 0.0), bnoise(3, 0.0);
    const double value = LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx, bnoise, weights);
    EXPECT_EQ(value, LogLikelihood(s.map, s.noise, s.y, s.x, weights));
    const GradientCheck states = CheckGradient(
        [&](std::span<const double> x) { return LogLikelihood(s.map, s.noise, s.y, x, weights); },
        s.x, bx);
    EXPECT_TRUE(states.ok(kGradientTolerance)) << states.message;
    const GradientCheck noise = CheckGradient(
        [&](std::span<const double> n) { return LogLikelihood(s.map, n, s.y, s.x, weights); },
        s.noise, bnoise, {.initial_step = 0.01});
    EXPECT_TRUE(noise.ok(kGradientTolerance)) << noise.message;
    EXPECT_EQ(bnoise[1] == 0.0, missing);
  }
}

TEST(Observation, PullbackAdds) {
  const Seen s;
  Values bx(2, 0.0), bnoise(3, 0.0), bx_added(2, 3.5), bnoise_added(3, 3.5);
  LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx, bnoise);
  LogLikelihoodPullback(s.map, s.noise, s.y, s.x, bx_added, bnoise_added);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(bx_added[k], bx[k] + 3.5, 1e-12);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(bnoise_added[c], bnoise[c] + 3.5, 1e-11);
}

TEST(Observation, ApplyMapsEveryRow) {
  const Seen s;
  Matrix states(2, 2);
  states << 0.7, -0.9, 2.0, 3.0;
  const Matrix seen = s.map.Apply(states);
  ASSERT_EQ(seen.rows(), 2);
  ASSERT_EQ(seen.cols(), 3);
  for (Eigen::Index i = 0; i < 2; ++i) {
    for (Eigen::Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(
          seen(i, c),
          s.map.matrix(c, 0) * states(i, 0) + s.map.matrix(c, 1) * states(i, 1) + s.map.offset[c],
          1e-14);
    }
  }
}

TEST(Observation, IdentityShowsTheStates) {
  const ObservationMap map = ObservationMap::Identity(3);
  EXPECT_EQ(map.channels(), 3u);
  EXPECT_EQ(map.dim(), 3u);
  Matrix states(2, 3);
  states << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(map.Apply(states), states);
}

TEST(ObservationMap, StatesOfUndoesApplyFromTheChannelsThatWereSeen) {
  const ObservationMap map{(Matrix(3, 2) << 1, 2, -1, 0.5, 0, 3).finished(),
                           (Vector(3) << 1, -2, 0.5).finished()};
  const Matrix states = (Matrix(3, 2) << 0.3, -1, 2, 0.7, -0.4, 0.1).finished();
  Matrix values = map.Apply(states);
  values(1, 0) = NAN;                 // The two channels left are enough for two states.
  values(2, 0) = values(2, 1) = NAN;  // The one channel left is not enough.
  const Matrix found = map.StatesOf(values);
  EXPECT_LT((found.topRows(2) - states.topRows(2)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(std::isnan(found(2, 0)) && std::isnan(found(2, 1)));
}

TEST(ObservationMap, StatesThatNoChannelShowsAreMissing) {
  const ObservationMap map{(Matrix(3, 2) << 1, 2, 2, 4, -1, -2).finished(), Vector::Zero(3)};
  EXPECT_TRUE(map.StatesOf(Matrix::Ones(1, 3)).array().isNaN().all());
}

// Entries far smaller than the largest one were once taken for zero, which led to a division by
// zero.
TEST(ObservationMap, SmallEntriesAreEntries) {
  const ObservationMap map{(Matrix(2, 2) << 1e8, 1e-8, 1e-8, 1).finished(), Vector::Zero(2)};
  EXPECT_FALSE(map.IsDiagonal());
  const ObservationMap zero{(Matrix(2, 2) << 1e8, 0, 0, 0).finished(), Vector::Zero(2)};
  EXPECT_FALSE(zero.IsDiagonal());
  EXPECT_TRUE(zero.StatesOf(Matrix::Ones(1, 2)).array().isNaN().all());
  EXPECT_TRUE(ObservationMap::Identity(3).IsDiagonal());
}

TEST(GuessStates, IsTheConditionalMean) {
  const Seen s;
  const Vector noise = Eigen::Map<const Vector>(s.noise.data(), 3);
  Matrix values(2, 3);
  values << s.y[0], NAN, s.y[2], NAN, NAN, NAN;
  const StateGuess guess = GuessStates(s.map, noise, values);
  const std::vector<Eigen::Index> seen = {0, 2};
  const Matrix a = s.map.matrix(seen, Eigen::all);
  const Matrix covariance = a * a.transpose() + Matrix(noise(seen).asDiagonal());
  const Matrix gain = a.transpose() * covariance.inverse();
  const Vector y = values.row(0).transpose()(seen) - s.map.offset(seen);
  EXPECT_LT((guess.mean.row(0).transpose() - gain * y).norm(), 1e-12);
  const Vector variance = (Matrix::Identity(2, 2) - gain * a).diagonal();
  EXPECT_LT((guess.variance.row(0).transpose() - variance).norm(), 1e-12);
  EXPECT_TRUE(guess.mean.row(1).isZero(0)) << "nothing seen: the prior";
  EXPECT_TRUE(guess.variance.row(1).isOnes(1e-15));
}

// Returns four channels that are mixtures of two independent curves.
Dataset TwoCurves() {
  Dataset data{.channels = {"a", "b", "c", "d"}, .trajectories = {{}}};
  Trajectory& t = data.trajectories[0];
  t.values.resize(300, 4);
  for (Eigen::Index i = 0; i < 300; ++i) {
    const double at = 0.1 * static_cast<double>(i), p = std::sin(at), q = std::cos(1.7 * at);
    t.times.push_back(at);
    t.values.row(i) << 5 + p, 2 * p - q, q, p + q;
  }
  return data;
}

TEST(PrincipalComponents, ScoresHaveUnitVariance) {
  const Dataset data = TwoCurves();
  const ObservationMap map = PrincipalComponents(data, 2);
  const Matrix scores = map.StatesOf(data.trajectories[0].values);
  EXPECT_LT((map.Apply(scores) - data.trajectories[0].values).cwiseAbs().maxCoeff(), 1e-9);
  const Matrix covariance = scores.transpose() * scores / 300;
  EXPECT_LT((covariance - Matrix::Identity(2, 2)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT(map.matrix.col(0).norm(), map.matrix.col(1).norm());
}

TEST(PrincipalComponents, MissingValuesDoNotShrinkThem) {
  Dataset data = TwoCurves();
  const ObservationMap whole = PrincipalComponents(data, 2);
  Matrix& values = data.trajectories[0].values;
  for (Eigen::Index i = 0; i < values.size(); i += 3 + i % 5) values.data()[i] = NAN;
  ASSERT_GT(values.array().isNaN().count(), 200);
  const ObservationMap map = PrincipalComponents(data, 2);
  EXPECT_LT((map.matrix * map.matrix.transpose() - whole.matrix * whole.matrix.transpose()).norm(),
            0.05 * (whole.matrix * whole.matrix.transpose()).norm());
  EXPECT_LT((map.offset - whole.offset).norm(), 0.05);
}

TEST(PrincipalComponents, ImpossibleNumbersAreNamed) {
  EXPECT_THROW(PrincipalComponents(TwoCurves(), 0), InputError);
  EXPECT_THROW(PrincipalComponents(TwoCurves(), 5), InputError);
}

}  // namespace
}  // namespace gpode
