// Tests of the comparison of models by forecasts of held-back data, and of the choice of a model.
#include "gpode/compare_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpode/options.h"
#include "gpode/simulate.h"
#include "support/message_of.h"
#include "support/small_run.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::SmallData;
using testing_support::SmallOptions;

const CompareControl kQuick{.holdout = {.share = 0.34}, .draws = 16};

const ModelScore& Named(const ModelComparison& comparison, const std::string& name) {
  return *std::ranges::find(comparison.ranking, name, &ModelScore::name);
}

TEST(CompareModels, RanksModelsBesideSimpleForecasts) {
  CompareControl control = kQuick;
  control.period = 2;
  const auto candidates =
      MakeCandidates({"gpode", "npode"}, SmallData(), SmallOptions(), {"steps", "inducing"});
  const ModelComparison all = CompareModels(SmallData(), candidates, control);
  ASSERT_EQ(all.ranking.size(), 5u);
  EXPECT_EQ(all.held_times, 6u);
  EXPECT_EQ(all.period, 2);
  EXPECT_TRUE(std::ranges::is_sorted(all.ranking, {}, &ModelScore::error));
  for (const char* name : {"last value", "linear model", "seasonal value"}) {
    EXPECT_TRUE(Named(all, name).is_simple) << name;
    EXPECT_TRUE(std::isnan(Named(all, name).mnll)) << name;
  }
  EXPECT_FALSE(Named(all, "npode").is_simple);
  EXPECT_GT(Named(all, "npode").seconds, 0);
  EXPECT_EQ(all.Best(), &*std::ranges::find(all.ranking, false, &ModelScore::is_simple));
}

TEST(CompareModels, ErrorsAreThoseOfTheHeldBackReport) {
  const auto candidates = MakeCandidates({"gpode"}, SmallData(), SmallOptions(), {"steps"});
  const ModelComparison all = CompareModels(SmallData(), candidates, kQuick);
  const HeldBack parts = HoldBack(SmallData(), kQuick.holdout);
  const Model model = Fit(parts.seen, candidates[0].options);
  const HoldoutReport report =
      AssessHoldout(model, parts.seen, parts.held, kQuick.draws, candidates[0].options.seed);
  std::vector<double> squares(2), last(2), values(2);
  for (const HoldoutRow& row : report.rows) {
    const double n = static_cast<double>(row.values);
    squares[row.channel] += n * row.rmse * row.rmse;
    last[row.channel] += n * row.persistence * row.persistence;
    values[row.channel] += n;
  }
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(Named(all, "gpode").rmse[c], std::sqrt(squares[c] / values[c]), 1e-12);
    EXPECT_NEAR(Named(all, "last value").rmse[c], std::sqrt(last[c] / values[c]), 1e-12);
  }
}

TEST(CompareModels, AModelThatCannotBeTrainedIsRankedLastWithItsReason) {
  std::vector<CandidateModel> candidates =
      MakeCandidates({"gpode"}, SmallData(), SmallOptions(), {"steps"});
  candidates[0].options.kernel = "none";
  const ModelComparison all = CompareModels(SmallData(), candidates, kQuick);
  EXPECT_EQ(all.ranking.back().name, "gpode");
  EXPECT_NE(all.ranking.back().failure.find("kernel"), std::string::npos);
  EXPECT_EQ(all.Best(), nullptr);
}

TEST(CompareModels, EndsWhenItsCallerWants) {
  const auto candidates =
      MakeCandidates({"gpode", "shooting"}, SmallData(), SmallOptions(), {"steps"});
  CompareControl stopped = kQuick;
  stopped.report = [](std::size_t, const Progress& progress) { return progress.step < 2; };
  EXPECT_TRUE(CompareModels(SmallData(), candidates, stopped).interrupted);
  CompareControl satisfied = kQuick;
  satisfied.scored = [](const ModelScore&) { return false; };
  const ModelComparison one = CompareModels(SmallData(), candidates, satisfied);
  EXPECT_FALSE(one.interrupted);
  EXPECT_EQ(std::ranges::count(one.ranking, false, &ModelScore::is_simple), 1);
}

TEST(CompareModels, UnknownNamesAreErrors) {
  const std::string message = MessageOf([] { MakeCandidates({"gpod"}, SmallData()); });
  EXPECT_NE(message.find("'gpod'"), std::string::npos) << message;
  EXPECT_NE(message.find("shooting"), std::string::npos) << message;
}

Dataset Times(std::size_t times, std::size_t channels) {
  Dataset data{.channels = {}, .trajectories = {Trajectory{}}};
  for (std::size_t c = 0; c < channels; ++c) data.channels.push_back(std::to_string(c));
  data.trajectories[0].times.resize(times);
  return data;
}

std::vector<std::string> Tried(const Dataset& data, const std::vector<std::string>& given = {}) {
  std::vector<std::string> names;
  for (const CandidateModel& c : ModelsToTry(data, ChooseOptions(data, {}, given), given)) {
    names.push_back(c.name);
  }
  return names;
}

TEST(ModelsToTry, OnlyWhereTheSizeOfTheDataLeavesAChoice) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Tried(Times(100, 2)), Names{});
  EXPECT_EQ(Tried(Times(101, 2)), (Names{"joint", "shooting", "gpode"}));
  EXPECT_EQ(Tried(Times(601, 2)), (Names{"shooting", "gpode"}));
  EXPECT_EQ(Tried(Times(200, 8)), (Names{"shooting", "gpode"}));
  EXPECT_EQ(Tried(Times(1501, 2)), Names{});
  EXPECT_EQ(Tried(Times(300, 2), {"steps"}), Names{});
  EXPECT_EQ(Tried(Times(300, 2), {"posterior"}), Names{});
  Dataset driven = Times(300, 2);
  driven.inputs = {"u"};
  EXPECT_EQ(Tried(driven), Names{});
}

TEST(ModelsToTry, CandidatesAreTheModelsThatFitMakesByName) {
  const Dataset data = Times(150, 2);
  const FitOptions chosen = ChooseOptions(data);
  const std::vector<CandidateModel> candidates = ModelsToTry(data, chosen);
  EXPECT_EQ(OptionsText(candidates[0].options), OptionsText(chosen));
  FitOptions gpode;
  SetModel(gpode, "gpode", "test");
  EXPECT_EQ(OptionsText(candidates[2].options), OptionsText(gpode));
  FitOptions shooting;
  SetModel(shooting, "shooting", "test");
  EXPECT_EQ(OptionsText(candidates[1].options), OptionsText(shooting));
}

TEST(ChooseModel, LeavesTheChoiceWhereThereIsNothingToTry) {
  const FitOptions chosen = ChooseOptions(SmallData());
  const ModelChoice choice = ChooseModel(SmallData(), chosen);
  EXPECT_EQ(OptionsText(choice.options), OptionsText(chosen));
  EXPECT_TRUE(choice.reason.empty());
}

}  // namespace
}  // namespace gpode
