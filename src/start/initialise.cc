#include "start/initialise.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "data/autocorrelation.h"
#include "gpode/error.h"
#include "gpode/mlp.h"
#include "gpode/ode.h"
#include "options/fit_options.h"
#include "start/kmeans.h"
#include "start/network_start.h"
#include "start/smooth_states.h"

namespace gpode {
namespace {

// At the start: kernels that reach over the data, noise that no channel dominates with.
constexpr double kLengthscale = 1.3;        // states have unit variance
constexpr double kSmallestNoise = 1e-3;     // of the variance
constexpr double kPcaNoise = 1.5;           // of what the smoother leaves over, mean over channels
constexpr double kConstantNoise = 1e-9;     // of that, for channels that never change
constexpr double kInducingSpread = 0.05;    // whitened
constexpr double kSmallestVariance = 1e-4;  // of the mean over outputs, without scaling
constexpr double kRounding = 1e-9;
constexpr std::size_t kMostSlopes = 1000;  // slopes that the field is regressed on

// y = C x + b with the user's states x.
ObservationMap UserMap(const Dataset& data, const FitOptions& options) {
  if (options.observation == Observation::kIdentity) {
    return ObservationMap::Identity(data.channels.size());
  }
  if (options.observation_map.matrix.size() == 0) return PrincipalComponents(data, options.states);
  ObservationMap map = options.observation_map;
  if (map.offset.size() == 0) map.offset = Vector::Zero(map.matrix.rows());
  return map;
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

Vector GivenNoise(const FitOptions& options, Eigen::Index channels) {
  const std::vector<double>& given = options.noise_variance;
  if (given.size() == 1) return Vector::Constant(channels, given[0]);
  return Eigen::Map<const Vector>(given.data(), channels);
}

// Root mean square of each column.
Vector Sizes(const Matrix& rows) {
  return (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).cwiseSqrt().transpose();
}

// Where the noise starts: what the smoother left over, in each channel's unit. With PCA all
// channels are in one unit, and one noise for all keeps the quiet ones from dominating before the
// dynamics are learnt.
Vector NoiseVariances(const FitOptions& options, const std::vector<Matrix>& residuals,
                      const ChannelMoments& moments) {
  const Eigen::Index channels = moments.mean.size();
  if (!options.noise_variance.empty()) return GivenNoise(options, channels);
  Vector left = Vector::Zero(channels), count = Vector::Zero(channels);
  for (const Matrix& residual : residuals) {
    const Matrix seen = (residual.array() == residual.array()).cast<double>();
    left += residual.array().isNaN().select(0.0, residual).colwise().squaredNorm().transpose();
    count += seen.colwise().sum().transpose();
  }
  Vector noise(channels);
  for (Eigen::Index c = 0; c < channels; ++c) {
    const double smallest = kSmallestNoise * moments.Unit(c) * moments.Unit(c);
    noise[c] = std::max(count[c] > 0 ? left[c] / count[c] : 0.0, smallest);
  }
  if (options.observation == Observation::kPca) {
    const double common = kPcaNoise * noise.mean();
    for (Eigen::Index c = 0; c < channels; ++c) {
      noise[c] = moments.variance[c] > 0 ? common : kConstantNoise * common;
    }
  }
  return noise;
}

// One over the residuals' autocorrelation time, times the share of channels that are independent.
Vector ChannelWeights(const FitOptions& options, const std::vector<Matrix>& residuals) {
  const Eigen::Index channels = residuals.front().cols();
  Vector weights = Vector::Ones(channels);
  if (!options.discount) return weights;
  const double share = IndependentColumns(residuals) / static_cast<double>(channels);
  for (Eigen::Index c = 0; c < channels; ++c) {
    std::vector<std::vector<double>> series;
    for (const Matrix& r : residuals) series.emplace_back(r.col(c).begin(), r.col(c).end());
    weights[c] = share / AutocorrelationTime(series);
  }
  return weights;
}

// Root mean square of each column; where that is no more than a rounding error, the size that
// signals and hidden parts of unit size would give the state.
Vector Spread(const SignalMap& signals, const Matrix& centred) {
  Vector spread = Sizes(centred);
  for (Eigen::Index d = 0; d < spread.size(); ++d) {
    const double usual = std::hypot(signals.observed.row(d).norm(), signals.hidden.row(d).norm());
    if (!(spread[d] > kRounding * usual)) spread[d] = usual > 0 ? usual : 1.0;
  }
  return spread;
}

// The model's coordinates z: x = scale z + offset, about of unit size. Scores already are.
void SetCoordinates(const FitOptions& options, const SignalMap& signals, const Matrix& deviations,
                    Start& start) {
  const Eigen::Index dim = deviations.cols();
  start.state_scale = start.spread = Vector::Ones(dim);
  start.state_offset = Vector::Zero(dim);
  if (options.observation == Observation::kPca) return;
  const Vector mean = deviations.colwise().mean().transpose();
  const Vector spread = Spread(signals, deviations.rowwise() - mean.transpose());
  if (!options.scale) {
    start.spread = spread;
  } else if (options.observation == Observation::kIdentity) {
    start.state_scale = signals.observed.diagonal();
    start.state_offset = signals.offset;
  } else {
    start.state_scale = spread;
    start.state_offset = signals.offset + mean;
  }
}

// x - signals.offset becomes z.
Matrix InCoordinates(const Start& start, const SignalMap& signals, const Matrix& deviations) {
  return (deviations.rowwise() + (signals.offset - start.state_offset).transpose()) *
         start.state_scale.cwiseInverse().asDiagonal();
}

// The user's time in which states move by about their own size. Where nothing moves, the longest
// trajectory.
double TimeScale(const Dataset& data, const Matrix& slopes) {
  const double rms = std::sqrt(slopes.squaredNorm() / static_cast<double>(slopes.size()));
  if (rms > 0 && std::isfinite(1.0 / rms)) return 1.0 / rms;
  double span = 0;
  for (const Trajectory& t : data.trajectories) span = std::max(span, t.times.back() - t.start());
  return span > 0 && std::isfinite(span) ? span : 1.0;
}

void SetGp(const FitOptions& options, const Matrix& states, const Matrix& slopes, Start& start) {
  const Eigen::Index dim = states.cols();
  const Eigen::Index rows = options.shared_hyperparameters ? 1 : dim;
  GpParameters& gp = start.gp;
  gp.inducing_locations = KMeans(Thin(states, 20000), options.inducing, options.seed);
  gp.lengthscales = (kLengthscale * start.spread.transpose()).replicate(rows, 1);
  gp.variances = Vector::Ones(rows);
  if (!options.scale) {
    // A state that does not move is not to be held still with certainty.
    const Vector variances = Sizes(slopes).cwiseAbs2();
    const double mean = variances.mean() > 0 ? variances.mean() : 1.0;
    gp.variances = Vector::Constant(rows, mean);
    if (rows == dim) gp.variances = variances.cwiseMax(kSmallestVariance * mean);
  }
  SetInducing(GetKernel(options.kernel), Thin(states, kMostSlopes), Thin(slopes, kMostSlopes),
              options.jitter, gp);
}

std::span<const double> Entries(const auto& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

// Squares of values, slopes and times must be numbers too.
constexpr double kLargest = 1e100;

bool Usable(double size) { return size < kLargest && (size == 0 || size > 1 / kLargest); }

void CheckUnits(const Dataset& data) {
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Trajectory& t = data.trajectories[n];
    if (Usable(t.times.back() - t.start())) continue;
    ThrowInput("Fit", fmt::format("trajectory {}", n + 1),
               "lasts less than 1e-100 or more than 1e100: choose another unit of time");
  }
  const ChannelMoments moments = MomentsOf(data);
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    if (Usable(std::fabs(moments.mean[i])) && Usable(std::sqrt(moments.variance[i]))) continue;
    ThrowInput("Fit", fmt::format("channel '{}'", data.channels[c]),
               "has values below 1e-100 or above 1e100: choose another unit");
  }
}

void CheckGivenNoise(const std::vector<double>& variances, std::size_t channels) {
  if (variances.size() > 1) CheckSize("Fit", "noise_variance", variances.size(), channels);
}

void CheckGivenMap(const ObservationMap& map, std::size_t states, std::size_t channels) {
  CheckSize("Fit", "observation_map.matrix's rows", map.channels(), channels);
  CheckFinite("Fit", "observation_map.matrix", Entries(map.matrix));
  if (map.matrix.isZero(0)) ThrowInput("Fit", "observation_map.matrix", "is all zero, must not be");
  if (map.offset.size() > 0) {
    CheckSize("Fit", "observation_map.offset", map.offset.size(), channels);
    CheckFinite("Fit", "observation_map.offset", Entries(map.offset));
  }
  if (states != 0) CheckSize("Fit", "observation_map.matrix's columns", map.dim(), states);
}

// The posterior's covariances and the draws' features have to fit in memory.
void CheckNumbers(const Dataset& data, const FitOptions& o) {
  constexpr double kMostCovariances = 1e8, kMostFrequencies = 4e8;
  constexpr std::size_t kMostWeights = 1000000;
  const bool given = o.observation_map.matrix.size() > 0;
  const auto dim = static_cast<double>(given           ? o.observation_map.dim()
                                       : o.states == 0 ? data.channels.size()
                                                       : o.states);
  if (IsNetwork(o.model)) {
    const Mlp network(static_cast<std::size_t>(dim), o.neural.hidden);
    if (network.parameter_count() <= kMostWeights) return;
    ThrowInput("Fit", "neural.hidden",
               fmt::format("makes {} weights, must make at most {}", network.parameter_count(),
                           kMostWeights));
  }
  const auto inducing = static_cast<double>(o.inducing);
  if (dim * inducing * inducing > kMostCovariances) {
    ThrowInput("Fit", "inducing",
               fmt::format("is {} for {} states, must be at most {:.0f}", o.inducing, dim,
                           std::max(1.0, std::floor(std::sqrt(kMostCovariances / dim)))));
  }
  const double features = static_cast<double>(o.features) * static_cast<double>(o.draws);
  if (dim * dim * features > kMostFrequencies) {
    ThrowInput("Fit", "features",
               fmt::format("times draws is {:.0f} for {} states, must be at most {:.0f}", features,
                           dim, std::max(1.0, std::floor(kMostFrequencies / dim / dim))));
  }
}

void CheckObservation(const Dataset& data, const FitOptions& o) {
  const std::size_t channels = data.channels.size();
  const bool given = o.observation_map.matrix.size() > 0;
  CheckGivenNoise(o.noise_variance, channels);
  if (o.observation == Observation::kIdentity) {
    if (given) ThrowInput("Fit", "observation_map", "is given, but observation is the identity");
    if (o.states == 0 || o.states == channels) return;
    ThrowInput("Fit", "states",
               fmt::format("is {}, must equal the number of channels, {}, unless PCA or a matrix "
                           "is asked for",
                           o.states, channels));
  }
  if (given) return CheckGivenMap(o.observation_map, o.states, channels);
  if (o.observation == Observation::kMatrix) {
    ThrowInput("Fit", "observation_map", "is empty, but observation asks for a matrix");
  }
  CheckAtLeast("Fit", "states", static_cast<std::ptrdiff_t>(o.states), 1);
  if (o.states > channels) {
    ThrowInput("Fit", "states",
               fmt::format("is {}, must not be more than the channels, {}", o.states, channels));
  }
}

// A sampler has to accept some proposals, and can never accept all.
void CheckAcceptance(double target) {
  if (target > 0 && target < 1) return;
  ThrowInput("Fit", "sampler.target_acceptance",
             fmt::format("is {:g}, must be between 0 and 1", target));
}

}  // namespace

void CheckFit(const Dataset& data, const FitOptions& options) {
  CheckDataset(data);
  internal::CheckRanges(options, "Fit");
  CheckAcceptance(options.sampler.target_acceptance);
  CheckUnits(data);
  CheckObservation(data, options);
  CheckNumbers(data, options);
  const Solver solver(options.solver);
}

Start Initialise(const Dataset& data, const FitOptions& options) {
  const ChannelMoments moments = MomentsOf(data);
  const ObservationMap user_map = UserMap(data, options);
  const SignalMap signals = SignalsOf(data, options.observation, user_map, moments);
  SmoothStates smooth = SmoothAll(data, signals);

  Start start;
  SetCoordinates(options, signals, Stack(smooth.states), start);
  start.map = {user_map.matrix * start.state_scale.asDiagonal(),
               user_map.offset + user_map.matrix * start.state_offset};
  for (const Matrix& x : smooth.states) start.states.push_back(InCoordinates(start, signals, x));
  start.x0 = InCoordinates(start, signals, smooth.x0);
  Matrix slopes = Stack(smooth.slopes) * start.state_scale.cwiseInverse().asDiagonal();
  if (options.scale) start.time_scale = TimeScale(data, slopes);
  slopes *= start.time_scale;
  std::vector<Matrix> residuals;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    residuals.push_back(data.trajectories[n].values - start.map.Apply(start.states[n]));
  }
  start.noise_variance = NoiseVariances(options, residuals, moments);
  start.channel_weights = ChannelWeights(options, residuals);
  if (IsNetwork(options.model)) {
    start.weights =
        StartWeights(Thin(Stack(start.states), kMostSlopes), Thin(slopes, kMostSlopes), options);
  } else {
    SetGp(options, Stack(start.states), slopes, start);
  }
  return start;
}

}  // namespace gpode
