// Tests of comparisons and pushed forecasts, with models whose field is known.
#include "gpode/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::kDamping;
using testing_support::kStart;
using testing_support::kTimeScale;
using testing_support::Rotation;

TEST(Compare, EqualModelsDoNotDiffer) {
  const Posterior a(Rotation(0.05)), b(Rotation(0.05));
  const FieldDifference difference = CompareFields(a, {}, b, {}, {.draws = 64, .side = 9});
  EXPECT_GT(difference.chance, 0.05);
  EXPECT_LT(difference.share, 0.1);
}

TEST(Compare, FasterModelDiffers) {
  Model slow = Rotation(0.05);
  slow.coordinates.time_scale *= 2;
  const Posterior a(Rotation(0.05)), b(slow);
  const FieldDifference difference = CompareFields(a, {}, b, {}, {.draws = 64, .side = 9});
  EXPECT_LT(difference.chance, 0.02);
  EXPECT_GT(difference.share, 0.5);
  for (Eigen::Index i = 0; i < difference.points.rows(); ++i) {
    EXPECT_LE(difference.lower(i, 0), difference.upper(i, 0));
  }
}

TEST(Compare, OtherStatesAreRefused) {
  Model other = Rotation();
  other.coordinates.state_offset = Vector{{1000, 1000}};
  EXPECT_THROW(CompareFields(Posterior(Rotation()), {}, Posterior(other), {}), InputError);
}

TEST(Push, ChangesGrowAsTheLinearFieldSays) {
  const Posterior posterior(Rotation());
  const std::vector<double> times = {kStart + 1, kStart + 2, kStart + 3, kStart + 4};
  const ForecastOptions options{.draws = 3, .states = true};
  const Vector change{{0.4, -1}};
  const Forecast plain = posterior.Trajectory(0, times, options),
                 pushed = ForecastPushed(posterior, 0, times, {{kStart + 2, change}}, options);
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrix difference = pushed.states[i] - plain.states[i];
    EXPECT_EQ(difference.row(0).norm(), 0);
    EXPECT_LT((difference.row(1).transpose() - change).norm(), 1e-3);
    for (Eigen::Index row = 2; row < 4; ++row) {
      const double t = static_cast<double>(row - 1) / kTimeScale, decay = std::exp(-kDamping * t);
      const Vector z = change.cwiseQuotient(posterior.model().coordinates.state_scale);
      const Vector expected = decay * Vector{{z[0] * std::cos(t) + z[1] * std::sin(t),
                                              z[1] * std::cos(t) - z[0] * std::sin(t)}}
                                          .cwiseProduct(posterior.model().coordinates.state_scale);
      EXPECT_LT((difference.row(row).transpose() - expected).norm(), 0.02);
    }
  }
}

TEST(Push, BeforeTheStartIsRefused) {
  const Posterior posterior(Rotation());
  const double times[] = {kStart + 1};
  EXPECT_THROW(ForecastPushed(posterior, 0, times, {{kStart - 1, Vector::Zero(2)}}), InputError);
}

}  // namespace
}  // namespace gpode
