// Initial states and slopes from data. The inducing values that fit these slopes (paper, section
// S2.2) are computed in model/initial_inducing_values.cc.
#include "start/smooth_states.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "data/smoother.h"

namespace gpode {
namespace {

constexpr double kRank = 1e-9;          // singular values below this share of the largest are zero
constexpr double kGuessNoise = 1e-3;    // guessed noise variance / variance of the channel
constexpr double kMostVariance = 0.25;  // signals of larger posterior variance count as missing
// The most series, and the most times of all of them together, to which the smoother's parameters
// are fitted.
constexpr std::size_t kFittedSeries = 12, kFittedTimes = 4000;

using Series1 = std::vector<double>;
using Svd = Eigen::JacobiSVD<Eigen::MatrixXd>;

SignalMap Diagonal(const ChannelMoments& moments) {
  const Vector units = moments.Units();
  return {{units.asDiagonal(), moments.mean},
          kGuessNoise * units.cwiseAbs2(),
          units.asDiagonal(),
          Matrix(units.size(), 0),
          moments.mean};
}

// Returns the correlation matrix of the channels. A missing value counts as the channel's mean.
Matrix Correlation(const Dataset& data, const Vector& mean, const Vector& units) {
  Matrix sum = Matrix::Zero(mean.size(), mean.size());
  double count = 0;
  for (const Trajectory& t : data.trajectories) {
    Matrix w =
        (t.values.rowwise() - mean.transpose()).array().rowwise() / units.transpose().array();
    w = w.array().isNaN().select(0.0, w);
    sum += w.transpose() * w;
    count += static_cast<double>(w.rows());
  }
  return sum / count;
}

// Returns for each state the change for which the changes of the channels, each in its channel's
// unit, have a norm of one. For a state that no channel depends on, returns the geometric mean of
// the others.
Vector StateUnits(const Matrix& matrix, const Vector& units) {
  Vector sizes = (units.cwiseInverse().asDiagonal() * matrix).colwise().norm().cwiseInverse();
  double log_sum = 0, count = 0;
  for (double s : sizes) {
    if (!std::isfinite(s)) continue;
    log_sum += std::log(s);
    count += 1;
  }
  for (double& s : sizes) {
    if (!std::isfinite(s)) s = count > 0 ? std::exp(log_sum / count) : 1.0;
  }
  return sizes;
}

// Returns the directions (columns) with signs such that the largest entry of each is positive.
Matrix WithSigns(Matrix directions) {
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    Eigen::Index largest;
    directions.col(k).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, k) < 0) directions.col(k) *= -1;
  }
  return directions;
}

SignalMap Given(const Dataset& data, const ObservationMap& map, const ChannelMoments& moments) {
  const Vector units = moments.Units(), sizes = StateUnits(map.matrix, units);
  const Matrix unit_map = units.cwiseInverse().asDiagonal() * map.matrix * sizes.asDiagonal();
  Svd svd(unit_map, Eigen::ComputeThinU | Eigen::ComputeFullV);
  svd.setThreshold(kRank);
  const Eigen::Index rank = svd.rank(), dim = map.matrix.cols();
  const Matrix v = svd.matrixV().leftCols(rank), u = svd.matrixU().leftCols(rank);
  const Vector inverse = svd.singularValues().head(rank).cwiseInverse();
  // `back` maps deviations of the channels, in their units, to the smallest deviations of the
  // states that explain them.
  const Matrix back = sizes.asDiagonal() * v * inverse.asDiagonal() * u.transpose();

  SignalMap s;
  s.hidden = sizes.asDiagonal() * WithSigns(svd.matrixV().rightCols(dim - rank));
  s.offset = back * (moments.mean - map.offset).cwiseQuotient(units);
  s.channels.offset = map.offset + map.matrix * s.offset;
  Matrix directions = Matrix::Identity(units.size(), units.size());
  if (rank < units.size()) {
    const Matrix correlation = Correlation(data, moments.mean, units);
    const Vector variances = (u.transpose() * correlation * u).diagonal();
    directions = u * variances.cwiseSqrt().asDiagonal();
  }
  s.channels.matrix = units.asDiagonal() * directions;
  s.noise_variance = kGuessNoise * units.cwiseAbs2();
  s.observed = back * directions;
  return s;
}

// Returns the signals for principal components, which are the scores. All channels have the same
// unit, and scores already have unit size.
SignalMap Scores(const ObservationMap& map) {
  const Eigen::Index dim = map.matrix.cols(), channels = map.matrix.rows();
  const double variance = map.matrix.squaredNorm() / static_cast<double>(channels);
  return {map, Vector::Constant(channels, variance > 0 ? kGuessNoise * variance : 1.0),
          Matrix::Identity(dim, dim), Matrix(dim, 0), Vector::Zero(dim)};
}

// Returns the signals at the observation times, with NaN for those that the observed channels do
// not determine.
Matrix SignalsAt(const SignalMap& signals, const Matrix& values) {
  if (signals.channels.IsDiagonal()) return signals.channels.StatesOf(values);
  const StateGuess guess = GuessStates(signals.channels, signals.noise_variance, values);
  return (guess.variance.array() > kMostVariance).select(NAN, guess.mean);
}

// A signal, or a derivative of one, with its own derivatives: for each trajectory the values at the
// requested times.
struct Level {
  std::vector<Series1> value, slope, acceleration;
};

Level SmoothSignal(const std::vector<std::vector<double>>& times,
                   const std::vector<Series1>& values, const std::vector<std::vector<double>>& at) {
  std::vector<Series> series(times.size());
  for (std::size_t n = 0; n < times.size(); ++n) series[n] = {times[n], values[n]};
  std::vector<Series> fitted(series.begin(),
                             series.begin() + std::min(series.size(), kFittedSeries));
  for (Series& s : fitted) {
    const std::size_t count = std::min(s.times.size(), kFittedTimes / fitted.size());
    s = {s.times.first(count), s.values.first(count)};
  }
  const SmootherParameters parameters = FitSmoother(fitted);
  Level level;
  for (std::size_t n = 0; n < times.size(); ++n) {
    Smoothed smoothed = Smooth(parameters, series[n], at[n]);
    level.value.push_back(std::move(smoothed.value));
    level.slope.push_back(std::move(smoothed.slope));
    level.acceleration.push_back(std::move(smoothed.acceleration));
  }
  return level;
}

// Returns the derivative of a level. The value and the slope of the result are the slope and the
// acceleration of the level. If the level has no acceleration, its slope is smoothed again to get
// one.
Level Derivative(const std::vector<std::vector<double>>& at, const Level& level) {
  Level next{level.slope, level.acceleration, {}};
  if (next.slope.empty()) next.slope = SmoothSignal(at, next.value, at).slope;
  return next;
}

double RootMeanSquare(const std::vector<Series1>& parts) {
  double squares = 0, count = 0;
  for (const Series1& part : parts) {
    for (double v : part) squares += v * v;
    count += static_cast<double>(part.size());
  }
  return count > 0 ? std::sqrt(squares / count) : 0.0;
}

// Adds value_n direction^T to result[n] for every trajectory n.
void AddAlong(const std::vector<Series1>& values, const Vector& direction,
              std::vector<Matrix>& result) {
  for (std::size_t n = 0; n < values.size(); ++n) {
    result[n] +=
        Eigen::Map<const Vector>(values[n].data(), result[n].rows()) * direction.transpose();
  }
}

struct OnGrid {
  std::vector<Matrix> states, slopes;  // per trajectory: at its start and its observation times
};

void AddHidden(const std::vector<std::vector<double>>& at, std::vector<Level> levels,
               const Matrix& hidden, OnGrid& grid) {
  for (Eigen::Index j = 0; j < hidden.cols(); ++j) {
    if (levels.empty()) return;
    Level& level = levels[static_cast<std::size_t>(j) % levels.size()];
    level = Derivative(at, level);
    const double size = RootMeanSquare(level.value);
    if (!(size > 0) || !std::isfinite(size)) continue;
    AddAlong(level.value, hidden.col(j) / size, grid.states);
    AddAlong(level.slope, hidden.col(j) / size, grid.slopes);
  }
}

}  // namespace

SignalMap SignalsOf(const Dataset& data, Observation kind, const ObservationMap& map,
                    const ChannelMoments& moments) {
  if (kind == Observation::kIdentity) return Diagonal(moments);
  return kind == Observation::kPca ? Scores(map) : Given(data, map, moments);
}

SmoothStates SmoothAll(const Dataset& data, const SignalMap& signals) {
  const Eigen::Index dim = signals.observed.rows();
  std::vector<std::vector<double>> times, at;
  std::vector<Matrix> raw;
  OnGrid grid;
  for (const Trajectory& t : data.trajectories) {
    times.push_back(t.times);
    at.push_back(t.times);
    if (t.start() < t.times.front()) at.back().insert(at.back().begin(), t.start());
    raw.push_back(SignalsAt(signals, t.values));
    grid.states.push_back(Matrix::Zero(static_cast<Eigen::Index>(at.back().size()), dim));
    grid.slopes.push_back(grid.states.back());
  }
  std::vector<Level> levels;
  for (Eigen::Index k = 0; k < signals.observed.cols(); ++k) {
    std::vector<Series1> values;
    for (const Matrix& r : raw) values.emplace_back(r.col(k).begin(), r.col(k).end());
    levels.push_back(SmoothSignal(times, values, at));
    AddAlong(levels.back().value, signals.observed.col(k), grid.states);
    AddAlong(levels.back().slope, signals.observed.col(k), grid.slopes);
  }
  AddHidden(at, std::move(levels), signals.hidden, grid);

  SmoothStates s;
  s.x0.resize(static_cast<Eigen::Index>(at.size()), dim);
  for (std::size_t n = 0; n < at.size(); ++n) {
    const auto rows = static_cast<Eigen::Index>(times[n].size());
    s.x0.row(static_cast<Eigen::Index>(n)) = grid.states[n].row(0);
    s.states.push_back(grid.states[n].bottomRows(rows));
    s.slopes.push_back(grid.slopes[n].bottomRows(rows));
  }
  return s;
}

}  // namespace gpode
