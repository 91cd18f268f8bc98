// Tests of designs: against exact answers of models that are linear and Gaussian, and with models whose
// field is known.
#include "gpode/design.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <set>

#include "analyse/draw_covariance.h"
#include "field/equation_field.h"
#include "gpode/error.h"
#include "gpode/random.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::kStart;
using testing_support::MakeParameters;
using testing_support::Put;
using testing_support::Rotation;

// Returns a model with these equations of two parameters, which are normal with this mean and
// covariance factor. The states are observed with this noise variance, and the first trajectory
// begins at the time 0 in a normal state with the deviations `doubt`.
Model WithEquations(const std::string& equations, const std::vector<std::string>& states,
                    const Vector& mean, const Matrix& chol, const Vector& start,
                    const Vector& doubt, double noise) {
  Model model;
  const auto dim = std::ssize(states);
  model.options.function = "equations";
  model.options.equations = equations;
  model.options.posterior = "blocks";
  model.channels = states;
  model.map = ObservationMap::Identity(states.size());
  model.coordinates = Coordinates::Identity(states.size());
  model.start_times = {0};
  model.end_times = {1};
  MakeParameters(model);
  Put(model, "equation_units", EquationUnits(ParseEquations(equations, "test")).ToVector());
  Put(model, "equation_mean", mean);
  if (model.parameters.Has("equation_chol")) {
    Put(model, "equation_chol", chol);
  } else {
    Put(model, "equation_deviation", chol);
  }
  Put(model, "noise_variance", Vector::Constant(dim, noise).eval());
  Put(model, "x0_mean", start);
  if (model.parameters.Has("x0_chol")) {
    Put(model, "x0_chol", Matrix(doubt.asDiagonal()));
  } else {
    Put(model, "x0_deviation", doubt);
  }
  return model;
}

// The model x' = 1, y' = a x + b, whose solution is linear in y(0), a and b:
//   y(t) = y(0) + a (x(0) t + t^2 / 2) + b t.
class LinearGaussian : public testing::Test {
 protected:
  static constexpr double kNoise = 0.04, kX0 = -1, kDoubt = 0.3;

  LinearGaussian() {
    const Matrix chol{{0.8, 0}, {-0.3, 0.5}};
    posterior_.emplace(WithEquations(
        "channels x, y\ninputs\nparam a ~ normal(0, 1)\nparam b ~ normal(0, 1)\n"
        "dx = 1\ndy = a * x + b\n",
        {"x", "y"}, Vector{{0.2, -0.1}}, chol, Vector{{kX0, 0.5}}, Vector{{1e-7, kDoubt}}, kNoise));
    prior_ = Eigen::MatrixXd::Zero(3, 3);
    prior_(0, 0) = kDoubt * kDoubt;
    prior_.bottomRightCorner(2, 2) = chol * chol.transpose();
  }

  // Returns the derivatives of y(t) by y(0), a and b, from x(0) = x.
  static Eigen::RowVector3d Row(double start, double x, double t) {
    return {start, x * t + t * t / 2, t};
  }
  // Returns the rows of a candidate.
  static Eigen::MatrixXd Seen(const DesignOptions& options, std::size_t candidate) {
    if (candidate < options.times.size()) return Row(1, kX0, options.times[candidate]);
    const auto start = static_cast<Eigen::Index>(candidate - options.times.size());
    Eigen::MatrixXd rows(std::ssize(options.start_times), 3);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      rows.row(i) =
          Row(0, options.starts(start, 0), options.start_times[static_cast<std::size_t>(i)]);
    }
    return rows;
  }

  // Conditions the covariance on an observation, by the inverse of the precision.
  static Eigen::MatrixXd Conditioned(const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& h) {
    return (covariance.inverse() + h.transpose() * h / kNoise).inverse();
  }

  // Compares a design with what exact Gaussian conditioning says about each candidate and about each
  // choice of the batch.
  void ExpectExact(const DesignOptions& options, const Eigen::MatrixXd& targets) {
    const Design design = DesignMeasurements(*posterior_, {}, options);
    const auto variance = [&](const Eigen::MatrixXd& covariance) {
      return (targets * covariance * targets.transpose()).trace();
    };
    const double total = variance(prior_);
    ASSERT_EQ(design.candidates.size(),
              options.times.size() + static_cast<std::size_t>(options.starts.rows()));
    Eigen::MatrixXd covariance = prior_;
    for (std::size_t k = 0; k <= options.batch; ++k) {
      std::size_t best = 0;
      double most = -1;
      for (std::size_t i = 0; i < design.candidates.size(); ++i) {
        const double exact =
            (variance(covariance) - variance(Conditioned(covariance, Seen(options, i)))) / total;
        if (k == 0) {
          EXPECT_NEAR(design.candidates[i].reduction, exact, 0.03) << i;
        } else if (exact / design.candidates[i].cost > most) {
          most = exact / design.candidates[i].cost;
          best = i;
        }
      }
      if (k == 0) continue;
      const DesignCandidate& chosen = design.batch[k - 1];
      EXPECT_EQ(chosen.start, design.candidates[best].start) << k;
      EXPECT_EQ(chosen.time, design.candidates[best].time) << k;
      EXPECT_NEAR(chosen.reduction / chosen.cost, most, 0.02) << k;
      covariance = Conditioned(covariance, Seen(options, best));
    }
  }

  std::optional<Posterior> posterior_;
  Eigen::MatrixXd prior_;
};

TEST_F(LinearGaussian, TimesForAForecastAreExact) {
  DesignOptions options{.times = {0.2, 1, 2, 4}, .targets = {3, 5}, .batch = 3, .draws = 4000};
  Eigen::MatrixXd targets(2, 3);
  targets << Row(1, kX0, 3), Row(1, kX0, 5);
  ExpectExact(options, targets);
}

TEST_F(LinearGaussian, StartsForAFieldAreExact) {
  DesignOptions options{.starts = Matrix{{-2, 0}, {0, 1}, {3, 0}, {-0.5, 2}},
                        .start_times = {0.2, 0.4, 1},
                        .target = DesignTarget::kField,
                        .region = StateBox{Vector{{-2, -1}}, Vector{{4, 1}}},
                        .batch = 2,
                        .draws = 4000};
  options.cost = [](const DesignCandidate& one) { return *one.start == 2 ? 3.0 : 1.0; };
  // The field a x + b on the grid of the target.
  Eigen::MatrixXd targets(12, 3);
  for (Eigen::Index i = 0; i < 12; ++i) {
    targets.row(i) << 0, -2 + 6 * static_cast<double>(i) / 11, 1;
  }
  ExpectExact(options, targets);
}

TEST_F(LinearGaussian, TimesAndStartsAreRankedTogether) {
  DesignOptions options{.times = {0.5, 2, 4},
                        .starts = Matrix{{-2, 0}, {2, 1}},
                        .start_times = {0.5, 1},
                        .targets = {4},
                        .batch = 2,
                        .draws = 4000};
  ExpectExact(options, Row(1, kX0, 4));
}

TEST_F(LinearGaussian, OneChannelOfAStart) {
  DesignOptions options{.starts = Matrix{{2, 0}},
                        .start_times = {1},
                        .target = DesignTarget::kField,
                        .region = StateBox{Vector{{-2, -1}}, Vector{{4, 1}}},
                        .each_channel = true};
  const Design design = DesignMeasurements(*posterior_, {}, options);
  ASSERT_EQ(design.candidates.size(), 2U);
  // The first state is known, so that only the second tells anything.
  EXPECT_LT(design.candidates[0].reduction, 0.02);
  EXPECT_GT(design.candidates[1].reduction, 0.5);
  EXPECT_EQ(design.candidates[1].channel, "y");
}

TEST(Design, StabilityOfAFixedPointIsLearntWhereTheStateStillDecays) {
  // x(t) = s exp(-a t): an observation at t has the slope s t exp(-a t) in a, which is largest at 1/a.
  constexpr double kDeviation = 0.05, kNoise = 0.01;
  const Posterior posterior(
      WithEquations("channels x\ninputs\nparam a ~ normal(0, 1)\ndx = -a * x\n", {"x"},
                    Vector{{1.0}}, Matrix{{kDeviation}}, Vector{{1.0}}, Vector{{1e-7}}, kNoise));
  DesignOptions options{.starts = Matrix{{0.5}, {4}},
                        .start_times = {1},
                        .target = DesignTarget::kStability,
                        .region = StateBox{Vector{{-2}}, Vector{{2}}},
                        .draws = 4000};
  const Design design = DesignMeasurements(posterior, {}, options);
  EXPECT_NEAR(design.deviation, kDeviation, 0.003);
  EXPECT_EQ(design.probability, 1);
  EXPECT_NEAR(design.fixed_point[0], 0, 1e-6);
  for (const DesignCandidate& one : design.candidates) {
    const double slope = options.starts(static_cast<Eigen::Index>(*one.start), 0) * std::exp(-1);
    const double signal = std::pow(kDeviation * slope, 2);
    EXPECT_NEAR(one.reduction, signal / (signal + kNoise), 0.03);
  }
  options.region = StateBox{Vector{{1}}, Vector{{2}}};
  EXPECT_THROW(DesignMeasurements(posterior, {}, options), InputError);
}

TEST(Design, FieldTargetPrefersStartsInUnexploredPlaces) {
  // The field is unknown near the inducing points with the largest first coordinate.
  Model model = Rotation(1e-3);
  const std::span<double> noise = model.parameters["noise_variance"];
  std::fill(noise.begin(), noise.end(), 1e-4);
  constexpr std::size_t kInducing = 49, kUnknown = 14;
  const std::span<double> chol = model.parameters["inducing_chol"];
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t i = kInducing - kUnknown; i < kInducing; ++i) {
      chol[(d * kInducing + i) * kInducing + i] = 1;
    }
  }
  const Posterior posterior(model);
  const double unknown = 1 + 2 * 2.0, known = 1 - 2 * 2.0;
  DesignOptions options{.starts = Matrix{{known, -3}, {1, -3}, {unknown, -3}},
                        .start_times = {0.2, 0.4, 0.6},
                        .target = DesignTarget::kField,
                        .region = StateBox{Vector{{-3, -8}}, Vector{{5, 2}}},
                        .batch = 1};
  const Design design = DesignMeasurements(posterior, {}, options);
  EXPECT_EQ(design.batch[0].start, std::optional<std::size_t>(2));
  EXPECT_GT(design.candidates[2].reduction, 0.2);
  EXPECT_LT(design.candidates[0].reduction, 0.5 * design.candidates[2].reduction);
}

TEST(Design, SameBitsForAnyNumberOfThreads) {
  const Posterior posterior(Rotation(0.1));
  const auto run = [&](DesignTarget target, std::size_t threads) {
    return DesignMeasurements(posterior, {},
                              {.times = {kStart + 6},
                               .starts = Matrix{{1, 1}, {2, -3}},
                               .start_times = {0.5, 1},
                               .target = target,
                               .targets = {kStart + 7},
                               .batch = 2,
                               .draws = 64,
                               .threads = threads});
  };
  for (const DesignTarget target :
       {DesignTarget::kForecast, DesignTarget::kField, DesignTarget::kStability}) {
    const Design one = run(target, 1), three = run(target, 3);
    EXPECT_EQ(one.deviation, three.deviation);
    std::set<double> reductions;
    for (std::size_t i = 0; i < one.candidates.size(); ++i) {
      EXPECT_EQ(one.candidates[i].reduction, three.candidates[i].reduction);
      reductions.insert(one.candidates[i].reduction);
    }
    EXPECT_GT(reductions.size(), 1U);
    EXPECT_EQ(one.batch[1].reduction, three.batch[1].reduction);
  }
}

TEST(Design, StopsWithTheStartsThatWereFollowed) {
  const Posterior posterior(Rotation(0.1));
  DesignOptions options{.starts = Matrix{{1, 1}, {2, -3}, {0, 0}},
                        .start_times = {0.5},
                        .target = DesignTarget::kField,
                        .draws = 16};
  options.report = [](std::size_t done, std::size_t) { return done < 2; };
  const Design design = DesignMeasurements(posterior, {}, options);
  EXPECT_EQ(design.starts.rows(), 2);
  EXPECT_EQ(design.candidates.size(), 2U);
  // The search of fixed points ends with the draws that were searched.
  std::size_t calls = 0;
  options.report = [&calls](std::size_t, std::size_t) { return ++calls < 20; };
  options.target = DesignTarget::kStability;
  options.draws = 64;
  options.threads = 1;
  EXPECT_EQ(DesignMeasurements(posterior, {}, options).draws, 20U);
}

TEST(Design, BadOptionsAreRefused) {
  const Posterior posterior(Rotation(0.1));
  const DesignOptions good{
      .starts = Matrix{{1, 1}}, .start_times = {0.5}, .target = DesignTarget::kField, .draws = 16};
  EXPECT_NO_THROW(DesignMeasurements(posterior, {}, good));
  DesignOptions bad = good;
  bad.starts = Matrix{{1}};
  EXPECT_THROW(DesignMeasurements(posterior, {}, bad), InputError);
  bad = good;
  bad.starts(0, 0) = NAN;
  EXPECT_THROW(DesignMeasurements(posterior, {}, bad), InputError);
  bad = good;
  bad.start_times.clear();
  EXPECT_THROW(DesignMeasurements(posterior, {}, bad), InputError);
  bad = good;
  bad.start_times = {-1};
  EXPECT_THROW(DesignMeasurements(posterior, {}, bad), InputError);
  bad = good;
  bad.region = StateBox{Vector{{1, 1}}, Vector{{0, 2}}};
  EXPECT_THROW(DesignMeasurements(posterior, {}, bad), InputError);
}

TEST(DrawCovariance, UnrelatedObservationsTellNothing) {
  constexpr Eigen::Index kDraws = 64, kTargets = 60, kSeen = 8;
  std::vector<double> normals(kDraws * (kTargets + kSeen));
  RandomStream(3, 0, 0, Purpose::kTest).Normals(normals);
  Matrix all = Eigen::Map<Matrix>(normals.data(), kDraws, kTargets + kSeen);
  CentreColumns(&all);
  const DrawCovariance covariance(all.leftCols(kTargets));
  // Without the correction, the share would be about 8 / 63 = 0.13.
  EXPECT_LT(covariance.Reduction(all.rightCols(kSeen), Vector::Constant(kSeen, 1e-6)),
            0.03 * covariance.TargetVariance());
}

TEST(Design, ObservationsAtTheTargetsHelpMost) {
  Model model = Rotation(0.1);
  const std::span<double> noise = model.parameters["noise_variance"];
  std::fill(noise.begin(), noise.end(), 1e-4);
  const Posterior posterior(model);
  DesignOptions options;
  options.times = {kStart + 1, kStart + 4, kStart + 8};
  options.targets = {kStart + 7.9, kStart + 8.1};
  options.batch = 2;
  const Design design = DesignMeasurements(posterior, {}, options);
  ASSERT_EQ(design.candidates.size(), 3U);
  EXPECT_EQ(design.ranked.front().time, kStart + 8);
  EXPECT_GT(design.ranked.front().reduction, 0.9);
  EXPECT_LT(design.candidates[0].reduction, design.candidates[2].reduction);
  ASSERT_EQ(design.batch.size(), 2U);
  EXPECT_LT(design.batch[0].reduction + design.batch[1].reduction, 1.0001);
  // If the best candidate is expensive, another one has the largest reduction per cost.
  options.cost = [](const DesignCandidate& one) { return one.time > kStart + 7 ? 1000.0 : 1.0; };
  EXPECT_NE(DesignMeasurements(posterior, {}, options).ranked.front().time, kStart + 8);
  options.times.clear();
  EXPECT_THROW(DesignMeasurements(posterior, {}, options), InputError);
}

}  // namespace
}  // namespace gpode
