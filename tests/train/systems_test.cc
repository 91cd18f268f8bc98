// Tests that small systems are learnt with the default options, except for fewer steps. Forecasts
// and imputations are compared with the truth by mean squared errors, as shares of each channel's
// variance.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/forecast.h"
#include "gpode/simulate.h"
#include "gpode/training.h"
#include "support/noise.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using testing_support::WithNoise;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// With sanitisers, runs are slow, so that they take only a few steps and no accuracy is required.
constexpr bool kSanitised = true;
#else
constexpr bool kSanitised = false;
#endif

FitOptions Fewer(std::size_t steps) {
  FitOptions options;
  options.steps = kSanitised ? 20 : steps;
  options.threads = 1;
  options.precision = FeaturePrecision::kFloat;
  return options;
}

void ExpectError(double error, double most) {
  EXPECT_TRUE(std::isfinite(error));
  if (!kSanitised) {
    EXPECT_LT(error, most);
  }
}

// Returns the mean squared error of a forecast as a share of the variance of `reference`, averaged
// over channels.
double Error(const Forecast& forecast, const Matrix& truth, const Matrix& reference) {
  EXPECT_EQ(forecast.diverged, 0u);
  const Matrix centred = reference.rowwise() - reference.colwise().mean();
  const Eigen::RowVectorXd variance =
      centred.colwise().squaredNorm() / static_cast<double>(reference.rows());
  const Eigen::RowVectorXd squares =
      (forecast.Mean() - truth).colwise().squaredNorm() / static_cast<double>(truth.rows());
  return squares.cwiseQuotient(variance).mean();
}

Forecast Predict(const Model& model, std::size_t trajectory, const std::vector<double>& times) {
  return ForecastTrajectory(model, trajectory, times, {.draws = 32, .threads = 1});
}

struct Problem {
  std::string system;
  std::vector<double> start;
  double span;     // the length of time of the training data
  double horizon;  // the length of time of the forecast after them
  std::size_t points = 50;
  double noise = 0.05;  // the noise as a share of each channel's spread
  std::uint64_t seed = 101;
};

Dataset DataOf(const Problem& p, const Matrix& states, const std::vector<double>& times) {
  return {.channels = std::vector<std::string>(p.start.size(), "c"),
          .trajectories = {{"", times, WithNoise(states, p.noise, p.seed), {}}}};
}

double ForecastError(const Problem& p, const FitOptions& options) {
  const std::vector<double> times = RegularTimes(0, p.span, p.points);
  const std::vector<double> later = RegularTimes(p.span, p.span + p.horizon, 15);
  const Matrix states = SolveSystem(p.system, p.start, times);
  const Model model = Fit(DataOf(p, states, times), options);
  EXPECT_EQ(model.warning, "");
  return Error(Predict(model, 0, later), SolveSystem(p.system, p.start, later), states);
}

TEST(Learns, VanDerPol) {
  ExpectError(ForecastError({"vdp", {-1.5, 2.5}, 7, 3.5}, Fewer(2000)), 0.1);
}

TEST(Learns, VanDerPolByShooting) {
  FitOptions options = Fewer(2000);
  options.bound = BoundKind::kShooting;
  ExpectError(ForecastError({"vdp", {-1.5, 2.5}, 7, 3.5}, options), 0.5);
}

TEST(Learns, LotkaVolterra) {
  ExpectError(ForecastError({"lotka-volterra", {1.0, 1.0}, 10, 5}, Fewer(2000)), 0.1);
}

TEST(Learns, Pendulum) {
  ExpectError(ForecastError({"pendulum", {1.5, 0.0}, 10, 5}, Fewer(2000)), 0.1);
}

TEST(Learns, LorenzOnAShortWindow) {
  const Problem p{"lorenz63", {-7.0, -7.5, 24.0}, 2, 0.4, 80, 0.02};
  ExpectError(ForecastError(p, Fewer(1500)), 0.15);
}

// Returns the states of a growing spiral. At the end of the forecast, it is more than three times
// as far from the origin as any observed state.
Matrix GrowingSpiral(const std::vector<double>& times) {
  Matrix states(times.size(), 2);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double size = std::exp(0.15 * times[i]);
    states.row(static_cast<Eigen::Index>(i)) << size * std::cos(times[i]),
        -size * std::sin(times[i]);
  }
  return states;
}

TEST(Learns, AKernelWithALinearPartExtrapolates) {
  const std::vector<double> times = RegularTimes(0, 6, 40), later = RegularTimes(6, 14, 30);
  const Matrix states = GrowingSpiral(times), truth = GrowingSpiral(later);
  const Dataset data{.channels = {"x", "y"},
                     .trajectories = {{"", times, WithNoise(states, 0.05, 4), {}}}};
  const auto error = [&](const std::string& kernel) {
    FitOptions options = Fewer(10000);
    options.kernel = kernel;
    options.learning_rate = 0.02;
    return Error(Predict(Fit(data, options), 0, later), truth, truth);
  };
  const double without = error("se"), with = error("se + linear");
  ExpectError(with, 0.02);
  ExpectError(with, without / 20);
}

TEST(Learns, WithoutScaling) {
  FitOptions options = Fewer(2000);
  options.scale = false;
  ExpectError(ForecastError({"vdp", {-1.5, 2.5}, 7, 3.5}, options), 0.2);
}

TEST(Learns, WithGivenNoise) {
  FitOptions options = Fewer(2000);
  options.noise_variance = {0.01};
  ExpectError(ForecastError({"vdp", {-1.5, 2.5}, 7, 3.5}, options), 0.1);
}

TEST(Learns, SeveralTrajectoriesOfDifferentLength) {
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  const std::vector<std::vector<double>> starts = {
      {-1.5, 2.5}, {0.3, 0.0}, {2.0, -2.0}, {1.0, 1.0}};
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const double span = 2.0 + static_cast<double>(n);
    const std::vector<double> times = RegularTimes(0, span, 8 + 6 * n);
    Trajectory t{"", times, WithNoise(SolveSystem("vdp", starts[n], times), 0.05, 110 + n), {}};
    for (double& time : t.times) time += 100.0 * static_cast<double>(n);
    data.trajectories.push_back(t);
  }
  const Model model = Fit(data, Fewer(1500));
  // This forecast starts from a state that is not in the training data.
  const std::vector<double> times = RegularTimes(0, 5, 20);
  const Matrix truth = SolveSystem("vdp", std::vector<double>{-2.0, 0.5}, times);
  const Forecast unseen =
      ForecastFrom(model, std::vector<double>{-2.0, 0.5}, 0.0, times, {.draws = 32, .threads = 1});
  ExpectError(Error(unseen, truth, truth), 0.1);
  const std::vector<double> own = data.trajectories[3].times;
  const Matrix states = SolveSystem("vdp", starts[3], RegularTimes(0, 5, 26));
  ExpectError(Error(Predict(model, 3, own), states, states), 0.05);
}

TEST(Learns, WithAQuarterOfValuesMissing) {
  const Problem p{"lotka-volterra", {1.0, 1.0}, 10, 5, 60};
  const std::vector<double> times = RegularTimes(0, p.span, p.points),
                            later = RegularTimes(10, 15, 15);
  const Matrix states = SolveSystem(p.system, p.start, times);
  Dataset data = DataOf(p, states, times);
  Numbers numbers(120);
  Matrix& values = data.trajectories[0].values;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (numbers.Uniform(0, 1) < 0.25) values.data()[i] = NAN;
  }
  const Model model = Fit(data, Fewer(2000));
  ExpectError(Error(Predict(model, 0, times), states, states), 0.03);
  ExpectError(Error(Predict(model, 0, later), SolveSystem(p.system, p.start, later), states), 0.1);
}

// Returns the error of a forecast if only the first of two states is observed.
double HiddenStateError(const Problem& p) {
  const std::vector<double> times = RegularTimes(0, p.span, p.points);
  const std::vector<double> later = RegularTimes(p.span, p.span + p.horizon, 15);
  const Matrix states = SolveSystem(p.system, p.start, times).col(0);
  FitOptions options = Fewer(2500);
  options.observation = Observation::kMatrix;
  options.observation_map.matrix = Matrix::Identity(1, 2);
  const Dataset data{.channels = {"angle"},
                     .trajectories = {{"", times, WithNoise(states, p.noise, p.seed), {}}}};
  const Model model = Fit(data, options);
  EXPECT_EQ(model.dim(), 2u);
  return Error(Predict(model, 0, later), SolveSystem(p.system, p.start, later).col(0), states);
}

TEST(Learns, PendulumFromItsAngleAlone) {
  ExpectError(HiddenStateError({"pendulum", {1.5, 0.0}, 10, 5, 50, 0.02}), 0.1);
}

TEST(Learns, VanDerPolFromOneStateAlone) {
  ExpectError(HiddenStateError({"vdp", {-1.5, 2.5}, 12, 6, 60, 0.02}), 0.1);
}

// As in the paper, the initial state is one gap before the first observation.
TEST(Learns, TheStateBeforeTheFirstObservation) {
  std::vector<double> times = RegularTimes(0, 7, 51);
  times.erase(times.begin());
  const Matrix states = SolveSystem("vdp", std::vector<double>{-1.5, 2.5}, times);
  Dataset data{.channels = {"x", "y"},
               .trajectories = {{"", times, WithNoise(states, 0.05, 130), 0.0}}};
  for (double& time : data.trajectories[0].times) time += 5;
  data.trajectories[0].start_time = 5.0;
  const Model model = Fit(data, Fewer(2000));
  const Matrix x0 = Matrix::Map(std::vector<double>{-1.5, 2.5}.data(), 1, 2);
  ExpectError(Error(Predict(model, 0, {5.0}), x0, states), 0.05);
}

}  // namespace
}  // namespace gpode
