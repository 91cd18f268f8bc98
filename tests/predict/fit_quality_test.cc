#include "gpode/fit_quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "gpode/simulate.h"

namespace gpode {
namespace {

bool Mention(const std::vector<std::string>& remarks, const std::string& part) {
  return std::any_of(remarks.begin(), remarks.end(), [&](const std::string& remark) {
    return remark.find(part) != std::string::npos;
  });
}

Dataset Noisy() {
  return Simulate({.system = "vdp", .points = 60, .noise_share = 0.05, .seed = 2}).data;
}

FitOptions Steps(std::size_t steps) {
  FitOptions options;
  options.steps = steps;
  return options;
}

TEST(DataRemarks, AreNoneForGoodData) { EXPECT_TRUE(DataRemarks(Noisy()).empty()); }

TEST(DataRemarks, AreNoneForASmallMovementFarFromZero) {
  Dataset data = Noisy();
  data.trajectories[0].values.col(0).array() += 1e9;
  EXPECT_TRUE(DataRemarks(data).empty());
}

TEST(DataRemarks, FindConstantChannelsOutliersAndCoarseValues) {
  Dataset data = Noisy();
  Trajectory& t = data.trajectories[0];
  t.values(30, 0) += 50;
  t.values.col(1) = t.values.col(1).array().sign();
  EXPECT_TRUE(Mention(DataRemarks(data), "'x1' has 3 values far off"));
  EXPECT_TRUE(Mention(DataRemarks(data), "'x2' has only 2 different values"));
  t.values.col(1).setConstant(3);
  EXPECT_TRUE(Mention(DataRemarks(data), "'x2' is constant (3)"));
}

TEST(DataRemarks, FindGapsFewTimesMissingValuesAndOddUnits) {
  Dataset data = Noisy();
  Trajectory& t = data.trajectories[0];
  for (std::size_t i = 40; i < t.times.size(); ++i) t.times[i] += 10;
  t.values.col(1) *= 1e6;
  t.values.col(0).head(40).setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Mention(DataRemarks(data), "has a gap of"));
  EXPECT_TRUE(Mention(DataRemarks(data), "'x1' is missing in 67 %"));
  EXPECT_TRUE(Mention(DataRemarks(data), "are the units right?"));
  data.trajectories[0] = Thinned(data.trajectories[0], 5);
  EXPECT_TRUE(Mention(DataRemarks(data), "there are only 5 times"));
}

TEST(AssessFit, SeesWhatTheModelExplains) {
  const TrainedModel trained = Train(Noisy(), Steps(1500));
  const FitQuality quality = AssessFit(trained);
  ASSERT_EQ(quality.channels.size(), 2u);
  for (const ChannelFit& fit : quality.channels) {
    EXPECT_EQ(fit.values, 60u);
    EXPECT_LT(fit.residual, 0.2 * fit.spread);
    EXPECT_LT(fit.outside, 0.25);
  }
  EXPECT_FALSE(Mention(quality.remarks, "explains only"));
}

// A model with one state cannot oscillate, so its residuals are correlated.
TEST(AssessFit, SuspectsAMissingStateIfResidualsAreCorrelated) {
  Dataset data = Noisy();
  EXPECT_FALSE(Mention(AssessFit(Train(data, Steps(1000))).remarks, "correlated"));
  data.channels.resize(1);
  data.trajectories[0].values = Matrix(data.trajectories[0].values.leftCols(1));
  EXPECT_TRUE(Mention(AssessFit(Train(data, Steps(300))).remarks,
                      "training residuals of 'x1' are correlated, by 0."));
  EXPECT_TRUE(Mention(AssessFit(Train(data, Steps(300))).remarks, "more states? --states 2"));
}

// Values that could not be forecast were once left out. A model from which nothing could be
// forecast then explained 100 %.
TEST(AssessFit, ValuesThatCouldNotBeForecastAreMisses) {
  TrainedModel trained = Train(Noisy(), Steps(20));
  EXPECT_FALSE(AssessFit(trained).IsAllMissed());
  trained.model.options.solver.max_steps = 1;
  const FitQuality quality = AssessFit(trained);
  EXPECT_TRUE(quality.IsAllMissed());
  for (const ChannelFit& fit : quality.channels) {
    EXPECT_EQ(fit.values, 60u);
    EXPECT_EQ(fit.missed, 59u) << "the first value is that of the initial state";
    EXPECT_GT(fit.outside, 0.98);
    EXPECT_GT(fit.residual, 0.95 * fit.spread) << "nothing is explained";
  }
  EXPECT_EQ(quality.lost.unfinished, 64u);
  EXPECT_EQ(quality.lost.diverged, 0u);
  EXPECT_TRUE(Mention(quality.remarks, "59 of its 60 values could not be forecast"));
  EXPECT_TRUE(Mention(quality.remarks, "64 draws of the field need more than 1 solver steps"));
}

TEST(AssessFit, SeesWhatItDoesNot) {
  TrainedModel trained = Train(Noisy(), Steps(20));
  trained.data.trajectories[0].values.col(0).reverseInPlace();
  const FitQuality quality = AssessFit(trained);
  EXPECT_TRUE(Mention(quality.remarks, "channel 'x1': the model explains only"));
  EXPECT_TRUE(Mention(quality.remarks, "outside the 90 % band"));
}

TEST(AssessFit, LooksAtAPartOfManyData) {
  Dataset data = Noisy();
  const Trajectory one = data.trajectories[0];
  for (int n = 0; n < 199; ++n) data.trajectories.push_back(one);
  const FitQuality quality = AssessFit(Train(data, Steps(2)), {.draws = 4});
  EXPECT_GT(quality.trajectories, 50u);
  EXPECT_LT(quality.trajectories, 80u);
}

}  // namespace
}  // namespace gpode
