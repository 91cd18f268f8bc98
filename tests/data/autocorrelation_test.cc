#include "data/autocorrelation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Series = std::vector<std::vector<double>>;

// Returns x_i = a x_(i-1) + sqrt(1 - a^2) normal. Every value, including the first, has unit
// variance.
std::vector<double> Autoregressive(double a, std::size_t count, std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<double> values = {numbers.Normal()};
  while (values.size() < count) {
    values.push_back(a * values.back() + std::sqrt(1 - a * a) * numbers.Normal());
  }
  return values;
}

TEST(AutocorrelationTime, OfWhiteNoiseIsOne) {
  constexpr std::uint64_t kSeeds = 100;
  double sum = 0;
  std::size_t exact = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double time = AutocorrelationTime(Series{Autoregressive(0, 300, seed)});
    EXPECT_GE(time, 1);
    sum += time;
    exact += time == 1;
  }
  EXPECT_GE(exact, 90u);
  EXPECT_LT(sum / kSeeds, 1.1);
}

TEST(AutocorrelationTime, OfAnAutoregressiveProcess) {
  for (double a : {0.3, 0.6, 0.9}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      sum += AutocorrelationTime(Series{Autoregressive(a, 20000, seed)});
    }
    const double expected = (1 + a) / (1 - a);
    EXPECT_NEAR(sum / 10, expected, 0.06 * expected) << a;
  }
}

TEST(AutocorrelationTime, ValuesThatAlternateAreWorthNoMoreThanTheyAre) {
  EXPECT_EQ(AutocorrelationTime(Series{Autoregressive(-0.8, 1000, 1)}), 1);
}

TEST(AutocorrelationTime, DoesNotDependOnTheUnit) {
  std::vector<double> values = Autoregressive(0.7, 500, 2);
  const double time = AutocorrelationTime(Series{values});
  EXPECT_GT(time, 3);
  for (double& v : values) v *= 0x1p40;
  EXPECT_EQ(AutocorrelationTime(Series{values}), time);
}

// Products of values from different series do not enter the result.
TEST(AutocorrelationTime, OfManyShortSeriesIsThatOfALongOne) {
  Series series;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    series.push_back(Autoregressive(0.5, 20, seed));
  }
  EXPECT_NEAR(AutocorrelationTime(series), 3, 0.2);
  Series equal;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    equal.push_back(Autoregressive(0, 1, seed));
  }
  EXPECT_EQ(AutocorrelationTime(equal), 1);
}

TEST(AutocorrelationTime, PassesOverMissingValues) {
  std::vector<double> values = Autoregressive(0.8, 20000, 3);
  const double whole = AutocorrelationTime(Series{values});
  Numbers numbers(4);
  for (double& v : values) {
    if (numbers.Uniform(0, 1) < 0.3) v = NAN;
  }
  EXPECT_NEAR(AutocorrelationTime(Series{values}), whole, 0.1 * whole);
  // A missing value still counts as a step of time. If every other value is missing, no pair of
  // values is one step apart.
  std::vector<double> every_other = Autoregressive(0.8, 20000, 3);
  for (std::size_t i = 0; i < every_other.size(); i += 2) every_other[i] = NAN;
  EXPECT_EQ(AutocorrelationTime(Series{every_other}), 1) << "nothing is known of the first lag";
}

TEST(AutocorrelationTime, WithoutAnythingToCorrelateIsOne) {
  EXPECT_EQ(AutocorrelationTime(Series{}), 1);
  EXPECT_EQ(AutocorrelationTime(Series{{}, {}}), 1);
  EXPECT_EQ(AutocorrelationTime(Series{{2.0}}), 1);
  EXPECT_EQ(AutocorrelationTime(Series{{2.0, 2.0}}), 1);
  EXPECT_EQ(AutocorrelationTime(Series{std::vector<double>(50, 0.0)}), 1);
  EXPECT_EQ(AutocorrelationTime(Series{std::vector<double>(50, NAN)}), 1);
}

TEST(AutocorrelationTime, OfAConstantIsAboutItsLength) {
  for (std::size_t length : {10, 100, 1000}) {
    const double time = AutocorrelationTime(Series{std::vector<double>(length, -3.0)});
    EXPECT_GT(time, 0.9 * static_cast<double>(length));
    EXPECT_LE(time, static_cast<double>(length));
  }
}

TEST(IndependentColumns, IndependentOnesAllCount) {
  EXPECT_NEAR(IndependentColumns(std::vector{Numbers(5).Normals(2000, 6)}), 6, 0.1);
}

// Ten independent columns of only 30 rows are correlated by chance. If these correlations were
// taken at face value, the columns would count as 10 / (1 + 9 / 30).
TEST(IndependentColumns, ChanceCorrelationsOfFewRowsAreMostlyTakenOff) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const double count = IndependentColumns(std::vector{Numbers(seed).Normals(30, 10)});
    EXPECT_LE(count, 10);
    sum += count / 100;
  }
  EXPECT_GT(sum, 8.3);
}

TEST(IndependentColumns, EqualOnesCountOnce) {
  Matrix rows(500, 4);
  rows.colwise() = Numbers(7).Normals(500, 1).col(0);
  rows.col(1) *= -3;
  EXPECT_NEAR(IndependentColumns(std::vector{rows}), 1, 0.01);
  // Two pairs of equal columns count as two.
  rows.rightCols(2).colwise() = Numbers(8).Normals(500, 1).col(0);
  EXPECT_NEAR(IndependentColumns(std::vector{rows}), 2, 0.05);
}

TEST(IndependentColumns, CorrelatedOnesCountForLess) {
  Matrix rows = Numbers(9).Normals(20000, 2);
  rows.col(1) = 0.6 * rows.col(0) + 0.8 * rows.col(1);
  EXPECT_NEAR(IndependentColumns(std::vector{rows}), 2 / (1 + 0.36), 0.03);
  // The effective number of columns does not change if the rows are divided into parts.
  const std::vector<Matrix> parts = {rows.topRows(7000), rows.bottomRows(13000)};
  EXPECT_NEAR(IndependentColumns(parts), IndependentColumns(std::vector{rows}), 1e-12);
}

TEST(IndependentColumns, OneColumnIsOne) {
  EXPECT_EQ(IndependentColumns(std::vector{Numbers(10).Normals(30, 1)}), 1);
}

TEST(IndependentColumns, ZeroAndMissingColumnsHaveNothingInCommon) {
  EXPECT_EQ(IndependentColumns(std::vector<Matrix>{Matrix::Zero(20, 3)}), 3);
  EXPECT_EQ(IndependentColumns(std::vector<Matrix>{Matrix::Constant(20, 3, NAN)}), 3);
  Matrix rows(500, 3);
  rows.colwise() = Numbers(11).Normals(500, 1).col(0);
  rows.col(1).setZero();
  EXPECT_NEAR(IndependentColumns(std::vector{rows}), 9.0 / 5, 0.01) << "two equal, one alone";
}

TEST(IndependentColumns, PassesOverMissingValues) {
  Matrix rows(4000, 2);
  rows.colwise() = Numbers(12).Normals(4000, 1).col(0);
  for (Eigen::Index i = 0; i < rows.rows(); i += 20) rows(i, i % 40 / 20) = NAN;
  EXPECT_NEAR(IndependentColumns(std::vector{rows}), 1, 0.1);
  Matrix independent = Numbers(13).Normals(4000, 4);
  for (Eigen::Index i = 0; i < independent.size(); i += 3) independent.data()[i] = NAN;
  EXPECT_NEAR(IndependentColumns(std::vector{independent}), 4, 0.1);
}

}  // namespace
}  // namespace gpode
