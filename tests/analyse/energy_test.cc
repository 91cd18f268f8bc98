// Tests of the energy of fields, with systems whose energy is known.
#include "analyse/energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/analysis.h"
#include "gpode/systems.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

const Matrix kStates{{0.3, 0.2}, {-1, 0.7}, {1.5, -1}};

TEST(Energy, OfAPendulum) {
  const DampedPendulum free(1.3, 0), damped(1.3, 0.1);
  const auto energy = [](const Vector& x) { return 0.5 * x[1] * x[1] - 1.3 * std::cos(x[0]); };
  const Vector from{{0.2, -0.4}}, to{{-1.5, 1.2}};
  EXPECT_EQ(HamiltonianLoss(free, kStates), std::optional(0.0));
  ASSERT_TRUE(HamiltonianLoss(damped, kStates).has_value());
  EXPECT_NEAR(*HamiltonianLoss(damped, kStates), 0.1, 1e-12);
  EXPECT_NEAR(EnergyDifference(free, 0, from, to), energy(to) - energy(from), 1e-9);
  EXPECT_NEAR(EnergyDifference(damped, 0.1, from, to), energy(to) - energy(from), 1e-9);
}

TEST(Energy, OfTwoCoupledOscillators) {
  // H = (p1^2 + p2^2) / 2 + q1^2 + q2^2 + q1 q2 with the states q1, q2, p1, p2.
  const LinearSystem coupled(Matrix{{0, 0, 1, 0}, {0, 0, 0, 1}, {-2, -1, 0, 0}, {-1, -2, 0, 0}});
  const Matrix states{{1, 0, 0.5, 0}, {0, 1, 2, -1}};
  EXPECT_EQ(HamiltonianLoss(coupled, states), std::optional(0.0));
  EXPECT_NEAR(EnergyDifference(coupled, 0, Vector::Zero(4), Vector{{1, 2, 3, 4}}), 12.5 + 1 + 4 + 2,
              1e-9);
  // Forces that are not symmetric have no energy, although they leave volumes as they are.
  const LinearSystem twisted(Matrix{{0, 0, 1, 0}, {0, 0, 0, 1}, {-2, -1, 0, 0}, {1, -2, 0, 0}});
  EXPECT_FALSE(HamiltonianLoss(twisted, states).has_value());
}

TEST(Energy, OtherFieldsHaveNone) {
  EXPECT_FALSE(HamiltonianLoss(VanDerPol(0.5), kStates).has_value());
  EXPECT_FALSE(HamiltonianLoss(Lorenz63(), Matrix{{1, 2, 3}}).has_value());
}

TEST(Energy, LearntFieldsWithoutTheFormHaveNone) {
  const Posterior posterior(testing_support::Rotation(0.02));
  const Analysis analysis = AnalysePosterior(posterior, {}, {.draws = 4, .basin_cells = 0});
  EXPECT_EQ(analysis.energy.draws, 0U);
}

}  // namespace
}  // namespace gpode
