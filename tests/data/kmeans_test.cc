#include "data/kmeans.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;

// Returns 40 points around each corner.
Matrix Clusters(const Matrix& corners) {
  Numbers numbers(31);
  Matrix points(corners.rows() * 40, corners.cols());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    points.row(i) = corners.row(i % corners.rows()) + numbers.Normals(1, corners.cols(), 0.1);
  }
  return points;
}

Matrix Corners() {
  Matrix corners(4, 2);
  corners << 0, 0, 0, 5, 5, 0, 5, 5;
  return corners;
}

double NearestPair(const Matrix& centres) {
  double nearest = INFINITY;
  for (Eigen::Index i = 0; i < centres.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      nearest = std::min(nearest, (centres.row(i) - centres.row(j)).norm());
    }
  }
  return nearest;
}

TEST(KMeans, FindsSeparatedClusters) {
  const Matrix corners = Corners(), points = Clusters(corners);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix centres = KMeans(points, 4, seed);
    ASSERT_EQ(centres.rows(), 4);
    for (Eigen::Index c = 0; c < 4; ++c) {
      Matrix mean = Matrix::Zero(1, 2);
      for (Eigen::Index i = c; i < points.rows(); i += 4) mean += points.row(i) / 40;
      EXPECT_LT((centres.rowwise() - mean.row(0)).rowwise().norm().minCoeff(), 1e-12)
          << "cluster " << c << ", seed " << seed;
    }
  }
}

TEST(KMeans, OneCentreIsTheMean) {
  const Matrix points = Clusters(Corners());
  const Matrix centre = KMeans(points, 1, 1);
  EXPECT_LT((centre - points.colwise().mean()).norm(), 1e-12);
}

TEST(KMeans, SameSeedSameBits) {
  const Matrix points = Numbers(32).Normals(300, 3);
  const Matrix centres = KMeans(points, 20, 7);
  EXPECT_EQ(centres, KMeans(points, 20, 7));
  EXPECT_NE(centres, KMeans(points, 20, 8));
}

TEST(KMeans, FewerPointsThanCentres) {
  const Matrix points = Corners();
  const Matrix centres = KMeans(points, 9, 3);
  ASSERT_EQ(centres.rows(), 9);
  EXPECT_TRUE(centres.allFinite());
  EXPECT_GT(NearestPair(centres), 1e-3);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    EXPECT_LT((centres.rowwise() - points.row(i)).rowwise().norm().minCoeff(), 1e-12)
        << "every point is a centre: " << i;
  }
}

TEST(KMeans, RepeatedPoints) {
  Matrix points = Matrix::Constant(50, 2, 0.1);
  points.bottomRows(25).setConstant(3.0);
  const Matrix centres = KMeans(points, 6, 3);
  EXPECT_TRUE(centres.allFinite());
  EXPECT_GT(NearestPair(centres), 1e-3);
}

TEST(KMeans, OnePoint) {
  const Matrix point = Matrix::Constant(1, 3, 0.7);
  EXPECT_EQ(KMeans(point, 1, 1), point);
  const Matrix centres = KMeans(point, 5, 1);
  EXPECT_TRUE(centres.allFinite());
  EXPECT_GT(NearestPair(centres), 1e-3);
}

// The computed mean of equal numbers may differ from them by a rounding error. This difference was
// once taken for a spread, and centres were left almost on top of each other.
TEST(KMeans, RoundingIsNoSpread) {
  const Matrix points = Matrix::Constant(7, 2, 0.1);
  EXPECT_GT(NearestPair(KMeans(points, 4, 1)), 1e-3);
}

}  // namespace
}  // namespace gpode
