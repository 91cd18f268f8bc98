// Tests of the removal of draws whose solutions leave the range of the data.
#include "train/bounded_draws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/simulate.h"
#include "support/sampled_options.h"
#include "train/sampled_target.h"

namespace gpode {
namespace {

class BoundedDraws : public testing::Test {
 protected:
  // Makes a model whose draws are all equal to the start.
  Model MakeModel(const std::string& kernel) {
    FitOptions options = SampledOptions(kernel);
    options.inducing = 8;
    start_ = Initialise(data_, options);
    const SampledTarget target(data_, options, start_);
    trajectories_ = target.trajectories();
    layout_ = target.parts().layout();
    Model model = UntrainedModel(data_, options, start_);
    const std::vector<double> values = StartValues(target.parts(), start_, {});
    model.parameters = {layout_, values};
    model.draws =
        Eigen::Map<const Eigen::RowVectorXd>(values.data(), std::ssize(values)).replicate(3, 1);
    return model;
  }

  // Makes the field of a draw so large that its solutions leave the data.
  void LetRunAway(Eigen::Index row, Model& model) const {
    const ParameterBlock& latent = layout_.Find("inducing_mean");
    model.draws.row(row)
        .segment(static_cast<Eigen::Index>(latent.value_offset),
                 static_cast<Eigen::Index>(latent.value_size))
        .array() = 50;
  }

  Dataset data_ =
      Simulate({.system = "pendulum", .points = 30, .noise_share = 0.1, .seed = 3}).data;
  Start start_;
  std::vector<TimedValues> trajectories_;
  ParameterLayout layout_;
};

TEST_F(BoundedDraws, ADrawThatRunsAwayIsRemoved) {
  Model model = MakeModel("se + polynomial2");
  const Matrix before = model.draws;
  LetRunAway(1, model);
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws, before.topRows(2));
}

TEST_F(BoundedDraws, IfAllDrawsRunAwayAllAreKept) {
  Model model = MakeModel("se + polynomial2");
  for (Eigen::Index row = 0; row < 3; ++row) LetRunAway(row, model);
  const Matrix before = model.draws;
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws, before);
}

TEST_F(BoundedDraws, OneInTenOfTheDrawsThatLeaveTheRangeIsKept) {
  Model model = MakeModel("se + linear");
  const Matrix start = model.draws.topRows(1);
  model.draws = start.replicate(200, 1);
  for (Eigen::Index row = 0; row < 200; row += 2) LetRunAway(row, model);
  const Matrix before = model.draws;
  KeepBoundedDraws(trajectories_, start_.states, model);
  Eigen::Index near = 0;
  for (Eigen::Index row = 0; row < model.draws.rows(); ++row) near += model.draws.row(row) == start;
  EXPECT_EQ(near, 100);
  // The number of the others is binomial: 100 draws, each kept with probability 0.1.
  const Eigen::Index far = model.draws.rows() - near;
  EXPECT_GT(far, 1);
  EXPECT_LT(far, 23);
  Model again = MakeModel("se + linear");
  again.draws = before;
  again.options.threads = 3;
  KeepBoundedDraws(trajectories_, start_.states, again);
  EXPECT_EQ(again.draws, model.draws);
}

TEST_F(BoundedDraws, WithoutARestrictionAllDrawsAreKept) {
  Model model = MakeModel("se + linear");
  model.options.prior.leaving = 1;
  LetRunAway(1, model);
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws.rows(), 3);
  model.options.prior.leaving = 0;
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws.rows(), 2);
}

TEST_F(BoundedDraws, IfMostDrawsLeaveTheRangeAllAreKept) {
  Model model = MakeModel("se + linear");
  model.draws = model.draws.topRows(1).replicate(40, 1).eval();
  for (Eigen::Index row = 0; row < 26; ++row) LetRunAway(row, model);
  Model fewer = model;
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_LT(model.draws.rows(), 30);
  LetRunAway(26, fewer);
  KeepBoundedDraws(trajectories_, start_.states, fewer);
  EXPECT_EQ(fewer.draws.rows(), 40);
}

TEST(BoundedWeights, OfDistances) {
  EXPECT_EQ(BoundedWeight(0, 0, 0.1), 1);
  EXPECT_EQ(BoundedWeight(1, 3, 0.1), 1);
  EXPECT_EQ(BoundedWeight(1.01, 1, 0.2), 0.2);
  EXPECT_EQ(BoundedWeight(HUGE_VAL, 1, 0.1), 0.1);
  EXPECT_EQ(BoundedWeight(9, 2, 0.1), 0.1);
  EXPECT_EQ(BoundedWeight(11, 2, 1), 0);
}

TEST(BoundedWeights, DistancesAreInUnitsOfTheRangeOfEachState) {
  Matrix seen(3, 3), path(2, 3);
  seen << 0, 10, 5, 1, 20, 5, 2, 30, 5;
  path << 1, 20, 900, 2, 30, 5;  // The third state does not vary in the data.
  EXPECT_EQ(DistanceFromRange(path, seen), 0);
  path(1, 1) = 40;
  EXPECT_DOUBLE_EQ(DistanceFromRange(path, seen), 0.5);
  path(0, 0) = -3;
  EXPECT_DOUBLE_EQ(DistanceFromRange(path, seen), 1.5);
  path(0, 1) = NAN;
  EXPECT_EQ(DistanceFromRange(path, seen), HUGE_VAL);
}

}  // namespace
}  // namespace gpode
