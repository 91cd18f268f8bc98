#include "train/sampled_target.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/moments.h"

namespace gpode {
namespace {

// The prior of the logarithm of the noise: its centre, as a share of the channel's variance, and
// its standard deviation.
constexpr double kNoiseShare = 0.01, kNoiseDeviation = 2;

}  // namespace

SampledTarget::SampledTarget(const Dataset& data, const FitOptions& options, const Start& start)
    : options_(options),
      start_(start),
      trajectories_(InModelTime(data, start.coordinates)),
      parts_(options, {.dim = start.map.dim(),
                       .channels = start.map.channels(),
                       .trajectories = data.trajectories.size()}) {
  AddLatent(ModelParts::kFunction);
  for (std::size_t block : parts_.function().SampledBlocks()) AddBlock(block);
  AddLatent(ModelParts::kInitial);
  if (options.noise_variance.empty()) AddNoise(data);
}

void SampledTarget::AddBlock(std::size_t block) {
  const ParameterBlock& own = parts_.layout().blocks()[block];
  for (std::size_t i = 0; i < own.flat_size; ++i) coordinates_.push_back({own.flat_offset + i});
}

void SampledTarget::AddLatent(std::size_t part) {
  std::vector<ParameterRange> ranges;
  parts_.posterior().AddParameterRanges(parts_.latent().Whole(part), ranges);
  for (const ParameterRange& range : ranges) AddBlock(range.block);
}

void SampledTarget::AddNoise(const Dataset& data) {
  const Vector units = MomentsOf(data).Units();
  const std::vector<double> centres =
      StartNoise(parts_.likelihood(), kNoiseShare * units.array() * units.array());
  const std::size_t first = coordinates_.size();
  AddBlock(parts_.likelihood_block());
  for (std::size_t c = first; c < coordinates_.size(); ++c) {
    coordinates_[c].centre = std::log(centres[c - first]);
    coordinates_[c].unit = kNoiseDeviation;
    coordinates_[c].has_prior = false;
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
  std::vector<double> flat = flat_, values(parts_.layout().value_size());
  for (std::size_t i = 0; i < size(); ++i) {
    const Coordinate& c = coordinates_[i];
    flat[c.index] = c.centre + c.unit * position[i];
  }
  parts_.layout().Constrain(flat, values);
  return values;
}

bool SampledTarget::ArePossible(std::span<const double> values) const {
  const std::vector<ParameterBlock>& blocks = parts_.layout().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].transform != Transform::kPositive) continue;
    for (double v : parts_.layout().Values(b, values)) {
      if (!(v > 0)) return false;
    }
  }
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

LogDensity SampledTarget::Density() const {
  struct State {
    ModelParts parts;
    std::unique_ptr<Bound> bound;
    ThreadPool pool{1};
    std::vector<double> values, bvalues, bflat;

    State(const FitOptions& options, const ModelShape& shape) : parts(options, shape) {}
  };
  auto state = std::make_shared<State>(options_, parts_.shape());
  state->bound =
      MakeBound(options_, start_, state->parts, trajectories_, CutIntoSegments(trajectories_, 0));
  state->bound->Choose(state->bound->AllSegments());
  return [this, state](std::span<const double> position, std::span<double> gradient) {
    constexpr double kImpossible = -std::numeric_limits<double>::infinity();
    // Step sizes of the last call would make the density depend on it.
    state->bound->ForgetStepSizes();
    state->values = ValuesAt(position);
    std::ranges::fill(gradient, 0.0);
    if (!ArePossible(state->values)) return kImpossible;
    state->bvalues.assign(state->values.size(), 0.0);
    state->bflat.assign(parts_.layout().flat_size(), 0.0);
    const BoundTerms terms = state->bound->Evaluate(state->values, {}, state->bvalues, state->pool);
    if (terms.factor != FactorStatus::kOk || terms.diverged > 0) return kImpossible;
    parts_.layout().ConstrainPullback(state->values, state->bvalues, state->bflat);
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
