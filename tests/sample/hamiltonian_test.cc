#include "sample/hamiltonian.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "sample/adaptation.h"

namespace gpode {
namespace {

// Returns the log density of a double well with a coupling, for which leapfrog steps are not exact,
// and sets its gradient.
double DoubleWell(std::span<const double> q, std::span<double> gradient) {
  gradient[0] = -(q[0] * q[0] * q[0] - q[0]) - 0.5 * q[1];
  gradient[1] = -2 * q[1] - 0.5 * q[0];
  return -(0.25 * std::pow(q[0], 4) - 0.5 * q[0] * q[0]) - q[1] * q[1] - 0.5 * q[0] * q[1];
}

Matrix SomeInverseMass(MassMatrix kind) {
  Matrix m(kind == MassMatrix::kDense ? 2 : 1, 2);
  if (kind == MassMatrix::kDense) {
    m << 1.2, 0.4, 0.4, 0.7;
  } else {
    m << 1.2, 0.7;
  }
  return m;
}

PhasePoint Somewhere(Hamiltonian& hamiltonian) {
  PhasePoint point(2);
  point.position << 0.4, -0.9;
  point.momentum << 1.1, 0.3;
  hamiltonian.Evaluate(point);
  return point;
}

class LeapfrogTest : public ::testing::TestWithParam<MassMatrix> {
 protected:
  Hamiltonian MakeHamiltonian() const {
    Hamiltonian hamiltonian(2, GetParam(), DoubleWell);
    EXPECT_TRUE(hamiltonian.metric().Set(SomeInverseMass(GetParam())));
    return hamiltonian;
  }
};

TEST_P(LeapfrogTest, GoesBackTheWayItCame) {
  Hamiltonian hamiltonian = MakeHamiltonian();
  const PhasePoint start = Somewhere(hamiltonian);
  PhasePoint point = start;
  for (int i = 0; i < 50; ++i) hamiltonian.Leapfrog(0.1, point);
  EXPECT_GT((point.position - start.position).norm(), 0.1);
  for (int i = 0; i < 50; ++i) hamiltonian.Leapfrog(-0.1, point);
  EXPECT_LT((point.position - start.position).norm(), 1e-13);
  EXPECT_LT((point.momentum - start.momentum).norm(), 1e-13);
}

TEST_P(LeapfrogTest, EnergyErrorIsOfSecondOrder) {
  Hamiltonian hamiltonian = MakeHamiltonian();
  const PhasePoint start = Somewhere(hamiltonian);
  const double energy = hamiltonian.Energy(start);
  const auto error = [&](int steps) {
    PhasePoint point = start;
    for (int i = 0; i < steps; ++i) hamiltonian.Leapfrog(1.0 / steps, point);
    return hamiltonian.Energy(point) - energy;
  };
  EXPECT_GT(std::fabs(error(100)), 1e-7);
  EXPECT_NEAR(error(100) / error(200), 4.0, 0.05);
}

// The determinant of the Jacobian of the map, by finite differences, is one.
TEST_P(LeapfrogTest, KeepsVolume) {
  Hamiltonian hamiltonian = MakeHamiltonian();
  const PhasePoint start = Somewhere(hamiltonian);
  const auto after = [&](int moved, double by) {
    PhasePoint point = start;
    (moved < 2 ? point.position : point.momentum)[moved % 2] += by;
    hamiltonian.Evaluate(point);
    for (int i = 0; i < 3; ++i) hamiltonian.Leapfrog(0.4, point);
    return Vector{{point.position[0], point.position[1], point.momentum[0], point.momentum[1]}};
  };
  Eigen::Matrix4d derivative;
  for (int i = 0; i < 4; ++i) derivative.col(i) = (after(i, 1e-5) - after(i, -1e-5)) / 2e-5;
  EXPECT_NEAR(derivative.determinant(), 1.0, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Metrics, LeapfrogTest,
                         ::testing::Values(MassMatrix::kDiagonal, MassMatrix::kDense));

TEST(HamiltonianTest, PositionsThatAreNotFiniteHaveNoProbability) {
  for (int kind = 0; kind < 3; ++kind) {
    Hamiltonian hamiltonian(1, MassMatrix::kDiagonal,
                            [&](std::span<const double>, std::span<double> gradient) {
                              gradient[0] = kind == 0 ? NAN : 1.0;
                              return kind == 1 ? INFINITY : kind == 2 ? NAN : 0.0;
                            });
    PhasePoint point(1);
    hamiltonian.Evaluate(point);
    EXPECT_EQ(point.log_density, -INFINITY);
    EXPECT_EQ(point.gradient[0], 0.0);
    EXPECT_EQ(hamiltonian.Energy(point), INFINITY);
  }
}

TEST(MetricTest, MomentaHaveTheMassAsCovariance) {
  // With M^-1 = L L^T and a standard normal eps, the momentum L^-T eps has the covariance L^-T L^-1
  // = M.
  Metric metric(2, MassMatrix::kDense);
  ASSERT_TRUE(metric.Set(SomeInverseMass(MassMatrix::kDense)));
  Matrix momenta(2, 2);
  for (Eigen::Index i = 0; i < 2; ++i) {
    Vector unit = Vector::Unit(2, i);
    metric.ToMomentum(unit);
    momenta.col(i) = unit;
  }
  const Matrix mass = momenta * momenta.transpose();
  EXPECT_TRUE((mass * metric.inverse_mass()).isApprox(Matrix::Identity(2, 2), 1e-14));
}

TEST(MetricTest, MatricesThatAreNotPositiveDefiniteAreIgnored) {
  Metric dense(2, MassMatrix::kDense), diagonal(2, MassMatrix::kDiagonal);
  Matrix indefinite(2, 2);
  indefinite << 1, 2, 2, 1;
  EXPECT_FALSE(dense.Set(indefinite));
  EXPECT_FALSE(diagonal.Set(Matrix{{1.0, 0.0}}));
  EXPECT_FALSE(diagonal.Set(Matrix{{1.0, NAN}}));
  EXPECT_EQ(diagonal.inverse_mass(), Matrix::Ones(1, 2));
  EXPECT_EQ(dense.inverse_mass(), Matrix::Identity(2, 2));
}

TEST(MetricTest, MomentsOfDraws) {
  DrawMoments dense(2, MassMatrix::kDense), diagonal(2, MassMatrix::kDiagonal);
  EXPECT_EQ(dense.InverseMass(), Matrix::Identity(2, 2));
  for (const Vector& draw : {Vector{{1, 2}}, Vector{{3, 1}}, Vector{{8, 0}}}) {
    dense.Add(draw);
    diagonal.Add(draw);
  }
  // The variances 13 and 1 and the covariance -3.5 have the weight 3 / 8, and the variances 1e-3
  // towards which they are shrunk have the weight 5 / 8.
  Matrix expected(2, 2);
  expected << 13, -3.5, -3.5, 1;
  expected = 0.375 * expected + 0.625e-3 * Matrix::Identity(2, 2);
  EXPECT_TRUE(dense.InverseMass().isApprox(expected, 1e-14));
  EXPECT_TRUE(diagonal.InverseMass().isApprox(expected.diagonal().transpose(), 1e-14));
}

TEST(WarmUpScheduleTest, WindowsDouble) {
  const WarmUpSchedule schedule(1000);
  EXPECT_EQ(schedule.begin, 75u);
  EXPECT_EQ(schedule.ends, (std::vector<std::size_t>{100, 150, 250, 450, 950}));
  EXPECT_FALSE(schedule.InWindow(74));
  EXPECT_TRUE(schedule.InWindow(75));
  EXPECT_TRUE(schedule.EndsWindow(99));
  EXPECT_FALSE(schedule.EndsWindow(100));
  EXPECT_TRUE(schedule.InWindow(949));
  EXPECT_FALSE(schedule.InWindow(950));
}

TEST(WarmUpScheduleTest, ShortWarmUps) {
  EXPECT_TRUE(WarmUpSchedule(0).ends.empty());
  EXPECT_TRUE(WarmUpSchedule(19).ends.empty());
  EXPECT_FALSE(WarmUpSchedule(19).InWindow(5));
  const WarmUpSchedule schedule(100);
  EXPECT_EQ(schedule.begin, 15u);
  EXPECT_EQ(schedule.ends, std::vector<std::size_t>{90});
}

// The acceptance decreases with the step size. The average must approach the step size at which the
// acceptance is the target.
TEST(DualAveragingTest, FindsTheStepOfTheTarget) {
  DualAveraging averaging{.target = 0.8};
  averaging.Restart(5.0);
  double step = 5.0;
  for (int i = 0; i < 2000; ++i) step = averaging.Update(std::exp(-step));
  EXPECT_NEAR(std::exp(-averaging.Average()), 0.8, 0.01);
}

}  // namespace
}  // namespace gpode
