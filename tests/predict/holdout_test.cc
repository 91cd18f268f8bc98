// Tests of comparing forecasts of held-back data with simple forecasts, and of the widening that
// follows from their errors.
#include "gpode/holdout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpode/posterior.h"
#include "gpode/random.h"
#include "gpode/scores.h"
#include "gpode/simulate.h"
#include "gpode/training.h"
#include "predict/linear_model.h"
#include "support/message_of.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::Rotation;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ---- The rows that are held back.

Dataset Rows(const std::vector<std::size_t>& lengths) {
  Dataset data{.channels = {"x"}, .trajectories = {}, .time_name = "t"};
  for (std::size_t length : lengths) {
    Trajectory t{.name = std::to_string(length), .times = {}, .values = {}, .start_time = {}};
    for (std::size_t i = 0; i < length; ++i) t.times.push_back(static_cast<double>(i));
    t.values = Eigen::Map<const Vector>(t.times.data(), std::ssize(t.times));
    data.trajectories.push_back(t);
  }
  return data;
}

TEST(HoldBack, TakesTheLastRowsOfEachTrajectory) {
  Dataset data = Rows({10, 3, 2, 1, 50});
  data.trajectories[0].start_time = -1;
  const HeldBack parts = HoldBack(data, {.share = 0.2});
  const std::size_t held[] = {2, 1, 0, 0, 10};
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(parts.held.trajectories[n].times.size(), held[n]) << n;
    EXPECT_EQ(parts.seen.trajectories[n].times.size() + held[n], data.trajectories[n].times.size());
  }
  EXPECT_EQ(parts.held.trajectories[0].times, (std::vector<double>{8, 9}));
  EXPECT_EQ(parts.seen.trajectories[0].start_time, -1);
  EXPECT_EQ(HoldBack(data, {.share = 0.9}).seen.trajectories[1].times.size(), 2u);
  const Dataset again = Rejoin(parts.seen, parts.held);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(again.trajectories[n].times, data.trajectories[n].times);
    EXPECT_EQ(again.trajectories[n].values, data.trajectories[n].values);
    EXPECT_EQ(again.trajectories[n].start_time, data.trajectories[n].start_time);
    EXPECT_EQ(again.trajectories[n].name, data.trajectories[n].name);
  }
}

TEST(HoldBack, TakesWhatIsAfterATime) {
  const HeldBack parts = HoldBack(Rows({10, 4}), {.after = 6.5});
  EXPECT_EQ(parts.held.trajectories[0].times, (std::vector<double>{7, 8, 9}));
  EXPECT_TRUE(parts.held.trajectories[1].times.empty());
}

TEST(HoldBack, SaysWhatCannotBeHeldBack) {
  const auto message = [](const Dataset& data, const HoldoutOptions& options) {
    return MessageOf([&] { HoldBack(data, options); });
  };
  EXPECT_EQ(message(Rows({10}), {.share = 1.5}), "holdout: share is 1.5, must be between 0 and 1");
  EXPECT_EQ(message(Rows({10}), {.after = 9}),
            "holdout: after is 9, must be before the last observation, at 9");
  EXPECT_EQ(message(Rows({10, 5}), {.after = 0.5}),
            "holdout: after is 0.5, must not be before 1, so that trajectory '10' keeps 2 rows");
  EXPECT_EQ(message(Rows({2, 1}), {.share = 0.2}),
            "holdout: share is 0.2, but no trajectory has observations to hold back; trajectories "
            "must have at least 3 rows");
}

// ---- The widening of known errors.

std::vector<HeldError> Errors(std::size_t count, const std::function<double(std::size_t)>& error,
                              double deviation = 1) {
  std::vector<HeldError> errors;
  for (std::size_t i = 0; i < count; ++i) {
    errors.push_back(
        {.horizon = static_cast<double>(i + 1), .error = error(i), .deviation = deviation});
  }
  return errors;
}

// The factor (t / z)^2, where t = 1.7823 and z = 1.6449 are the quantiles 0.95 of Student's
// distribution with 12 degrees of freedom and of the normal one.
constexpr double kFactor12 = 1.7823 / 1.6449 * 1.7823 / 1.6449;

double Alternating(std::size_t i, double size) { return i % 2 == 0 ? size : -size; }

TEST(FitWidening, AddsTheExcessOfSquaredErrors) {
  const auto errors = Errors(12, [](std::size_t i) { return Alternating(i, 2); });
  const BandWidening w = FitWidening(errors, 1);
  EXPECT_EQ(w.horizons, (std::vector<double>{2.5, 6.5, 10.5}));
  for (Eigen::Index k = 0; k < 3; ++k) EXPECT_NEAR(w.variance(k, 0), 4 * kFactor12 - 1, 2e-3);
  EXPECT_EQ(w.values, (std::vector<std::size_t>{12}));
  EXPECT_EQ(w.inside[0], 0);
  // The bands reach 1.645 sqrt(1 + v(h)) at the horizon h. Before the first knot, 2.5, the added
  // variance is v(h) = v(2.5) h / 2.5.
  EXPECT_DOUBLE_EQ(w.inside_widened[0], 1);
  CheckWidening(w, 1, 1);
}

TEST(FitWidening, GrowsWithTheErrorsAndNeverFalls) {
  const auto growing = Errors(12, [](std::size_t i) {
    return Alternating(i, i < 4 ? 0 : i < 8 ? 3 : 2);
  });
  const BandWidening w = FitWidening(growing, 1);
  EXPECT_DOUBLE_EQ(w.variance(0, 0), 0);
  EXPECT_NEAR(w.variance(1, 0), 9 * kFactor12 - 1, 3e-3);
  EXPECT_DOUBLE_EQ(w.variance(2, 0), w.variance(1, 0));
}

TEST(FitWidening, LeavesHonestBandsAlone) {
  for (double size : {0.0, 0.5, 1.0, 1.1}) {
    EXPECT_TRUE(
        FitWidening(Errors(30, [&](std::size_t i) { return Alternating(i, size); }), 1).IsZero())
        << size;
  }
  const BandWidening w =
      FitWidening(Errors(30, [](std::size_t i) { return Alternating(i, 1); }), 1);
  EXPECT_TRUE(w.IsJudged());
  EXPECT_EQ(w.inside[0], 1);
}

TEST(FitWidening, ManyErrorsOfOneSignAreWorthFew) {
  // Twelve errors of 1.45 deviations are too large if they are independent, but not if one cause
  // explains all of them.
  EXPECT_FALSE(
      FitWidening(Errors(12, [](std::size_t i) { return Alternating(i, 1.45); }), 1).IsZero());
  EXPECT_TRUE(FitWidening(Errors(12, [](std::size_t) { return 1.45; }), 1).IsZero());
  EXPECT_FALSE(FitWidening(Errors(12, [](std::size_t) { return 3.0; }), 1).IsZero());
}

TEST(FitWidening, FewErrorsCannotBeJudged) {
  const auto large = [](std::size_t i) { return Alternating(i, 100); };
  EXPECT_TRUE(FitWidening(Errors(kFewestHeld - 1, large), 1).IsZero());
  const BandWidening w = FitWidening(Errors(kFewestHeld, large), 1);
  EXPECT_EQ(w.horizons, (std::vector<double>{3})) << "too few for thirds";
  EXPECT_GT(w.variance(0, 0), 9999);
}

TEST(FitWidening, BandsWithoutWidthAreWidened) {
  const auto errors = Errors(
      12, [](std::size_t i) { return Alternating(i, 2); }, 0);
  EXPECT_NEAR(FitWidening(errors, 1).variance(0, 0), 4 * kFactor12, 2e-3);
}

TEST(FitWidening, ChannelsAreJudgedOneByOne) {
  std::vector<HeldError> errors = Errors(12, [](std::size_t i) { return Alternating(i, 2); });
  for (HeldError e : Errors(12, [](std::size_t i) { return Alternating(i, 1); })) {
    e.channel = 1;
    errors.push_back(e);
  }
  const BandWidening w = FitWidening(errors, 3);
  EXPECT_NEAR(w.variance(2, 0), 4 * kFactor12 - 1, 2e-3);
  EXPECT_EQ(w.variance(2, 1), 0);
  EXPECT_EQ(w.variance(2, 2), 0);
  EXPECT_EQ(w.values[2], 0u);
  EXPECT_TRUE(FitWidening({}, 2).IsZero());
  EXPECT_EQ(MessageOf([&] { FitWidening(errors, 1); }),
            "FitWidening: channel is not one of the channels");
}

// ---- The linear model.

Trajectory Spiral(std::size_t points, bool irregular) {
  // The system is x' = -0.1 (x - 3) + 2 y, y' = -2 (x - 3) - 0.1 y.
  Trajectory t{.name = "", .times = {}, .values = {}, .start_time = {}};
  for (std::size_t i = 0; i < points; ++i) {
    const double extra = irregular && i % 3 == 1 ? 0.04 : 0;
    t.times.push_back(0.1 * static_cast<double>(i) + extra);
  }
  t.values.resize(std::ssize(t.times), 2);
  for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
    const double s = t.times[static_cast<std::size_t>(i)], decay = std::exp(-0.1 * s);
    t.values.row(i) << 3 + decay * std::cos(2 * s), -decay * std::sin(2 * s);
  }
  return t;
}

TEST(LinearModel, LearnsALinearSystemAndForecastsIt) {
  for (bool irregular : {false, true}) {
    const Trajectory whole = Spiral(120, irregular);
    Dataset data{.channels = {"x", "y"}, .trajectories = {whole}};
    const HeldBack parts = HoldBack(data, {.share = 0.25});
    Dataset seen = parts.seen;
    if (irregular) seen.trajectories[0].values(20, 0) = seen.trajectories[0].values(41, 1) = kNaN;
    const LinearModel linear(seen);
    EXPECT_NEAR(linear.Slope()(0, 1), 2, 0.1);
    EXPECT_NEAR(linear.Slope()(1, 0), -2, 0.1);
    const Trajectory& held = parts.held.trajectories[0];
    const Matrix forecast = linear.Continue(seen.trajectories[0], held.times);
    EXPECT_LT((forecast - held.values).cwiseAbs().maxCoeff(), 0.12);
    const Vector last = linear.LastValues(seen.trajectories[0]);
    EXPECT_NEAR(last[0], seen.trajectories[0].values(89, 0), 1e-12);
  }
}

TEST(LinearModel, DoesNotExplode) {
  Trajectory t{
      .name = "", .times = RegularTimes(0, 1, 20), .values = Matrix(20, 1), .start_time = {}};
  for (Eigen::Index i = 0; i < 20; ++i) t.values(i, 0) = std::exp(5 * t.times[i]);
  const LinearModel linear({.channels = {"x"}, .trajectories = {t}});
  EXPECT_LE(linear.Slope()(0, 0), 1e-9);
  EXPECT_LT(linear.Continue(t, std::vector<double>{1000.0})(0, 0), 1e6);
}

TEST(LinearModel, OfAlmostNothingIsPersistence) {
  Dataset data{.channels = {"x", "y"}, .trajectories = {{"", {0}, Matrix{{4, kNaN}}, {}}}};
  data.trajectories.push_back({"", {0, 1}, Matrix{{1, 5}, {kNaN, 7}}, {}});
  const LinearModel linear(data);
  EXPECT_DOUBLE_EQ(linear.LastValues(data.trajectories[0])[0], 4);
  EXPECT_DOUBLE_EQ(linear.LastValues(data.trajectories[0])[1], 6) << "the mean of the others";
  EXPECT_DOUBLE_EQ(linear.LastValues(data.trajectories[1])[0], 1);
  EXPECT_TRUE(linear.Continue(data.trajectories[1], std::vector<double>{2.0, 9.0}).allFinite());
}

// ---- Whole comparisons.

struct Observed {
  Dataset seen, held;
};

// Returns observations of both trajectories of the rotation. Those after time 15 are held back, and
// in them channel a drifts: it is kicked every quarter of a unit of time, with the standard
// deviation kicks / 2.
Observed ObserveRotation(const Model& model, double kicks, std::uint64_t seed) {
  Observed data;
  for (Dataset* part : {&data.seen, &data.held}) part->channels = model.channels;
  const RandomStream stream(seed, 1, 1, Purpose::kTest);
  for (std::size_t n = 0; n < 2; ++n) {
    const std::vector<double> before = RegularTimes(model.start_times[n], 15, 30);
    std::vector<double> after = RegularTimes(15, 25, 41);
    after.erase(after.begin());
    const Vector x0 = testing_support::InitialMeans(model).row(static_cast<Eigen::Index>(n));
    std::uint64_t index = 1000 * n;
    double drift = 0;
    const auto row = [&](double time) {
      double normals[4];
      stream.Normals(normals, 4 * index++);
      if (time > 15) drift += kicks * 0.5 * normals[3];
      Matrix y = model.map.Apply(testing_support::TrueState(x0, time + 10 - model.start_times[n]));
      for (Eigen::Index c = 0; c < 3; ++c) y(0, c) += normals[c];
      y(0, 0) += drift;
      return y;
    };
    for (auto [times, part] :
         {std::pair(&before, &data.seen), std::pair(&std::as_const(after), &data.held)}) {
      Trajectory t{
          .name = "", .times = *times, .values = Matrix(std::ssize(*times), 3), .start_time = {}};
      for (std::size_t i = 0; i < times->size(); ++i) {
        t.values.row(static_cast<Eigen::Index>(i)) = row((*times)[i]);
      }
      part->trajectories.push_back(t);
    }
  }
  return data;
}

TEST(AssessHoldout, LeavesAModelThatIsRightAlone) {
  const Model model = Rotation(0.02);
  const Observed data = ObserveRotation(model, 0, 3);
  const HoldoutReport report = AssessHoldout(model, data.seen, data.held, 64);
  EXPECT_TRUE(report.widening.IsZero());
  EXPECT_EQ(report.held_times, 80u);
  EXPECT_EQ(report.seen_times, 60u);
  ASSERT_EQ(report.rows.size(), 9u);
  for (const HoldoutRow& row : report.rows) {
    EXPECT_GT(row.values, 25u);
    EXPECT_NEAR(row.rmse, 1, 0.35);
    EXPECT_NEAR(row.inside, 0.9, 0.15);
    EXPECT_EQ(row.inside, row.inside_widened);
  }
  EXPECT_GT(report.rows[0].Skill(), 0.5);
  EXPECT_LT(report.rows[0].rmse, report.rows[0].persistence);
  EXPECT_TRUE(report.Remarks(model.channels).empty());
}

// Values that could not be forecast were once left out of the comparison, which then found nothing
// wrong.
TEST(AssessHoldout, ValuesThatCouldNotBeForecastAreMisses) {
  Model model = Rotation(0.02);
  model.options.solver.max_steps = 1;
  const Observed data = ObserveRotation(model, 0, 3);
  const HoldoutReport report = AssessHoldout(model, data.seen, data.held, 16);
  EXPECT_EQ(report.diverged, 0u);
  EXPECT_EQ(report.unfinished, 32u);
  ASSERT_EQ(report.rows.size(), 9u);
  for (const HoldoutRow& row : report.rows) {
    EXPECT_GT(row.values, 25u);
    EXPECT_EQ(row.rmse, INFINITY);
    EXPECT_EQ(row.inside, 0);
    EXPECT_EQ(row.Skill(), -INFINITY);
  }
  const std::vector<std::string> remarks = report.Remarks(model.channels);
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks.back().find("32 draws of the field need more solver steps"), std::string::npos)
      << remarks.back();
}

TEST(AssessHoldout, WidensTheChannelThatIsKicked) {
  const Model model = Rotation(0.02);
  const Observed data = ObserveRotation(model, 6, 3);
  const HoldoutReport report = AssessHoldout(model, data.seen, data.held, 64);
  const BandWidening& w = report.widening;
  EXPECT_GT(w.variance(2, 0), 9);
  EXPECT_TRUE(w.variance.rightCols(2).isZero(0));
  EXPECT_LT(w.inside[0], 0.5);
  EXPECT_GT(w.inside_widened[0], 0.8);
  const std::vector<std::string> remarks = report.Remarks(model.channels);
  ASSERT_FALSE(remarks.empty());
  EXPECT_TRUE(remarks[0].starts_with("channel 'a': ")) << remarks[0];
  EXPECT_NE(remarks[0].find("now widened by horizon to hold"), std::string::npos) << remarks[0];
}

TEST(AssessHoldout, OtherDataAreCoveredAfterWidening) {
  // Bands are widened by one data set and tested with others.
  const Model model = Rotation(0.02);
  Model wide = model;
  const Observed data = ObserveRotation(model, 6, 3);
  wide.widening = AssessHoldout(model, data.seen, data.held, 64).widening;
  double before = 0, after = 0;
  constexpr int kSets = 10;
  for (int seed = 10; seed < 10 + kSets; ++seed) {
    const Observed other = ObserveRotation(model, 6, static_cast<std::uint64_t>(seed));
    for (std::size_t n = 0; n < 2; ++n) {
      const Trajectory& t = other.held.trajectories[n];
      const auto share = [&](const Model& m) {
        const Forecast f = Posterior(m).Trajectory(n, t.times, {.draws = 64});
        const Matrix only = t.values.leftCols(1);
        Matrix seen = Matrix::Constant(t.values.rows(), 3, kNaN);
        seen.leftCols(1) = only;
        return Score(f, f.noise, seen).predictive_90;
      };
      before += share(model) / (2 * kSets);
      after += share(wide) / (2 * kSets);
    }
  }
  EXPECT_LT(before, 0.5);
  EXPECT_GT(after, 0.8);
}

TEST(AssessHoldout, SameBitsForAnyNumberOfThreads) {
  const Model model = Rotation(0.02);
  const Observed data = ObserveRotation(model, 6, 3);
  const HoldoutReport one = AssessHoldout(model, data.seen, data.held, 32, 1, 1),
                      three = AssessHoldout(model, data.seen, data.held, 32, 1, 3);
  EXPECT_EQ(one.widening.variance, three.widening.variance);
  ASSERT_EQ(one.rows.size(), three.rows.size());
  for (std::size_t i = 0; i < one.rows.size(); ++i) EXPECT_EQ(one.rows[i].rmse, three.rows[i].rmse);
}

TEST(AssessHoldout, CopesWithMissingValuesAndTrajectoriesWithoutHeldBackRows) {
  const Model model = Rotation(0.02);
  Observed data = ObserveRotation(model, 0, 3);
  Trajectory& t = data.held.trajectories[0];
  t.times.clear();
  t.values.resize(0, 3);
  data.held.trajectories[1].values.col(1).setConstant(kNaN);
  data.held.trajectories[1].values.col(2).tail(37).setConstant(kNaN);
  const HoldoutReport report = AssessHoldout(model, data.seen, data.held, 16);
  EXPECT_EQ(report.widening.values, (std::vector<std::size_t>{40, 0, 3}));
  const std::vector<std::string> remarks = report.Remarks(model.channels);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0], "channel 'b': 0 held-back values, too few to judge its bands");
  EXPECT_EQ(remarks[1], "channel 'c': 3 held-back values, too few to judge its bands");
}

// ---- A system that no ODE describes: an oscillator that random kicks drive.

Dataset KickedOscillator(std::uint64_t seed, std::size_t points) {
  constexpr std::size_t kSub = 20;
  const double gap = 0.25, h = gap / kSub, kick = 0.5;
  double x = 1.5, v = 0;
  Trajectory t{.name = "",
               .times = {},
               .values = Matrix(static_cast<Eigen::Index>(points), 2),
               .start_time = {}};
  const RandomStream stream(seed, 7, 7, Purpose::kTest);
  std::vector<double> normals(points * (kSub + 2));
  stream.Normals(normals);
  std::size_t next = 0;
  for (std::size_t i = 0; i < points; ++i) {
    t.times.push_back(gap * static_cast<double>(i));
    t.values.row(static_cast<Eigen::Index>(i)) << x + 0.05 * normals[next],
        v + 0.05 * normals[next + 1];
    next += 2;
    for (std::size_t k = 0; k < kSub; ++k) {
      x += h * v;
      v += h * (-x - 0.2 * v) + kick * std::sqrt(h) * normals[next++];
    }
  }
  return {.channels = {"x", "v"}, .trajectories = {t}};
}

TEST(TrainWithHoldout, BandsOfAKickedSystemCoverMuchMoreOfItsFuture) {
  constexpr std::size_t kSeen = 80, kLater = 16;
  double raw = 0, widened = 0, values = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const HeldBack parts = HoldBack(KickedOscillator(seed, kSeen + kLater),
                                    {.share = static_cast<double>(kLater) / (kSeen + kLater)});
    FitOptions options;
    options.steps = 1000;
    options.features = 32;
    options.inducing = 9;
    // Short segments start anew after each kick, so that the field is learnt as if there were no
    // kicks.
    options.bound = BoundKind::kShooting;
    options.polish = 0;
    Model model = TrainWithHoldout(parts.seen, options, {.share = 0.2}).model;
    const Trajectory& later = parts.held.trajectories[0];
    const auto inside = [&] {
      const Forecast f =
          ForecastTrajectory(model, 0, later.times, {.draws = 64, .from = Origin::kLatestState});
      const Scores scores = Score(f, f.noise, later.values);
      return scores.predictive_90 * static_cast<double>(scores.values);
    };
    widened += inside();
    model.widening = {};
    raw += inside();
    values += static_cast<double>(later.values.size());
  }
  RecordProperty("raw", std::to_string(raw / values));
  RecordProperty("widened", std::to_string(widened / values));
  EXPECT_LT(raw / values, 0.6);
  EXPECT_GT(widened / values, 0.7);
}

}  // namespace
}  // namespace gpode
