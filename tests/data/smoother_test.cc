#include "data/smoother.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Values = std::vector<double>;

struct Data {
  Values times, values;
  Series series() const { return {times, values}; }
};

constexpr double kNoise = 0.1;  // the standard deviation of the noise

// Returns noisy observations of scale * sin(t) at irregular times in [0, 20], with a gap from 8 to
// 10 and every seventh value missing.
Data NoisySine(double scale = 1) {
  Numbers numbers(3);
  Data data;
  for (double t = 0; t < 20; t += numbers.Uniform(0.05, 0.25)) {
    if (t > 8 && t < 10) continue;
    data.times.push_back(t);
    const double y = scale * (std::sin(t) + kNoise * numbers.Normal());
    data.values.push_back(data.times.size() % 7 == 0 ? NAN : y);
  }
  return data;
}

double Rms(const Values& errors) {
  double sum = 0;
  for (double e : errors) sum += e * e;
  return std::sqrt(sum / static_cast<double>(errors.size()));
}

// Root mean square errors of values and slopes against those of the exact sine, divided by the
// scale.
struct Errors {
  double value, slope;
};

Errors ErrorsOf(const Smoothed& smoothed, const Values& at, double scale = 1) {
  Values value, slope;
  for (std::size_t i = 0; i < at.size(); ++i) {
    value.push_back(smoothed.value[i] / scale - std::sin(at[i]));
    slope.push_back(smoothed.slope[i] / scale - std::cos(at[i]));
  }
  return {Rms(value), Rms(slope)};
}

void ExpectFinite(const Smoothed& smoothed) {
  for (double v : smoothed.value) EXPECT_TRUE(std::isfinite(v));
  for (double v : smoothed.slope) EXPECT_TRUE(std::isfinite(v));
}

double Matern52(const SmootherParameters& p, double t) {
  const double r = std::sqrt(5.0) * std::fabs(t) / p.lengthscale;
  return p.variance * (1 + r + r * r / 3) * std::exp(-r);
}

double Matern52Slope(const SmootherParameters& p, double t) {
  const double rate = std::sqrt(5.0) / p.lengthscale, r = rate * std::fabs(t);
  return -p.variance * rate * rate * t / 3 * (1 + r) * std::exp(-r);
}

double Matern52Acceleration(const SmootherParameters& p, double t) {
  const double rate = std::sqrt(5.0) / p.lengthscale, r = rate * std::fabs(t);
  return -p.variance * rate * rate / 3 * (1 + r - r * r) * std::exp(-r);
}

// Computes the regression of the smoother with dense matrices.
Smoothed DenseRegression(const SmootherParameters& p, const Data& data, const Values& at) {
  Values t, y;
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    if (std::isnan(data.values[i])) continue;
    t.push_back(data.times[i]);
    y.push_back(data.values[i] - p.mean);
  }
  const auto n = static_cast<Eigen::Index>(t.size());
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) k(i, j) = Matern52(p, t[i] - t[j]);
    k(i, i) += p.noise_variance;
  }
  const Eigen::VectorXd weights = k.llt().solve(Eigen::Map<Eigen::VectorXd>(y.data(), n));
  Smoothed result;
  for (double s : at) {
    double value = p.mean, slope = 0, acceleration = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      value += weights[i] * Matern52(p, s - t[i]);
      slope += weights[i] * Matern52Slope(p, s - t[i]);
      acceleration += weights[i] * Matern52Acceleration(p, s - t[i]);
    }
    result.value.push_back(value);
    result.slope.push_back(slope);
    result.acceleration.push_back(acceleration);
  }
  return result;
}

void ExpectDense(const SmootherParameters& p, const Data& data, const Values& at,
                 double tolerance) {
  const Smoothed actual = Smooth(p, data.series(), at);
  const Smoothed dense = DenseRegression(p, data, at);
  const double sd = std::sqrt(p.variance);
  ASSERT_EQ(actual.value.size(), at.size());
  ASSERT_EQ(actual.slope.size(), at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(actual.value[i], dense.value[i], tolerance * sd) << "at " << at[i];
    EXPECT_NEAR(actual.slope[i], dense.slope[i], tolerance * sd / p.lengthscale) << "at " << at[i];
    EXPECT_NEAR(actual.acceleration[i], dense.acceleration[i],
                5 * tolerance * sd / (p.lengthscale * p.lengthscale))
        << "at " << at[i];
  }
}

TEST(Smoother, NoisyIrregularSine) {
  const Data data = NoisySine();
  const Series series = data.series();
  const SmootherParameters p = FitSmoother({&series, 1});
  EXPECT_GT(p.noise_variance, kNoise * kNoise / 2);
  EXPECT_LT(p.noise_variance, kNoise * kNoise * 2);
  EXPECT_GT(p.lengthscale, 0.7);
  EXPECT_LT(p.lengthscale, 7.0);
  const Errors errors = ErrorsOf(Smooth(p, series, data.times), data.times);
  EXPECT_LT(errors.value, 0.5 * kNoise);
  EXPECT_LT(errors.slope, 0.15);
}

TEST(Smoother, ParametersOfAMaternProcessAreFound) {
  const SmootherParameters truth{
      .mean = 5, .variance = 4, .lengthscale = 1.5, .noise_variance = 0.09};
  Numbers numbers(11);
  std::vector<Data> all(6);
  std::vector<Series> series;
  for (Data& data : all) {
    for (double t = 0; t < 15; t += numbers.Uniform(0.1, 0.4)) data.times.push_back(t);
    const auto n = static_cast<Eigen::Index>(data.times.size());
    Eigen::MatrixXd k(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) k(i, j) = Matern52(truth, data.times[i] - data.times[j]);
      k(i, i) += truth.noise_variance;
    }
    const Eigen::VectorXd y = k.llt().matrixL() * numbers.Normals(n, 1).col(0);
    for (double v : y) data.values.push_back(truth.mean + v);
    series.push_back(data.series());
  }
  const SmootherParameters p = FitSmoother(series);
  EXPECT_NEAR(p.mean, truth.mean, 1.0);
  EXPECT_NEAR(std::log(p.lengthscale / truth.lengthscale), 0, std::log(1.5));
  EXPECT_NEAR(std::log(p.noise_variance / truth.noise_variance), 0, std::log(1.6));
  EXPECT_NEAR(std::log(p.variance / truth.variance), 0, std::log(2.0));
}

// Some observations are only 0.005 apart. Their difference quotients have errors of about
// kNoise / 0.005 = 20; the smoother's slopes must be far better.
TEST(Smoother, SlopesSurviveTinyGaps) {
  Numbers numbers(4);
  Data data;
  for (double t = 0; t < 12; t += 0.3) {
    for (double offset : {0.0, 0.005, 0.01}) {
      data.times.push_back(t + offset);
      data.values.push_back(std::sin(t + offset) + kNoise * numbers.Normal());
    }
  }
  const Series series = data.series();
  const SmootherParameters p = FitSmoother({&series, 1});
  EXPECT_LT(ErrorsOf(Smooth(p, series, data.times), data.times).slope, 0.2);
  ExpectDense(p, data, data.times, 1e-6);
}

TEST(Smoother, IsDenseGpRegression) {
  const Data data = NoisySine();
  Values at = data.times;
  for (double t : {-3.0, -0.001, 0.5, 8.7, 9.3, 20.1, 26.0}) at.push_back(t);
  std::sort(at.begin(), at.end());
  for (double lengthscale : {0.2, 1.5, 30.0}) {
    for (double noise : {1e-5, 0.01, 2.0}) {
      SCOPED_TRACE(testing::Message() << "lengthscale " << lengthscale << ", noise " << noise);
      const SmootherParameters p{
          .mean = 0.3, .variance = 1.2, .lengthscale = lengthscale, .noise_variance = noise};
      ExpectDense(p, data, at, 1e-6);
    }
  }
}

TEST(Smoother, OtherTimesBeforeBetweenAndAfter) {
  const Data data = NoisySine();
  const SmootherParameters p{.mean = 0.3, .variance = 1, .lengthscale = 2, .noise_variance = 0.01};
  ExpectDense(p, data, {-1.0, 0.31, 9.0, 21.0}, 1e-6);
  ExpectDense(p, data, {-5.0, -1.0}, 1e-6);
  ExpectDense(p, data, {25.0}, 1e-6);
  // Far from all observations the result is the mean.
  const Smoothed far = Smooth(p, data.series(), Values{-500.0, 500.0});
  for (double v : far.value) EXPECT_NEAR(v, p.mean, 1e-12);
  for (double v : far.slope) EXPECT_NEAR(v, 0, 1e-12);
}

TEST(Smoother, UnitsDoNotMatter) {
  for (double scale : {1e8, 1e-8}) {
    SCOPED_TRACE(scale);
    const Data unit = NoisySine(), data = NoisySine(scale);
    const Series unit_series = unit.series(), series = data.series();
    const SmootherParameters expected = FitSmoother({&unit_series, 1});
    const SmootherParameters p = FitSmoother({&series, 1});
    EXPECT_NEAR(p.mean / scale, expected.mean, 1e-12);
    EXPECT_DOUBLE_EQ(p.lengthscale, expected.lengthscale);
    EXPECT_NEAR(p.noise_variance / (scale * scale) / expected.noise_variance, 1, 1e-9);
    const Errors errors = ErrorsOf(Smooth(p, series, data.times), data.times, scale);
    EXPECT_LT(errors.value, 0.5 * kNoise);
    EXPECT_LT(errors.slope, 0.15);
  }
}

TEST(Smoother, OneObservation) {
  const Data data{{2.0}, {7.0}};
  const Series series = data.series();
  const SmootherParameters p = FitSmoother({&series, 1});
  const Smoothed smoothed = Smooth(p, series, Values{1.0, 2.0, 3.0});
  for (double v : smoothed.value) EXPECT_DOUBLE_EQ(v, 7.0);
  for (double v : smoothed.slope) EXPECT_EQ(v, 0.0);
}

TEST(Smoother, ConstantSeries) {
  Data data;
  for (int i = 0; i < 20; ++i) {
    data.times.push_back(0.1 * i);
    data.values.push_back(0.1);
  }
  const Series series = data.series();
  const SmootherParameters p = FitSmoother({&series, 1});
  const Smoothed smoothed = Smooth(p, series, data.times);
  for (double v : smoothed.value) EXPECT_NEAR(v, 0.1, 1e-14);
  for (double v : smoothed.slope) EXPECT_NEAR(v, 0.0, 1e-12);
}

TEST(Smoother, NothingObserved) {
  const Data data{{0.0, 1.0, 2.0}, {NAN, NAN, NAN}};
  const Series series = data.series();
  const SmootherParameters p = FitSmoother({&series, 1});
  const Smoothed smoothed = Smooth(p, series, data.times);
  ASSERT_EQ(smoothed.value.size(), 3u);
  ExpectFinite(smoothed);
  EXPECT_EQ(smoothed.slope, Values(3, 0.0));
}

TEST(Smoother, AnEmptySeriesBesideOthersIsPassedOver) {
  const Data sine = NoisySine(), empty{{0.0, 1.0}, {NAN, NAN}};
  const Series one[] = {sine.series()}, both[] = {empty.series(), sine.series()};
  EXPECT_DOUBLE_EQ(FitSmoother(both).mean, FitSmoother(one).mean);
  EXPECT_GT(FitSmoother(both).noise_variance, kNoise * kNoise / 2);
  EXPECT_LT(FitSmoother(both).noise_variance, kNoise * kNoise * 2);
}

}  // namespace
}  // namespace gpode
