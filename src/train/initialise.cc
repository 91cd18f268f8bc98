#include "train/initialise.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/smoother.h"
#include "gpode/error.h"
#include "train/kmeans.h"

namespace gpode {
namespace {

// At the start: kernels that reach over the data, noise that no channel dominates with.
constexpr double kLengthscale = 1.3;       // states have unit variance
constexpr double kSmallestNoise = 1e-3;    // of the variance
constexpr double kPcaNoise = 1.5;          // of what the smoother leaves over, mean over channels
constexpr double kInducingSpread = 0.05;   // whitened
constexpr std::size_t kMostSlopes = 1000;  // slopes that the field is regressed on

struct ChannelMoments {
  Vector mean, variance;
};

ChannelMoments MomentsOf(const Dataset& data) {
  const auto channels = static_cast<Eigen::Index>(data.channels.size());
  ChannelMoments m{Vector::Zero(channels), Vector::Zero(channels)};
  for (Eigen::Index c = 0; c < channels; ++c) {
    double count = 0, sum = 0, squares = 0;
    double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
    for (const Trajectory& t : data.trajectories) {
      for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
        if (std::isnan(t.values(i, c))) continue;
        sum += t.values(i, c);
        count += 1;
        smallest = std::min(smallest, t.values(i, c));
        largest = std::max(largest, t.values(i, c));
      }
    }
    // A constant is its own mean, to the last bit: a rounding error must not look like a variance.
    m.mean[c] = smallest == largest ? smallest : count > 0 ? sum / count : 0;
    for (const Trajectory& t : data.trajectories) {
      for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
        const double e = t.values(i, c) - m.mean[c];
        if (!std::isnan(e)) squares += e * e;
      }
    }
    m.variance[c] = count > 0 ? squares / count : 0;
  }
  return m;
}

ObservationMap ScaledIdentity(const ChannelMoments& moments) {
  ObservationMap map = ObservationMap::Identity(moments.mean.size());
  map.offset = moments.mean;
  for (Eigen::Index c = 0; c < moments.mean.size(); ++c) {
    map.matrix(c, c) = moments.variance[c] > 0 ? std::sqrt(moments.variance[c]) : 1.0;
  }
  return map;
}

// The leading principal components, scaled so that scores have unit variance. Missing values count
// as the channel's mean.
ObservationMap PrincipalComponents(const Dataset& data, const ChannelMoments& moments,
                                   std::size_t dim) {
  const Eigen::Index channels = moments.mean.size();
  Matrix covariance = Matrix::Zero(channels, channels);
  double count = 0;
  for (const Trajectory& t : data.trajectories) {
    Matrix centred = t.values.rowwise() - moments.mean.transpose();
    centred = centred.array().isNaN().select(0.0, centred);
    covariance += centred.transpose() * centred;
    count += static_cast<double>(t.values.rows());
  }
  covariance /= count;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(covariance);
  ObservationMap map{Matrix(channels, static_cast<Eigen::Index>(dim)), moments.mean};
  for (std::size_t k = 0; k < dim; ++k) {
    const Eigen::Index i = channels - 1 - static_cast<Eigen::Index>(k);
    const double scale = std::sqrt(std::max(eigen.eigenvalues()[i], 0.0));
    map.matrix.col(k) = eigen.eigenvectors().col(i) * (scale > 0 ? scale : 1.0);
  }
  return map;
}

// Smoothed states and slopes of all trajectories, in the user's time.
struct SmoothStates {
  std::vector<Matrix> states, slopes;  // (T, D)
  Matrix x0;                           // (trajectories, D)
};

SmoothStates SmoothAll(const Dataset& data, const ObservationMap& map) {
  const auto count = data.trajectories.size();
  const Eigen::Index dim = map.matrix.cols();
  std::vector<Matrix> raw;
  SmoothStates s;
  s.x0.resize(static_cast<Eigen::Index>(count), dim);
  for (const Trajectory& t : data.trajectories) {
    raw.push_back(map.StatesOf(t.values));
    s.states.emplace_back(t.values.rows(), dim);
    s.slopes.emplace_back(t.values.rows(), dim);
  }
  for (Eigen::Index k = 0; k < dim; ++k) {
    std::vector<std::vector<double>> columns(count);
    std::vector<Series> series(count);
    for (std::size_t n = 0; n < count; ++n) {
      columns[n].assign(raw[n].col(k).begin(), raw[n].col(k).end());
      series[n] = {data.trajectories[n].times, columns[n]};
    }
    // A few trajectories tell the scales.
    const SmootherParameters parameters =
        FitSmoother(std::span(series).first(std::min<std::size_t>(count, 12)));
    for (std::size_t n = 0; n < count; ++n) {
      const Trajectory& t = data.trajectories[n];
      std::vector<double> at = t.times;
      const bool earlier = t.start() < t.times.front();
      if (earlier) at.insert(at.begin(), t.start());
      const Smoothed smoothed = Smooth(parameters, series[n], at);
      s.x0(static_cast<Eigen::Index>(n), k) = smoothed.value[0];
      for (std::size_t i = 0; i < t.times.size(); ++i) {
        s.states[n](static_cast<Eigen::Index>(i), k) = smoothed.value[i + earlier];
        s.slopes[n](static_cast<Eigen::Index>(i), k) = smoothed.slope[i + earlier];
      }
    }
  }
  return s;
}

Matrix Stack(const std::vector<Matrix>& parts) {
  Eigen::Index rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix all(rows, parts.front().cols());
  rows = 0;
  for (const Matrix& part : parts) {
    all.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return all;
}

// Every n-th row, so that at most `most` are left.
Matrix Thin(const Matrix& rows, std::size_t most) {
  const auto step = static_cast<Eigen::Index>((rows.rows() + most - 1) / most);
  Matrix kept((rows.rows() + step - 1) / step, rows.cols());
  for (Eigen::Index i = 0; i < kept.rows(); ++i) kept.row(i) = rows.row(i * step);
  return kept;
}

// Inducing values as the GP regression of the slopes, whitened (paper, S2.2).
void SetInducing(const Kernel& kernel, const Matrix& states, const Matrix& slopes, double jitter,
                 GpParameters& gp) {
  const Eigen::Index dim = states.cols(), m = gp.inducing_locations.rows();
  gp.inducing_mean.resize(dim, m);
  gp.inducing_chol.assign(dim, kInducingSpread * Matrix::Identity(m, m));
  for (Eigen::Index d = 0; d < dim; ++d) {
    const Eigen::Index row = gp.variances.size() == 1 ? 0 : d;
    const Hyperparameters hyper{gp.lengthscales.row(row).transpose(), gp.variances[row]};
    Matrix k = KernelMatrix(kernel, hyper, states, states);
    k.diagonal().array() += 0.02 * hyper.variance;
    const Vector weights = k.llt().solve(slopes.col(d));
    const Vector u = KernelMatrix(kernel, hyper, gp.inducing_locations, states) * weights;
    Matrix kzz = KernelMatrix(kernel, hyper, gp.inducing_locations, gp.inducing_locations);
    kzz.diagonal().array() += std::max(jitter, 1e-6 * hyper.variance);
    const Eigen::LLT<Matrix> llt(kzz);
    gp.inducing_mean.row(d) = llt.matrixL().solve(u).transpose();
  }
}

// Where the noise starts: what the smoother left over, in each channel's unit. With PCA all
// channels are in one unit, and one noise for all keeps the quiet ones from dominating before the
// dynamics are learnt.
Vector NoiseVariances(const Dataset& data, const FitOptions& options, const ObservationMap& map,
                      const ChannelMoments& moments, const SmoothStates& smooth) {
  Vector left = Vector::Zero(map.offset.size()), count = Vector::Zero(map.offset.size());
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Matrix residual = data.trajectories[n].values - map.Apply(smooth.states[n]);
    const Matrix seen = (residual.array() == residual.array()).cast<double>();
    left += residual.array().isNaN().select(0.0, residual).colwise().squaredNorm().transpose();
    count += seen.colwise().sum().transpose();
  }
  Vector noise(left.size());
  for (Eigen::Index c = 0; c < noise.size(); ++c) {
    const double smallest =
        moments.variance[c] > 0 ? kSmallestNoise * moments.variance[c] : kSmallestNoise;
    noise[c] = std::max(count[c] > 0 ? left[c] / count[c] : 0.0, smallest);
  }
  if (options.observation == Observation::kPca) noise.setConstant(kPcaNoise * noise.mean());
  return noise;
}

}  // namespace

Start Initialise(const Dataset& data, const FitOptions& options) {
  const ChannelMoments moments = MomentsOf(data);
  Start start;
  start.map = options.observation == Observation::kPca
                  ? PrincipalComponents(data, moments, options.states)
                  : ScaledIdentity(moments);
  const auto states_dim = static_cast<Eigen::Index>(start.map.dim());
  start.state_scale = Vector::Ones(states_dim);
  start.state_offset = Vector::Zero(states_dim);
  if (options.observation == Observation::kIdentity) {
    start.state_scale = start.map.matrix.diagonal();
    start.state_offset = start.map.offset;
  }
  SmoothStates smooth = SmoothAll(data, start.map);
  const Matrix states = Stack(smooth.states);
  Matrix slopes = Stack(smooth.slopes);
  const double rms = std::sqrt(slopes.squaredNorm() / static_cast<double>(slopes.size()));
  start.time_scale = rms > 0 && std::isfinite(rms) ? 1.0 / rms : 1.0;
  slopes *= start.time_scale;
  start.x0 = smooth.x0;

  start.noise_variance = NoiseVariances(data, options, start.map, moments, smooth);
  start.states = std::move(smooth.states);
  const Eigen::Index dim = states.cols();
  const Eigen::Index rows = options.shared_hyperparameters ? 1 : dim;
  start.gp.inducing_locations = KMeans(Thin(states, 20000), options.inducing, options.seed);
  start.gp.lengthscales = Matrix::Constant(rows, dim, kLengthscale);
  start.gp.variances = Vector::Constant(rows, 1.0);
  SetInducing(GetKernel(options.kernel), Thin(states, kMostSlopes), Thin(slopes, kMostSlopes),
              options.jitter, start.gp);
  return start;
}

}  // namespace gpode
