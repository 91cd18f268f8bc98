#include "train/sampled_target.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/moments.h"

namespace gpode {
namespace {

// The prior of the noise's logarithm.
constexpr double kNoiseShare = 0.01;  // of a channel's variance: its centre
constexpr double kNoiseDeviation = 2;

}  // namespace

SampledTarget::SampledTarget(const Dataset& data, const FitOptions& options, const Start& start)
    : options_(options),
      start_(start),
      trajectories_(InModelTime(data, start.time_scale)),
      parameters_(ParametersOf(options, start, data.trajectories.size(), 0)) {
  const ModelParameters& p = parameters_;
  AddBlock(p.weight_mean, 0, 1, true);
  AddBlock(p.inducing_mean, 0, 1, true);
  AddBlock(p.lengthscales, 0, 1, true);
  AddBlock(p.variances, 0, 1, true);
  AddBlock(p.x0_mean, 0, 1, true);
  if (!options.noise_variance.empty()) return;
  const std::size_t first = coordinates_.size();
  AddBlock(p.noise_variance, 0, kNoiseDeviation, false);
  const Vector units = MomentsOf(data).Units();
  for (std::size_t c = first; c < coordinates_.size(); ++c) {
    const double unit = units[static_cast<Eigen::Index>(c - first)];
    coordinates_[c].centre = std::log(kNoiseShare * unit * unit);
  }
}

void SampledTarget::AddBlock(std::size_t block, double centre, double unit, bool has_prior) {
  const ParameterBlock& own = parameters_.layout().blocks()[block];
  for (std::size_t i = 0; i < own.flat_size; ++i) {
    coordinates_.push_back({own.flat_offset + i, centre, unit, has_prior});
  }
}

void SampledTarget::SetFlat(std::span<const double> flat) {
  flat_.assign(flat.begin(), flat.end());
}

Vector SampledTarget::PositionOf(std::span<const double> flat) const {
  Vector position(static_cast<Eigen::Index>(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    const Coordinate& c = coordinates_[i];
    position[static_cast<Eigen::Index>(i)] = (flat[c.index] - c.centre) / c.unit;
  }
  return position;
}

std::vector<double> SampledTarget::ValuesAt(std::span<const double> position) const {
  std::vector<double> flat = flat_, values(parameters_.layout().value_size());
  for (std::size_t i = 0; i < size(); ++i) {
    const Coordinate& c = coordinates_[i];
    flat[c.index] = c.centre + c.unit * position[i];
  }
  parameters_.layout().Constrain(flat, values);
  return values;
}

bool SampledTarget::IsPossible(std::span<const double> values) const {
  const ModelParameters& p = parameters_;
  for (std::size_t block : {p.lengthscales, p.variances, p.noise_variance}) {
    for (double v : p.layout().Values(block, values)) {
      if (!(v > 0)) return false;
    }
  }
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

LogDensity SampledTarget::Density() const {
  struct State {
    std::unique_ptr<Bound> bound;
    BoundNoise noise;
    SegmentChoice all;
    ThreadPool pool{1};
    std::vector<double> values, bvalues, bflat;
  };
  auto state = std::make_shared<State>();
  state->bound = MakeBound(options_, start_, trajectories_, CutIntoSegments(trajectories_, 0),
                           parameters_, Knowledge::kPoint);
  state->bound->SampleNoise(0, 0, {}, state->noise, state->pool);
  state->all = state->bound->AllSegments();
  return [this, state](std::span<const double> position, std::span<double> gradient) {
    // What the solver remembers of the last call would make the density depend on it.
    std::ranges::fill(state->bound->step_hints, 0.0);
    state->values = ValuesAt(position);
    if (!IsPossible(state->values)) {
      std::ranges::fill(gradient, 0.0);
      return -std::numeric_limits<double>::infinity();
    }
    state->bvalues.assign(state->values.size(), 0.0);
    state->bflat.assign(parameters_.layout().flat_size(), 0.0);
    const BoundTerms terms = state->bound->Evaluate(state->values, state->noise, {}, state->all,
                                                    state->bvalues, state->pool);
    if (terms.factor != FactorStatus::kOk || terms.diverged > 0) {
      std::ranges::fill(gradient, 0.0);
      return -std::numeric_limits<double>::infinity();
    }
    parameters_.layout().ConstrainPullback(state->values, state->bvalues, state->bflat);
    double density = terms.Total();
    for (std::size_t i = 0; i < size(); ++i) {
      const Coordinate& c = coordinates_[i];
      gradient[i] = c.unit * state->bflat[c.index];
      if (c.has_prior) continue;
      density -= 0.5 * position[i] * position[i];
      gradient[i] -= position[i];
    }
    return density;
  };
}

Matrix Curvature(const LogDensity& density, const Vector& position) {
  constexpr double kStep = 1e-3, kLargest = 1e12;
  const Eigen::Index n = position.size();
  const auto size = static_cast<std::size_t>(n);
  Eigen::MatrixXd second(n, n);
  Vector at = position, up(n), down(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    at[i] = position[i] + kStep;
    density({at.data(), size}, {up.data(), size});
    at[i] = position[i] - kStep;
    density({at.data(), size}, {down.data(), size});
    at[i] = position[i];
    second.col(i) = (down - up) / (2 * kStep);
  }
  if (!second.allFinite()) return Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (second + second.transpose()));
  const Vector sizes = eigen.eigenvalues().cwiseAbs().cwiseMax(1.0).cwiseMin(kLargest);
  return eigen.eigenvectors() * sizes.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace gpode
