// Tests of analyses and explanations, with a model whose field is known: a damped rotation.
#include "gpode/analysis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analyse/point_groups.h"
#include "analyse/subset_average.h"
#include "gpode/error.h"
#include "gpode/explain.h"
#include "gpode/random.h"
#include "gpode/simulate.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::InitialMeans;
using testing_support::Rotation;
using testing_support::TrueState;

// Returns observations of both trajectories of the rotation, with a little noise.
Dataset RotationData(const Model& model) {
  Dataset data{.channels = model.channels, .trajectories = {}};
  for (std::size_t n = 0; n < 2; ++n) {
    Trajectory trajectory;
    trajectory.times = RegularTimes(model.start_times[n], model.end_times[n], 30);
    trajectory.values.resize(30, 3);
    const Vector x0 = InitialMeans(model).row(static_cast<Eigen::Index>(n)).transpose();
    for (Eigen::Index i = 0; i < 30; ++i) {
      const double since = trajectory.times[static_cast<std::size_t>(i)] - model.start_times[n];
      trajectory.values.row(i) =
          model.map.Apply(TrueState(x0, testing_support::kStart + since)).row(0);
    }
    std::vector<double> noise(90);
    RandomStream(1, n, 0, Purpose::kTest).Normals(noise);
    trajectory.values += 0.01 * Eigen::Map<const Matrix>(noise.data(), 30, 3);
    data.trajectories.push_back(std::move(trajectory));
  }
  return data;
}

TEST(Analysis, RotationHasAStableSpiralAndDoesNotOscillateForLong) {
  const Posterior posterior(Rotation());
  const Dataset data = RotationData(posterior.model());
  const Analysis analysis = AnalysePosterior(posterior, data, {.draws = 12, .basin_cells = 10});
  ASSERT_EQ(analysis.points.size(), 1U);
  const PointSummary& point = analysis.points[0];
  EXPECT_EQ(point.probability, 1);
  EXPECT_EQ(point.stable, 1);
  EXPECT_EQ(point.types[static_cast<std::size_t>(FixedPointType::kSpiral)], 1);
  // The origin of the model's coordinates, and the eigenvalues -0.1 +- i over the time scale of 2.
  EXPECT_NEAR(point.mean[0], 1, 0.01);
  EXPECT_NEAR(point.mean[1], -3, 0.03);
  EXPECT_NEAR(point.real[0].median, -0.05, 0.005);
  EXPECT_NEAR(point.imaginary[0].median, 0.5, 0.005);
  EXPECT_EQ(analysis.oscillation.probability, 0);
  EXPECT_EQ(analysis.fates[static_cast<std::size_t>(Fate::kFixedPoint)], 1);
  ASSERT_EQ(analysis.exponents.exponents.size(), 2U);
  EXPECT_NEAR(analysis.exponents.exponents[0].median, -0.05, 0.005);
  ASSERT_EQ(analysis.basins.cells, 10U);
  EXPECT_EQ(analysis.basins.labels[0], "fixed point 1");
  EXPECT_GT(analysis.basins.probabilities[0].minCoeff(), 0.9);
}

TEST(Analysis, SameBitsForAnyNumberOfThreads) {
  const Posterior posterior(Rotation(0.02));
  const Dataset data = RotationData(posterior.model());
  const auto run = [&](std::size_t threads) {
    return AnalysePosterior(posterior, data, {.draws = 6, .threads = threads, .basin_cells = 6});
  };
  const Analysis one = run(1), three = run(3);
  ASSERT_EQ(one.points.size(), three.points.size());
  EXPECT_EQ(one.points[0].states, three.points[0].states);
  EXPECT_EQ(one.basins.probabilities, three.basins.probabilities);
}

TEST(Analysis, StopsWithTheDrawsThatAreFinished) {
  const Posterior posterior(Rotation());
  const Dataset data = RotationData(posterior.model());
  const Analysis analysis = AnalysePosterior(
      posterior, data,
      {.draws = 20, .threads = 1, .basin_cells = 0, .report = [](std::size_t done, std::size_t) {
         return done < 5;
       }});
  EXPECT_EQ(analysis.draws, 5U);
  EXPECT_EQ(analysis.asked, 20U);
  EXPECT_EQ(analysis.points.size(), 1U);
}

TEST(Analysis, BoxOfAnotherDimensionIsRefused) {
  const Posterior posterior(Rotation());
  const StateBox box{Vector::Zero(3), Vector::Ones(3)};
  EXPECT_THROW(AnalysePosterior(posterior, {}, {.draws = 2, .box = box}), InputError);
}

TEST(PointGroups, AWideGroupStaysOne) {
  const StateBox box{Vector{{-1, -1}}, Vector{{1, 1}}};
  const auto at = [](double x, int index) {
    return FixedPoint{.state = Vector{{x, 0}}, .index = index};
  };
  const std::vector<FixedPoint> references = {at(0, 1)};
  std::vector<std::vector<FixedPoint>> draws;
  for (const double x : {-0.5, -0.2, 0.0, 0.4, 0.6}) draws.push_back({at(x, 1)});
  draws.push_back({at(0.1, 1), at(0.3, -1)});
  const std::vector<PointGroup> groups = GroupPoints(box, references, draws);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members.size(), 6U);
  EXPECT_EQ(groups[1].index, -1);
}

TEST(SubsetAverage, FindsTheRegressorsThatMatter) {
  constexpr Eigen::Index kRows = 80, kTerms = 18;
  std::vector<double> normals(kRows * (kTerms + 1));
  RandomStream(3, 0, 0, Purpose::kTest).Normals(normals);
  const Matrix x = Eigen::Map<const Matrix>(normals.data(), kRows, kTerms);
  const Vector noise = Eigen::Map<const Vector>(normals.data() + kRows * kTerms, kRows);
  const Vector y = 2 * x.col(3) - 0.5 * x.col(11) + 0.1 * noise;
  for (const Eigen::Index terms : {Eigen::Index{12}, kTerms}) {  // enumerated, then sampled
    const SubsetAverage average = AverageSubsets(x.leftCols(terms), y, kRows, 1);
    EXPECT_GT(average.probabilities[3], 0.999);
    EXPECT_GT(average.probabilities[11], 0.999);
    EXPECT_EQ(average.chosen, (std::vector<Eigen::Index>{3, 11}));
    EXPECT_NEAR(average.coefficients[0], 2, 0.05);
    EXPECT_NEAR(std::sqrt(average.covariance(1, 1)), 0.1 / std::sqrt(80.0), 0.004);
    EXPECT_LT(average.probabilities.sum(), 3.5);
  }
}

TEST(Explain, FindsTheLinearEquationsOfARotation) {
  const Posterior posterior(Rotation());
  const Dataset data = RotationData(posterior.model());
  const Explanation found =
      ExplainModel(posterior, data, PolynomialTerms({"a", "b"}, 2), {.draws = 16});
  ASSERT_EQ(found.library.names, (std::vector<std::string>{"1", "a", "b", "a^2", "a*b", "b^2"}));
  // In the user's units: a' = 0.65 - 0.05 a + 0.2 b, b' = 1.1 - 1.25 a - 0.05 b.
  const double truth[2][6] = {{0.65, -0.05, 0.2, 0, 0, 0}, {1.1, -1.25, -0.05, 0, 0, 0}};
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t k = 0; k < 6; ++k) {
      const TermSummary& term = found.equations[d].terms[k];
      // Less than half a turn was observed, which shows the weak damping only roughly.
      if (std::abs(truth[d][k]) > 0.1) {
        EXPECT_GT(term.probability, 0.95) << d << ' ' << k;
      }
      if (truth[d][k] == 0) {
        EXPECT_LT(term.probability, 0.5) << d << ' ' << k;
      }
      EXPECT_NEAR(term.coefficient, truth[d][k], 0.06) << d << ' ' << k;
    }
    EXPECT_GT(found.equations[d].explained, 0.99);
  }
  EXPECT_NE(EquationsText(found).find("param c1_1 ~ normal(0.6"), std::string::npos);
  EXPECT_NE(LatexText(found).find("\\begin{align*}"), std::string::npos);
}

TEST(Explain, NamesThatAreNotWordsAreQuoted) {
  EXPECT_EQ(PolynomialTerms({"x 1", "y"}, 1).names,
            (std::vector<std::string>{"1", "\"x 1\"", "y"}));
}

TEST(Explain, TooManyTermsAreRefused) {
  const Posterior posterior(Rotation());
  EXPECT_THROW(
      ExplainModel(posterior, RotationData(posterior.model()), PolynomialTerms({"a", "b"}, 12)),
      InputError);
}

}  // namespace
}  // namespace gpode
