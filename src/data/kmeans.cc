#include "data/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gpode/random.h"

namespace gpode {
namespace {

constexpr int kMostIterations = 50;

// Returns the first centres, which are drawn from the points: the first with equal probabilities,
// the others with probabilities proportional to the points' squared distances to the nearest centre
// so far (Arthur and Vassilvitskii, 2007).
Matrix Spread(const Matrix& points, Eigen::Index k, const RandomStream& stream) {
  Matrix centres(k, points.cols());
  std::vector<double> uniforms(k);
  stream.Uniforms(uniforms);
  Vector nearest = Vector::Constant(points.rows(), std::numeric_limits<double>::max());
  for (Eigen::Index c = 0; c < k; ++c) {
    Eigen::Index chosen =
        static_cast<Eigen::Index>(uniforms[c] * static_cast<double>(points.rows()));
    if (c > 0) {
      double left = uniforms[c] * nearest.sum();
      for (chosen = 0; chosen + 1 < points.rows() && left >= nearest[chosen]; ++chosen) {
        left -= nearest[chosen];
      }
    }
    centres.row(c) = points.row(chosen);
    nearest = nearest.cwiseMin((points.rowwise() - centres.row(c)).rowwise().squaredNorm());
  }
  return centres;
}

// Assigns each point to its nearest centre, and moves the centres to the means of their points.
// Returns false if no point changed its centre.
bool Improve(const Matrix& points, std::vector<Eigen::Index>& owner, Matrix& centres) {
  bool changed = false;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    Eigen::Index best;
    (centres.rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff(&best);
    changed = changed || best != owner[i];
    owner[i] = best;
  }
  Matrix sums = Matrix::Zero(centres.rows(), centres.cols());
  Vector counts = Vector::Zero(centres.rows());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    sums.row(owner[i]) += points.row(i);
    counts[owner[i]] += 1;
  }
  for (Eigen::Index c = 0; c < centres.rows(); ++c) {
    if (counts[c] > 0) centres.row(c) = sums.row(c) / counts[c];
  }
  return changed;
}

}  // namespace

Matrix KMeans(const Matrix& points, std::size_t k, std::uint64_t seed) {
  const RandomStream stream(seed, 0, 0, Purpose::kInitialisation);
  const auto count = static_cast<Eigen::Index>(k);
  Matrix centres = Spread(points, count, stream);
  std::vector<Eigen::Index> owner(points.rows(), -1);
  for (int i = 0; i < kMostIterations && Improve(points, owner, centres); ++i) {
  }
  // Centres that coincide are moved apart, because they would make the kernel matrix singular.
  const Matrix centred = points.rowwise() - points.colwise().mean();
  const double spread = std::sqrt(centred.squaredNorm() /
                                  static_cast<double>(std::max<Eigen::Index>(points.size(), 1)));
  // The unit of these moves is the spread of the points, or one if all points coincide up to
  // rounding.
  const double unit = spread > 1e-12 * points.cwiseAbs().maxCoeff() ? spread : 1.0;
  std::vector<double> normals(centres.size());
  stream.Normals(normals, 1u << 20);
  for (Eigen::Index c = 1; c < count; ++c) {
    const double nearest =
        (centres.topRows(c).rowwise() - centres.row(c)).rowwise().squaredNorm().minCoeff();
    if (nearest > 1e-12 * unit * unit) continue;
    for (Eigen::Index j = 0; j < centres.cols(); ++j) {
      centres(c, j) += 0.1 * unit * normals[c * centres.cols() + j];
    }
  }
  return centres;
}

}  // namespace gpode
