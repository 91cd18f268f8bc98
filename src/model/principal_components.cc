// Principal components of data with missing values (paper, section 4.4). See gpode/observation.h.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "data/moments.h"
#include "gpode/error.h"
#include "gpode/observation.h"

namespace gpode {
namespace {

constexpr int kFills = 10;           // rounds of filling in missing values
constexpr double kFillNoise = 1e-3;  // noise variance, over the mean variance of channels

struct Filled {
  std::vector<Matrix> values;  // (T, channels) for each trajectory, without missing values
  Vector mean;
};

void UpdateMean(Filled& filled) {
  double count = 0;
  filled.mean.setZero();
  for (const Matrix& v : filled.values) {
    filled.mean += v.colwise().sum().transpose();
    count += static_cast<double>(v.rows());
  }
  filled.mean /= count;
}

ObservationMap Components(const Filled& filled, Eigen::Index dim) {
  const Eigen::Index channels = filled.mean.size();
  Matrix covariance = Matrix::Zero(channels, channels);
  double count = 0;
  for (const Matrix& values : filled.values) {
    const Matrix centred = values.rowwise() - filled.mean.transpose();
    covariance += centred.transpose() * centred;
    count += static_cast<double>(values.rows());
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(covariance / count);
  ObservationMap map{Matrix(channels, dim), filled.mean};
  for (Eigen::Index k = 0; k < dim; ++k) {
    const Eigen::Index i = channels - 1 - k;
    // Eigenvalues beyond the rank of the data are rounding errors. Their columns are zero, since
    // states of unit size would otherwise stand for these errors.
    const double value = eigen.eigenvalues()[i];
    const bool real = value > 1e-14 * eigen.eigenvalues()[channels - 1];
    map.matrix.col(k) = eigen.eigenvectors().col(i) * (real ? std::sqrt(value) : 0.0);
  }
  return map;
}

// Replaces missing values by what the components predict from the other values of the same row.
void Refill(const Dataset& data, const ObservationMap& map, Filled& filled) {
  const double variance = map.matrix.squaredNorm() / static_cast<double>(map.channels());
  if (!(variance > 0)) return;
  const Vector noise = Vector::Constant(map.offset.size(), kFillNoise * variance);
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Matrix& seen = data.trajectories[n].values;
    if (seen.allFinite()) continue;
    const Matrix made = map.Apply(GuessStates(map, noise, seen).mean);
    filled.values[n] = seen.array().isNaN().select(made, seen);
  }
  UpdateMean(filled);
}

}  // namespace

ObservationMap PrincipalComponents(const Dataset& data, std::size_t states) {
  CheckDataset(data);
  CheckAtLeast("PrincipalComponents", "states", static_cast<std::ptrdiff_t>(states), 1);
  if (states > data.channels.size()) {
    ThrowInput("PrincipalComponents", "states", "must not be more than the channels");
  }
  const auto dim = static_cast<Eigen::Index>(states);
  Filled filled{{}, MomentsOf(data).mean};
  bool whole = true;
  for (const Trajectory& t : data.trajectories) {
    whole = whole && t.values.allFinite();
    filled.values.push_back(t.values.array().isNaN().select(
        filled.mean.transpose().replicate(t.values.rows(), 1), t.values));
  }
  ObservationMap map = Components(filled, dim);
  for (int i = 0; i < kFills && !whole; ++i) {
    Refill(data, map, filled);
    map = Components(filled, dim);
  }
  return map;
}

}  // namespace gpode
