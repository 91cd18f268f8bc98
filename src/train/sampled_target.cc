#include "train/sampled_target.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/moments.h"

namespace gpode {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

std::span<double> SpanOf(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

SurrogateLikelihood KnowsNothing(std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  return {Eigen::MatrixXd::Zero(size, size), Vector::Zero(size)};
}

// Minus the second derivatives with respect to the first n coordinates, by differences of the
// gradient.
Eigen::MatrixXd SecondDerivatives(const LogDensity& density, const Vector& position,
                                  Eigen::Index n) {
  constexpr double kStep = 1e-3;
  Eigen::MatrixXd second(n, n);
  Vector at = position, up(position.size()), down(position.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    at[i] = position[i] + kStep;
    density(SpanOf(at), SpanOf(up));
    at[i] = position[i] - kStep;
    density(SpanOf(at), SpanOf(down));
    at[i] = position[i];
    second.col(i) = (down - up).head(n) / (2 * kStep);
  }
  return 0.5 * (second + second.transpose());
}

}  // namespace

SampledTarget::SampledTarget(const Dataset& data, const FitOptions& options, const Start& start)
    : options_(options),
      start_(start),
      trajectories_(InModelTime(data, start.coordinates)),
      parts_(options, {.dim = start.map.dim(),
                       .channels = start.map.channels(),
                       .trajectories = data.trajectories.size()}) {
  AddLatent(ModelParts::kFunction);
  AddLatent(ModelParts::kInitial);
  whitened_ = coordinates_.size();
  surrogate_ = KnowsNothing(whitened_);
  for (std::size_t block : parts_.function().SampledBlocks()) AddBlock(block);
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
  const Vector units = options_.prior.noise * MomentsOf(data).Units();
  const std::vector<double> centres =
      StartNoise(parts_.likelihood(), units.array() * units.array());
  const std::size_t first = coordinates_.size();
  AddBlock(parts_.likelihood_block());
  for (std::size_t c = first; c < coordinates_.size(); ++c) {
    coordinates_[c].centre = std::log(centres[c - first]);
    coordinates_[c].unit = 2 * options_.prior.noise_deviation;  // of the variance's logarithm
    coordinates_[c].has_prior = false;
  }
}

std::size_t SampledTarget::further() const {
  const std::optional<std::size_t> block = parts_.function().ResidualBlock();
  return block ? parts_.layout().blocks()[*block].value_size : 0;
}

void SampledTarget::SetFlat(std::span<const double> flat) {
  flat_.assign(flat.begin(), flat.end());
}

std::unique_ptr<SampledDensity> SampledTarget::Density() const {
  return std::make_unique<SampledDensity>(*this);
}

SampledDensity::SampledDensity(const SampledTarget& target)
    : target_(target),
      parts_(target.options_, target.parts_.shape()),
      bound_(MakeBound(target.options_, target.start_, parts_, target.trajectories_,
                       CutIntoSegments(target.trajectories_, 0))),
      whitening_(target.surrogate_),
      values_(parts_.layout().value_size()),
      further_(target.further()) {
  bound_->Choose(bound_->AllSegments());
}

// Tells whether all values are finite, and positive where they must be: exp of a far position may
// be neither.
bool SampledDensity::ArePossible() const {
  const std::vector<ParameterBlock>& blocks = parts_.layout().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].transform != Transform::kPositive) continue;
    for (double v : parts_.layout().Values(b, std::span<const double>(values_))) {
      if (!(v > 0)) return false;
    }
  }
  return std::ranges::all_of(values_, [](double v) { return std::isfinite(v); });
}

bool SampledDensity::FindFactor(std::span<const double> values, Eigen::MatrixXd& factor) {
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  if (parts_.function().Set(values, pool_) != FactorStatus::kOk) return false;
  factor.setIdentity(n, n);
  Eigen::Index at = 0;
  for (const Matrix* own : parts_.function().Factors()) {
    factor.block(at, at, own->rows(), own->cols()) =
        Matrix(own->triangularView<Eigen::Lower>());
    at += own->rows();
  }
  return true;
}

// Sets the values and the latent variables at a position; false where it has no density.
bool SampledDensity::SetValues(std::span<const double> position) {
  flat_ = target_.flat_;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    flat_[c.index] = c.centre + c.unit * position[i];
  }
  parts_.layout().Constrain(flat_, values_);
  if (!ArePossible()) return false;
  if (!further_.empty()) {
    std::ranges::copy(further_, parts_.layout()
                                    .Values(*parts_.function().ResidualBlock(), std::span(values_))
                                    .begin());
  }
  if (!FindFactor(values_, factor_) || !whitening_.Set(factor_)) return false;
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  white_ = Eigen::Map<const Vector>(position.data(), n);
  whitening_.ToLatent(white_, latent_);
  // Latent variables are free parameters: their flat and their constrained values are the same.
  for (Eigen::Index i = 0; i < n; ++i) {
    flat_[target_.coordinates_[static_cast<std::size_t>(i)].index] = latent_[i];
  }
  parts_.layout().Constrain(flat_, values_);
  if (!further_.empty()) SetFurther(further_);
  return latent_.allFinite();
}

void SampledDensity::SetFurther(std::span<const double> further) {
  if (further.data() != further_.data()) further_.assign(further.begin(), further.end());
  if (further_.empty()) return;
  std::ranges::copy(
      further_,
      parts_.layout().Values(*parts_.function().ResidualBlock(), std::span(values_)).begin());
}

// From the cotangents of the latent variables to those of the whitened coordinates and of the
// hyperparameters.
void SampledDensity::PullWhitened(std::span<double> gradient) {
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  std::vector<double>& bflat = bflat_;
  bflat.assign(parts_.layout().flat_size(), 0.0);
  parts_.layout().ConstrainPullback(values_, bvalues_, bflat);
  blatent_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    blatent_[i] = bflat[target_.coordinates_[static_cast<std::size_t>(i)].index];
  }
  whitening_.Reverse(blatent_, bwhite_, bfactor_);
  std::vector<Matrix> bfactors;
  Eigen::Index at = 0;
  for (const Matrix* own : parts_.function().Factors()) {
    bfactors.emplace_back(bfactor_.block(at, at, own->rows(), own->cols()));
    at += own->rows();
  }
  if (!bfactors.empty()) {
    parts_.function().FactorsPullback(bfactors, bvalues_);
    bflat.assign(bflat.size(), 0.0);
    parts_.layout().ConstrainPullback(values_, bvalues_, bflat);
  }
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    gradient[i] = i < target_.whitened() ? bwhite_[static_cast<Eigen::Index>(i)]
                                         : c.unit * bflat[c.index];
  }
}

double SampledDensity::Evaluate(std::span<const double> position, std::span<double> gradient) {
  // Step sizes of the last call would make the density depend on it.
  bound_->ForgetStepSizes();
  bound_->with_gradient = !gradient.empty();
  std::ranges::fill(gradient, 0.0);
  if (!SetValues(position)) { if (getenv("GPODE_DEBUG")) fprintf(stderr, "IMPOSSIBLE values\n"); return kImpossible; }
  bvalues_.assign(gradient.empty() ? 0 : values_.size(), 0.0);
  const BoundTerms terms = bound_->Evaluate(values_, {}, bvalues_, pool_);
  if (getenv("GPODE_DEBUG") && (terms.factor != FactorStatus::kOk || terms.diverged > 0)) { fprintf(stderr, "IMPOSSIBLE factor %d diverged %zu pos", (int)(terms.factor != FactorStatus::kOk), terms.diverged); for (std::size_t i = target_.whitened(); i < target_.size(); ++i) fprintf(stderr, " %.2f", position[i]); fprintf(stderr, " | %.2f\n", white_.norm()); }
  if (terms.factor != FactorStatus::kOk || terms.diverged > 0) return kImpossible;
  if (!gradient.empty()) PullWhitened(gradient);
  double density = terms.Total() + whitening_.LogJacobian();
  for (std::size_t i = 0; i < target_.size(); ++i) {
    if (target_.coordinates_[i].has_prior) continue;
    density -= 0.5 * position[i] * position[i];
    if (!gradient.empty()) gradient[i] -= position[i];
  }
  return density;
}

void SampledDensity::DrawFurther(const RandomStream& stream, std::span<const double> position,
                                 std::span<double> further) {
  constexpr std::size_t kMostTrials = 100;
  const std::vector<double> before(further.begin(), further.end());
  std::vector<double> direction(before.size()), uniforms(kMostTrials + 2);
  stream.Normals(direction);
  stream.Uniforms(uniforms, direction.size() + 2);  // numbers that the normals do not use
  SetFurther(before);
  const double level = Evaluate(position, {}) + std::log(1 - uniforms[0]);
  double angle = 2 * std::numbers::pi * uniforms[1];
  double lower = angle - 2 * std::numbers::pi, upper = angle;
  for (std::size_t trial = 0; trial < kMostTrials; ++trial) {
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t i = 0; i < before.size(); ++i) further[i] = c * before[i] + s * direction[i];
    SetFurther(further);
    if (Evaluate(position, {}) > level) return;
    (angle < 0 ? lower : upper) = angle;
    angle = lower + (upper - lower) * uniforms[trial + 2];
  }
  std::ranges::copy(before, further.begin());
  SetFurther(before);
}

std::vector<double> SampledDensity::ValuesAt(std::span<const double> position) {
  SetValues(position);
  return values_;
}

Vector SampledDensity::PositionOf(std::span<const double> flat) {
  Vector position(static_cast<Eigen::Index>(target_.size()));
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    position[static_cast<Eigen::Index>(i)] = (flat[c.index] - c.centre) / c.unit;
  }
  parts_.layout().Constrain(flat, values_);
  if (!FindFactor(values_, factor_) || !whitening_.Set(factor_)) return position;
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  latent_ = position.head(n);
  whitening_.FromLatent(latent_, white_);
  position.head(n) = white_;
  return position;
}

Matrix Curvature(const LogDensity& density, const Vector& position) {
  constexpr double kLargest = 1e12;
  const Eigen::Index n = position.size();
  const Eigen::MatrixXd second = SecondDerivatives(density, position, n);
  if (!second.allFinite()) return Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(second);
  const Vector sizes = eigen.eigenvalues().cwiseAbs().cwiseMax(1.0).cwiseMin(kLargest);
  return eigen.eigenvectors() * sizes.asDiagonal() * eigen.eigenvectors().transpose();
}

namespace {

// The second derivatives of minus the log likelihood, made positive semidefinite: negative
// eigenvalues become zero, or, with `turned`, positive.
Eigen::MatrixXd LikelihoodCurvature(const LogDensity& density, const Vector& position,
                                    Eigen::Index n, bool turned) {
  constexpr double kLargest = 1e12;
  Eigen::MatrixXd second = SecondDerivatives(density, position, n);
  if (!second.allFinite()) return Eigen::MatrixXd::Zero(n, n);
  second.diagonal().array() -= 1;  // the prior's
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(second);
  const Vector sizes = (turned ? Vector(eigen.eigenvalues().cwiseAbs())
                               : Vector(eigen.eigenvalues().cwiseMax(0.0)))
                           .cwiseMin(kLargest);
  return eigen.eigenvectors() * sizes.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

SurrogateLikelihood FindSurrogate(SampledTarget& target, std::vector<double>& flat) {
  constexpr int kMostSteps = 50, kMostHalvings = 12;
  constexpr double kEnough = 0.05;
  const auto n = static_cast<Eigen::Index>(target.whitened());
  target.SetFlat(flat);
  target.SetSurrogate(KnowsNothing(target.whitened()));
  const std::unique_ptr<SampledDensity> own = target.Density();
  const LogDensity density = [&](std::span<const double> x, std::span<double> g) {
    return own->Evaluate(x, g);
  };
  Vector at = own->PositionOf(flat), gradient(at.size());
  double value = density(SpanOf(at), SpanOf(gradient));
  Eigen::MatrixXd curvature;
  for (int step = 0; step < kMostSteps; ++step) {
    curvature = LikelihoodCurvature(density, at, n, true);
    Eigen::MatrixXd whole = curvature;
    whole.diagonal().array() += 1;
    const Vector move = whole.llt().solve(gradient.head(n));
    if (getenv("GPODE_DEBUG")) fprintf(stderr, "newton %d value %.3f gain %.3f\n", step, value, 0.5 * move.dot(gradient.head(n)));
    const double gain = 0.5 * move.dot(gradient.head(n));
    double share = 1;
    Vector next = at, next_gradient(at.size());
    int halvings = 0;
    for (; halvings < kMostHalvings; ++halvings, share *= 0.5) {
      next.head(n) = at.head(n) + share * move;
      const double trial = density(SpanOf(next), SpanOf(next_gradient));
      if (!(trial > value)) continue;
      at = next;
      gradient = next_gradient;
      value = trial;
      break;
    }
    if (halvings == kMostHalvings || gain < kEnough) break;
  }
  curvature = LikelihoodCurvature(density, at, n, false);
  // The gradient of the log likelihood alone, and the same in the values u = L z.
  const Vector slope = gradient.head(n) + at.head(n);
  Vector shift = curvature * at.head(n) + slope;
  Eigen::MatrixXd factor;
  const std::vector<double> values = own->ValuesAt(SpanOf(at));
  if (!own->FindFactor(values, factor)) return KnowsNothing(target.whitened());
  const auto upper = factor.transpose().triangularView<Eigen::Upper>();
  upper.solveInPlace(shift);
  upper.solveInPlace(curvature);
  Eigen::MatrixXd turned = curvature.transpose();
  upper.solveInPlace(turned);
  target.parts().layout().Unconstrain(values, flat);
  return {0.5 * (turned + turned.transpose()), shift};
}

}  // namespace gpode
