#include "start/initialise.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <span>

#include "gpode/gp.h"
#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;

const FitOptions kOptions = [] {
  FitOptions options;
  options.inducing = 20;
  return options;
}();

// Returns two noisy trajectories of Van der Pol's oscillator in the given units of state and time.
Dataset NoisyVanDerPol(double unit = 1, double time_unit = 1) {
  Numbers numbers(41);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  for (const std::vector<double>& x0 : {std::vector<double>{-1.5, 2.5}, {0.5, 0.5}}) {
    Trajectory t;
    for (double time = 0; time < 10; time += numbers.Uniform(0.05, 0.2)) t.times.push_back(time);
    const auto n = static_cast<Eigen::Index>(t.times.size());
    t.values.resize(n, 2);
    Solver({.rtol = 1e-8, .atol = 1e-8})
        .Solve(VanDerPol(0.5), x0, 0, t.times,
               {t.values.data(), static_cast<std::size_t>(t.values.size())});
    t.values = unit * (t.values + numbers.Normals(n, 2, 0.05));
    for (double& time : t.times) time *= time_unit;
    data.trajectories.push_back(t);
  }
  return data;
}

// Returns the process that training starts from. FunctionStart has its hyperparameters, one after
// the other, and its whitened inducing values.
GpParameters ProcessOf(const Start& s) {
  const auto dim = static_cast<Eigen::Index>(s.map.dim());
  const Eigen::Index inducing = std::ssize(s.function.latent) / dim;
  const Eigen::Index rows = (std::ssize(s.function.hyperparameters) - inducing * dim) / (dim + 1);
  EXPECT_EQ(std::ssize(s.function.latent), dim * inducing);
  EXPECT_EQ(std::ssize(s.function.hyperparameters), inducing * dim + rows * (dim + 1));
  const double* const locations = s.function.hyperparameters.data();
  const double* const lengthscales = locations + inducing * dim;
  using Values = Eigen::Map<const Matrix>;
  return {.inducing_locations = Values(locations, inducing, dim),
          .inducing_mean = Values(s.function.latent.data(), dim, inducing),
          .inducing_chol = std::vector<Matrix>(static_cast<std::size_t>(dim),
                                               0.05 * Matrix::Identity(inducing, inducing)),
          .lengthscales = Values(lengthscales, rows, dim),
          .variances = Eigen::Map<const Vector>(lengthscales + rows * dim, rows)};
}

void ExpectFinite(const Start& s) {
  EXPECT_TRUE(s.map.matrix.allFinite());
  EXPECT_TRUE(s.map.offset.allFinite());
  EXPECT_TRUE(std::isfinite(s.coordinates.time_scale));
  EXPECT_GT(s.coordinates.time_scale, 0);
  for (const Matrix& states : s.states) EXPECT_TRUE(states.allFinite());
  EXPECT_TRUE(s.x0.allFinite());
  const GpParameters process = ProcessOf(s);
  EXPECT_TRUE(process.inducing_locations.allFinite());
  EXPECT_TRUE(process.inducing_mean.allFinite());
  EXPECT_TRUE(s.noise_variance.allFinite());
  EXPECT_GT(s.noise_variance.minCoeff(), 0);
  SparseGp gp(GetKernel("squared-exponential"));
  EXPECT_EQ(gp.Set(process), FactorStatus::kOk);
}

TEST(Initialise, ShapesAndUnitScale) {
  const Dataset data = NoisyVanDerPol();
  const Start s = Initialise(data, kOptions);
  ExpectFinite(s);
  ASSERT_EQ(s.states.size(), 2u);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(s.states[n].rows(), data.trajectories[n].values.rows());
    // Back in the user's units, smoothed states are near the data.
    const Matrix error = s.map.Apply(s.states[n]) - data.trajectories[n].values;
    EXPECT_LT(std::sqrt(error.squaredNorm() / static_cast<double>(error.size())), 0.08);
    EXPECT_EQ(s.x0.row(n), s.states[n].row(0)) << "the start is the first observation";
  }
  const GpParameters process = ProcessOf(s);
  EXPECT_EQ(process.inducing_locations.rows(), 20);
  EXPECT_EQ(process.inducing_mean.rows(), 2);
  EXPECT_EQ(process.lengthscales.rows(), 2);
  Matrix all(s.states[0].rows() + s.states[1].rows(), 2);
  all << s.states[0], s.states[1];
  const Vector variance = all.array().square().colwise().mean();
  EXPECT_NEAR(variance[0], 1, 0.1);
  EXPECT_NEAR(variance[1], 1, 0.1);
}

TEST(Initialise, RegressedFieldIsNearTheTrueOne) {
  const Start s = Initialise(NoisyVanDerPol(), kOptions);
  SparseGp gp(GetKernel("squared-exponential"));
  ASSERT_EQ(gp.Set(ProcessOf(s)), FactorStatus::kOk);
  for (const Matrix& states : s.states) {
    // `truth` is dx/dt in the model's coordinates and time.
    const Matrix truth = s.coordinates.time_scale * Evaluate(VanDerPol(0.5), s.map.Apply(states)) *
                         s.map.matrix.inverse().transpose();
    EXPECT_LT((gp.Mean(states) - truth).norm(), 0.15 * truth.norm());
    EXPECT_NEAR(std::sqrt(truth.squaredNorm() / static_cast<double>(truth.size())), 1, 0.3);
  }
}

TEST(Initialise, StartBeforeTheFirstObservation) {
  Dataset data = NoisyVanDerPol();
  // The observations before the time 0.3 are removed, so that the start state at time 0 must be
  // extrapolated.
  Trajectory& t = data.trajectories[0];
  Eigen::Index late = 0;
  while (t.times[late] < 0.3) ++late;
  t.start_time = 0.0;
  t.times.erase(t.times.begin(), t.times.begin() + late);
  t.values = Matrix(t.values.bottomRows(t.values.rows() - late));
  const Start s = Initialise(data, kOptions);
  const Matrix x0 = s.map.Apply(s.x0);
  EXPECT_NEAR(x0(0, 0), -1.5, 0.4);
  EXPECT_GT((s.x0.row(0) - s.states[0].row(0)).norm(), 0.2);
}

TEST(Initialise, UnitsDoNotMatter) {
  const Start expected = Initialise(NoisyVanDerPol(), kOptions);
  for (double unit : {1e8, 1e-8}) {
    for (double time_unit : {1e8, 1.0, 1e-8}) {
      SCOPED_TRACE(testing::Message() << "unit " << unit << ", time unit " << time_unit);
      const Start s = Initialise(NoisyVanDerPol(unit, time_unit), kOptions);
      ExpectFinite(s);
      EXPECT_NEAR(s.coordinates.time_scale / time_unit, expected.coordinates.time_scale, 1e-6);
      EXPECT_LT((s.map.matrix / unit - expected.map.matrix).norm(), 1e-9);
      EXPECT_LT((s.noise_variance / (unit * unit) - expected.noise_variance).norm(), 1e-9);
      EXPECT_LT((s.states[0] - expected.states[0]).norm(), 1e-6);
      EXPECT_LT((ProcessOf(s).inducing_mean - ProcessOf(expected).inducing_mean).norm(), 1e-4);
    }
  }
}

// Returns six channels that are linear combinations of two curves.
Dataset RankTwo(double unit, bool missing) {
  Numbers numbers(42);
  const Matrix mix = numbers.Normals(2, 6);
  Dataset data{.channels = {"a", "b", "c", "d", "e", "f"}, .trajectories = {}};
  for (double phase : {0.0, 1.0}) {
    Trajectory t;
    t.values.resize(80, 6);
    for (Eigen::Index i = 0; i < 80; ++i) {
      t.times.push_back(0.1 * static_cast<double>(i));
      const double at = t.times.back() + phase;
      t.values.row(i) = unit * (std::sin(at) * mix.row(0) + std::cos(at) * mix.row(1));
      t.values.row(i).array() += 3 * unit;
    }
    if (missing) t.values(5, 2) = t.values(40, 0) = NAN;
    data.trajectories.push_back(t);
  }
  return data;
}

TEST(Initialise, PcaReproducesDataOfItsRank) {
  FitOptions options = kOptions;
  options.observation = Observation::kPca;
  options.states = 2;
  for (double unit : {1.0, 1e8, 1e-8}) {
    SCOPED_TRACE(unit);
    const Dataset data = RankTwo(unit, true);
    const Start s = Initialise(data, options);
    ExpectFinite(s);
    EXPECT_EQ(s.map.channels(), 6u);
    EXPECT_EQ(s.map.dim(), 2u);
    for (std::size_t n = 0; n < 2; ++n) {
      Matrix error = s.map.Apply(s.states[n]) - data.trajectories[n].values;
      error = error.array().isNaN().select(0.0, error);
      EXPECT_LT(error.cwiseAbs().maxCoeff(), 0.1 * unit);
    }
    EXPECT_DOUBLE_EQ(s.noise_variance.minCoeff(), s.noise_variance.maxCoeff());
  }
}

TEST(Initialise, PcaStatesSurviveManyMissingValues) {
  FitOptions options = kOptions;
  options.observation = Observation::kPca;
  options.states = 2;
  Dataset data = RankTwo(1.0, false);
  const Dataset whole = data;
  Numbers numbers(44);
  for (Trajectory& t : data.trajectories) {
    for (Eigen::Index i = 0; i < t.values.size(); ++i) {
      if (numbers.Uniform(0, 1) < 0.25) t.values.data()[i] = NAN;
    }
  }
  const Start s = Initialise(data, options);
  for (std::size_t n = 0; n < 2; ++n) {
    const Matrix error = s.map.Apply(s.states[n]) - whole.trajectories[n].values;
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 0.1);
  }
}

TEST(Initialise, GivenComponentsAreKept) {
  FitOptions options = kOptions;
  options.observation = Observation::kPca;
  const Dataset data = RankTwo(1.0, false);
  options.observation_map = PrincipalComponents(data, 2);
  Dataset part = data;
  for (Trajectory& t : part.trajectories) {
    t.times.resize(30);
    t.values = Matrix(t.values.topRows(30));
  }
  const Start s = Initialise(part, options);
  EXPECT_EQ(s.map.matrix, options.observation_map.matrix);
  EXPECT_EQ(s.map.offset, options.observation_map.offset);
  EXPECT_DOUBLE_EQ(s.noise_variance.minCoeff(), s.noise_variance.maxCoeff());
  const Matrix error = s.map.Apply(s.states[0]) - part.trajectories[0].values;
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 0.1);
}

// The channels are linear combinations of two states, in other units and with missing values.
TEST(Initialise, GivenMatrixOfAnyShape) {
  const Dataset states = NoisyVanDerPol();
  const std::vector<Matrix> matrices = {
      (Matrix(2, 2) << 1e6, 2e6, -1e-6, 0.5e-6).finished(),
      (Matrix(4, 2) << 1e6, 2e6, -1e-6, 0.5e-6, 0, 3, 1, 1).finished(),
  };
  for (const Matrix& matrix : matrices) {
    SCOPED_TRACE(testing::Message() << matrix.rows() << " channels");
    FitOptions options = kOptions;
    options.observation = Observation::kMatrix;
    options.observation_map = {matrix, 0.1 * matrix.rowwise().sum()};
    Dataset data{std::vector<std::string>(matrix.rows(), "c"), states.trajectories};
    for (Trajectory& t : data.trajectories) {
      t.values = options.observation_map.Apply(t.values);
      for (Eigen::Index i = 2; i < t.values.size(); i += 7) t.values.data()[i] = NAN;
    }
    const Start s = Initialise(data, options);
    ExpectFinite(s);
    for (std::size_t n = 0; n < 2; ++n) {
      const Matrix x = (s.states[n] * s.coordinates.state_scale.asDiagonal()).rowwise() +
                       s.coordinates.state_offset.transpose();
      const Matrix error = x - states.trajectories[n].values;
      EXPECT_LT(std::sqrt(error.squaredNorm() / static_cast<double>(error.size())), 0.12);
      EXPECT_NEAR(s.states[n].array().square().mean(), 1, 0.6) << "unit size";
      EXPECT_LT((options.observation_map.Apply(x) - s.map.Apply(s.states[n])).row(0).norm(), 1e-3);
    }
  }
}

// A state that no channel shows starts as the derivative of the state before it.
TEST(Initialise, HiddenStatesAreDerivatives) {
  FitOptions options = kOptions;
  options.observation = Observation::kMatrix;
  Dataset data{.channels = {"x"}, .trajectories = {{}}};
  Trajectory& t = data.trajectories[0];
  t.values.resize(200, 1);
  for (Eigen::Index i = 0; i < 200; ++i) {
    t.times.push_back(0.1 * static_cast<double>(i));
    t.values(i, 0) = 10 + 3 * std::sin(2 * t.times.back());
  }
  for (Eigen::Index states : {2, 3, 4}) {
    options.observation_map = {Matrix::Identity(1, states), Vector()};
    const Start s = Initialise(data, options);
    ExpectFinite(s);
    ASSERT_EQ(s.states[0].cols(), states);
    for (Eigen::Index i = 20; i < 180; ++i) {
      const double at = 2 * t.times[static_cast<std::size_t>(i)];
      const double expected[] = {std::sin(at), std::cos(at), -std::sin(at), -std::cos(at)};
      for (Eigen::Index k = 0; k < states; ++k) {
        EXPECT_NEAR(s.states[0](i, k), std::sqrt(2.0) * expected[k], k < 3 ? 0.1 : 0.3);
      }
    }
    EXPECT_NEAR(s.coordinates.state_scale[0], 3 / std::sqrt(2.0), 0.05);
    EXPECT_NEAR(s.coordinates.state_offset[0], 10, 0.2);
  }
}

TEST(Initialise, WithoutScalingCoordinatesAreTheUsersOwn) {
  FitOptions options = kOptions;
  options.scale = false;
  const Dataset data = NoisyVanDerPol(3.0);
  const Start s = Initialise(data, options);
  ExpectFinite(s);
  EXPECT_EQ(s.coordinates.time_scale, 1.0);
  EXPECT_TRUE(s.map.matrix.isIdentity(0));
  EXPECT_TRUE(s.map.offset.isZero(0));
  EXPECT_EQ(s.coordinates.state_scale, Vector::Ones(2));
  const Matrix error = s.states[0] - data.trajectories[0].values;
  EXPECT_LT(std::sqrt(error.squaredNorm() / static_cast<double>(error.size())), 0.25);
  SparseGp gp(GetKernel("squared-exponential"));
  ASSERT_EQ(gp.Set(ProcessOf(s)), FactorStatus::kOk);
  const Matrix truth = 3 * Evaluate(VanDerPol(0.5), s.states[0] / 3);
  EXPECT_LT((gp.Mean(s.states[0]) - truth).norm(), 0.15 * truth.norm());
}

// Principal components beyond the rank are only rounding errors. Their states must be almost zero.
TEST(Initialise, PcaWithMoreStatesThanTheRank) {
  FitOptions options = kOptions;
  options.observation = Observation::kPca;
  options.states = 4;
  const Start s = Initialise(RankTwo(1.0, false), options);
  ExpectFinite(s);
  for (const Matrix& states : s.states) {
    EXPECT_GT(states.leftCols(2).cwiseAbs().maxCoeff(), 0.5);
    EXPECT_LT(states.rightCols(2).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Initialise, ConstantChannel) {
  // The computed mean of many values 0.1 differs from 0.1 by a rounding error, which must not be
  // taken for a spread.
  for (double constant : {0.0, 0.1, 1.23e8}) {
    SCOPED_TRACE(constant);
    Dataset data = NoisyVanDerPol();
    for (Trajectory& t : data.trajectories) t.values.col(1).setConstant(constant);
    const Start s = Initialise(data, kOptions);
    ExpectFinite(s);
    EXPECT_EQ(s.map.matrix(1, 1), constant > 0 ? constant : 1.0) << "nothing to scale by";
    for (const Matrix& states : s.states) EXPECT_LT(states.col(1).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(s.map.Apply(s.states[0])(3, 1), constant, 1e-12 * constant);
  }
}

TEST(Initialise, ChannelWithoutObservations) {
  Dataset data = NoisyVanDerPol();
  for (Trajectory& t : data.trajectories) t.values.col(1).setConstant(NAN);
  ExpectFinite(Initialise(data, kOptions));
}

TEST(Initialise, OneObservationPerTrajectory) {
  Numbers numbers(43);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  for (int n = 0; n < 3; ++n) {
    data.trajectories.push_back({.name = "",
                                 .times = {1.0 * n},
                                 .values = numbers.Normals(1, 2),
                                 .start_time = n == 1 ? std::optional(0.25) : std::nullopt});
  }
  const Start s = Initialise(data, kOptions);
  ExpectFinite(s);
  EXPECT_EQ(s.x0.rows(), 3);
  data.trajectories.resize(1);
  ExpectFinite(Initialise(data, kOptions));
}

}  // namespace
}  // namespace gpode
