#include "predict/channel_scores.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpode {
namespace {

// A forecast of two channels at times 1 to 4 with two draws, whose means are 1 and 10.
Forecast ExampleForecast() {
  Forecast forecast;
  forecast.times = {1, 2, 3, 4};
  for (double off : {-0.5, 0.5}) {
    Matrix draw(4, 2);
    draw.col(0).setConstant(1 + off);
    draw.col(1).setConstant(10 + off);
    forecast.draws.push_back(draw);
  }
  return forecast;
}

TEST(ChannelScores, ErrorsAreThoseOfEachChannelAndHorizon) {
  const Forecast forecast = ExampleForecast();
  Matrix observed(4, 2);
  observed << 1, 12, 1, 12, 4, NAN, 4, 11;
  ChannelScoring scoring({0, 2.5, 4.5}, {2, 4});
  scoring.Add(forecast, GaussianNoise(Vector{{1.0, 1.0}}), observed, 0,
              std::vector<double>{0, NAN});
  const std::vector<ChannelScore> rows = scoring.Rows();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].channel, 0u);
  EXPECT_EQ(rows[1].from, 2.5);
  EXPECT_DOUBLE_EQ(rows[0].Error(), 0);
  EXPECT_DOUBLE_EQ(rows[1].Error(), 3);
  EXPECT_DOUBLE_EQ(rows[2].Error(), 2);
  EXPECT_DOUBLE_EQ(rows[3].Error(), 1);
  EXPECT_EQ(rows[3].scores.values, 1u);
  EXPECT_DOUBLE_EQ(rows[1].persistence, 4);
  EXPECT_DOUBLE_EQ(rows[1].Skill(), 1 - 9.0 / 16);
  EXPECT_TRUE(std::isnan(rows[2].Skill()));
  EXPECT_EQ(rows[2].spread, 4);
  const std::vector<ChannelScore> total = scoring.Rows(true);
  ASSERT_EQ(total.size(), 2u);
  EXPECT_DOUBLE_EQ(total[0].scores.mse, 4.5);
  EXPECT_DOUBLE_EQ(total[0].persistence, std::sqrt((1 + 1 + 16 + 16) / 4.0));
  EXPECT_EQ(total[0].to, 4.5);
}

TEST(ChannelScores, RowsWithoutValuesAreLeftOut) {
  Matrix observed = Matrix::Constant(4, 2, NAN);
  observed(0, 0) = 1;
  ChannelScoring scoring({0, 2.5, 4.5}, {1, 1});
  scoring.Add(ExampleForecast(), GaussianNoise(Vector{{1.0, 1.0}}), observed, 0,
              std::vector<double>{0, 0});
  ASSERT_EQ(scoring.Rows().size(), 1u);
  EXPECT_EQ(scoring.Rows(true).size(), 1u);
}

TEST(ChannelScores, ThirdsHoldTheLongestHorizon) {
  const std::vector<double> edges = EdgesOfThirds(9);
  ASSERT_EQ(edges.size(), 4u);
  EXPECT_EQ(edges[1], 3);
  EXPECT_GT(edges[3], 9);
  EXPECT_TRUE(EdgesOfThirds(0).empty());
}

}  // namespace
}  // namespace gpode
