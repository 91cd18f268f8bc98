// Inducing locations start at k-means centres (model/process_function.cc, data/kmeans.cc), inducing
// values from a regression of slopes (model/initial_inducing_values.cc; paper, section S2.2).
#include "start/initialise.h"

#include <algorithm>
#include <cmath>

#include "data/autocorrelation.h"
#include "gpode/unknown_function.h"
#include "start/smooth_states.h"
#include "start/without_outliers.h"

namespace gpode {
namespace {

// Constants of the initial noise variances. A noise variance is at least kSmallestNoise times the
// channel's variance, since a channel with a smaller one would dominate the likelihood. With
// principal components, all channels get kPcaNoise times the mean of these noise variances;
// channels that never change get kConstantNoise times that.
constexpr double kSmallestNoise = 1e-3, kPcaNoise = 1.5, kConstantNoise = 1e-9;
constexpr double kRounding = 1e-9;  // relative size below which a spread is a rounding error

// Returns the observation map y = C x + b for states x in the user's units, before Initialise
// scales them.
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

Vector GivenNoise(const FitOptions& options, Eigen::Index channels) {
  const std::vector<double>& given = options.noise_variance;
  if (given.size() == 1) return Vector::Constant(channels, given[0]);
  return Eigen::Map<const Vector>(given.data(), channels);
}

// Returns the root mean square of each column.
Vector Sizes(const Matrix& rows) {
  return (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).cwiseSqrt().transpose();
}

// Returns the initial noise variances: those that are given, or the mean squares of the smoother's
// residuals. With principal components all channels have the same unit; all that change get the
// same noise, so that channels with small residuals do not dominate before the dynamics are learnt.
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

// Returns the weight of each channel's observations (FitOptions::discount): the effective number of
// independent channels divided by their number, and by the autocorrelation time of the channel's
// residuals.
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

// Returns the spread of each state: the root mean square of its column of centred states or, if
// that is only a rounding error, the size that the state has if the signals s and hidden parts h of
// smooth_states.h have unit size.
Vector Spread(const SignalMap& signals, const Matrix& centred) {
  Vector spread = Sizes(centred);
  for (Eigen::Index d = 0; d < spread.size(); ++d) {
    const double usual = std::hypot(signals.observed.row(d).norm(), signals.hidden.row(d).norm());
    if (!(spread[d] > kRounding * usual)) spread[d] = usual > 0 ? usual : 1.0;
  }
  return spread;
}

// Sets the model's coordinates, in which states have about unit size, from the smoothed deviations
// x - signals.offset. Scores of principal components already have unit size.
void SetCoordinates(const FitOptions& options, const SignalMap& signals, const Matrix& deviations,
                    Start& start) {
  const Eigen::Index dim = deviations.cols();
  start.coordinates = Coordinates::Identity(static_cast<std::size_t>(dim));
  start.spread = Vector::Ones(dim);
  if (options.observation == Observation::kPca) return;
  const Vector mean = deviations.colwise().mean().transpose();
  const Vector spread = Spread(signals, deviations.rowwise() - mean.transpose());
  if (!options.scale) {
    start.spread = spread;
  } else if (options.observation == Observation::kIdentity) {
    start.coordinates.state_scale = signals.observed.diagonal();
    start.coordinates.state_offset = signals.offset;
  } else {
    start.coordinates.state_scale = spread;
    start.coordinates.state_offset = signals.offset + mean;
  }
}

// Converts deviations x - signals.offset to the model's states.
Matrix InCoordinates(const Start& start, const SignalMap& signals, const Matrix& deviations) {
  return (deviations.rowwise() + (signals.offset - start.coordinates.state_offset).transpose()) *
         start.coordinates.state_scale.cwiseInverse().asDiagonal();
}

// Returns the time, in the user's units, in which states move by about their own size; if nothing
// moves, the length of the longest trajectory.
double TimeScale(const Dataset& data, const Matrix& slopes) {
  const double rms = std::sqrt(slopes.squaredNorm() / static_cast<double>(slopes.size()));
  if (rms > 0 && std::isfinite(1.0 / rms)) return 1.0 / rms;
  double span = 0;
  for (const Trajectory& t : data.trajectories) span = std::max(span, t.times.back() - t.start());
  return span > 0 && std::isfinite(span) ? span : 1.0;
}

// Returns the inputs at all observation times (n, U), in the user's units.
Matrix ObservedInputs(const Dataset& data, const InputRule& rule) {
  std::vector<Matrix> inputs;
  for (const Trajectory& t : data.trajectories) {
    inputs.push_back(InputsAt(rule, t.inputs, t.times));
  }
  return Stack(inputs);
}

// Sets the coordinates of the inputs, and returns their spread in these coordinates. Measured
// inputs and the time are scaled to unit size; the phases of a clock already have it.
Vector SetInputCoordinates(const InputRule& rule, bool scale, const Matrix& inputs, Start& start) {
  const auto count = static_cast<Eigen::Index>(rule.size());
  const auto measured = static_cast<Eigen::Index>(rule.names.size());
  Vector spread = Vector::Ones(count);
  start.coordinates.input_scale = Vector::Ones(count);
  start.coordinates.input_offset = Vector::Zero(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    if (i >= measured && !(rule.has_time && i + 1 == count)) continue;
    const double mean = inputs.col(i).mean();
    const double size = std::sqrt((inputs.col(i).array() - mean).square().mean());
    const bool varies = size > kRounding * std::fabs(mean);
    const double unit = varies ? size : mean != 0 ? std::fabs(mean) : 1.0;
    (scale ? start.coordinates.input_scale[i] : spread[i]) = unit;
    if (scale) start.coordinates.input_offset[i] = mean;
  }
  return spread;
}

// Sets the coordinates of the inputs, and returns the start of the unknown function for these
// slopes at the smoothed states and the inputs.
FunctionStart StartFunction(UnknownFunction& function, const Dataset& data,
                            const FitOptions& options, const Matrix& slopes, Start& start) {
  const InputRule rule = options.InputsWith(data.inputs);
  const Matrix states = Stack(start.states);
  if (rule.size() == 0) {
    function.SetCoordinates(start.coordinates);
    return function.Start(states, slopes, start.spread);
  }
  const Matrix inputs = ObservedInputs(data, rule);
  const Vector input_spread = SetInputCoordinates(rule, options.scale, inputs, start);
  Matrix points(states.rows(), states.cols() + inputs.cols());
  points << states, start.coordinates.InputsToModel(inputs);
  Vector spread(points.cols());
  spread << start.spread, input_spread;
  function.SetCoordinates(start.coordinates);
  return function.Start(points, slopes, spread);
}

// Returns the derivatives of `values` with respect to `times`, by differences between the
// neighbours.
Vector Differences(const std::vector<double>& times, const Vector& values) {
  const Eigen::Index n = values.size();
  Vector slopes = Vector::Zero(n);
  for (Eigen::Index i = 0; i < n && n > 1; ++i) {
    const Eigen::Index before = std::max<Eigen::Index>(i - 1, 0), after = std::min(i + 1, n - 1);
    slopes[i] = (values[after] - values[before]) /
                (times[static_cast<std::size_t>(after)] - times[static_cast<std::size_t>(before)]);
  }
  return slopes;
}

// Asks the function for guesses of its states, and uses them for the states that no channel shows.
std::optional<StateFrame> FrameStates(const UnknownFunction& function, const Dataset& data,
                                      const FitOptions& options, const SignalMap& signals,
                                      SmoothStates& smooth) {
  if (options.equations.empty()) return std::nullopt;
  const InputRule rule = options.InputsWith(data.inputs);
  const Matrix states = Stack(smooth.states).rowwise() + signals.offset.transpose();
  Matrix points(states.rows(), states.cols() + static_cast<Eigen::Index>(rule.size()));
  points.leftCols(states.cols()) = states;
  if (rule.size() > 0) points.rightCols(points.cols() - states.cols()) = ObservedInputs(data, rule);
  const std::size_t seen = std::min(data.channels.size(), static_cast<std::size_t>(states.cols()));
  const std::optional<StateFrame> frame = function.FrameStates(points, Stack(smooth.slopes), seen);
  if (!frame) return frame;
  Eigen::Index row = 0;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    Matrix& own = smooth.states[n];
    for (auto d = static_cast<Eigen::Index>(seen); d < own.cols(); ++d) {
      own.col(d) = frame->states.col(d).segment(row, own.rows()).array() - signals.offset[d];
      smooth.slopes[n].col(d) = Differences(data.trajectories[n].times, own.col(d));
      smooth.x0(static_cast<Eigen::Index>(n), d) = own(0, d);
    }
    row += own.rows();
  }
  return frame;
}

// Sets the offsets and scales that a function with known equations requests.
void SetFrame(const StateFrame& frame, Coordinates& coordinates) {
  for (Eigen::Index d = 0; d < frame.offset.size(); ++d) {
    if (std::isnan(frame.offset[d])) continue;
    coordinates.state_offset[d] = frame.offset[d];
    coordinates.state_scale[d] = frame.scale[d];
  }
}

}  // namespace

Start Initialise(const Dataset& all_data, const FitOptions& options) {
  const bool has_outliers = options.likelihood.find("student-t") != std::string::npos;
  const Dataset data = has_outliers ? WithoutOutliers(all_data, options.likelihood) : all_data;
  const ChannelMoments moments = MomentsOf(data);
  const ObservationMap user_map = UserMap(data, options);
  // The function is made first, so that options that do not fit it are refused before anything is
  // computed.
  const std::unique_ptr<UnknownFunction> function =
      MakeUnknownFunction(options.function, {.options = options,
                                             .dim = user_map.dim(),
                                             .inputs = options.InputsWith(data.inputs).size()});
  const SignalMap signals = SignalsOf(data, options.observation, user_map, moments);
  SmoothStates smooth = SmoothAll(data, signals);
  const std::optional<StateFrame> frame = FrameStates(*function, data, options, signals, smooth);

  Start start;
  SetCoordinates(options, signals, Stack(smooth.states), start);
  if (frame && options.scale) SetFrame(*frame, start.coordinates);
  const Coordinates& own = start.coordinates;
  start.map = {user_map.matrix * own.state_scale.asDiagonal(),
               user_map.offset + user_map.matrix * own.state_offset};
  for (const Matrix& x : smooth.states) start.states.push_back(InCoordinates(start, signals, x));
  start.x0 = InCoordinates(start, signals, smooth.x0);
  Matrix slopes = Stack(smooth.slopes) * own.state_scale.cwiseInverse().asDiagonal();
  if (options.scale) start.coordinates.time_scale = TimeScale(data, slopes);
  slopes *= own.time_scale;
  std::vector<Matrix> residuals;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    residuals.push_back(data.trajectories[n].values - start.map.Apply(start.states[n]));
  }
  start.noise_variance = NoiseVariances(options, residuals, moments);
  start.channel_weights = ChannelWeights(options, residuals);
  // The unknown function computes its own start. For inducing values (paper, S2.2) see
  // model/initial_inducing_values.h.
  start.function = StartFunction(*function, data, options, slopes, start);
  return start;
}

}  // namespace gpode
