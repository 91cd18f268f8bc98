#include "train/sampled_target.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/moments.h"
#include "start/without_outliers.h"

namespace gpode {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// A solution may take kStepsPerObservation steps for each observation of the longest trajectory,
// and kFurtherSteps more. A position whose solution needs more steps has density zero: samplers
// also try functions whose solutions run away, and following those would take most of the time.
constexpr std::size_t kStepsPerObservation = 10, kFurtherSteps = 400;

FitOptions WithFewerSteps(const Dataset& data, FitOptions options) {
  std::size_t most = 0;
  for (const Trajectory& t : data.trajectories) most = std::max(most, t.times.size());
  options.solver.max_steps =
      std::min(options.solver.max_steps, kStepsPerObservation * most + kFurtherSteps);
  return options;
}

std::span<double> SpanOf(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

NoisePieces MakePieces(const std::vector<std::size_t>& counts,
                       const std::vector<TimedValues>& trajectories) {
  std::vector<double> spans;
  for (const TimedValues& t : trajectories) spans.push_back(t.times.back());
  return CutIntoPieces(counts, spans);
}

}  // namespace

SampledTarget::SampledTarget(const Dataset& data, const FitOptions& options, const Start& start,
                             const std::vector<std::size_t>& noise_pieces)
    : options_(WithFewerSteps(data, options)),
      start_(start),
      trajectories_(InModelTime(data, start.coordinates, options.InputsWith(data.inputs))),
      pieces_(MakePieces(noise_pieces, trajectories_)),
      parts_(options, {.dim = start.map.dim(),
                       .inputs = start.coordinates.inputs(),
                       .channels = start.map.channels(),
                       .trajectories = data.trajectories.size(),
                       .noise_pieces = pieces_.count()}) {
  AddLatent(ModelParts::kFunction);
  AddLatent(ModelParts::kInitial);
  if (parts_.HasProcessNoise()) AddLatent(ModelParts::kForce);
  whitened_ = coordinates_.size();
  for (std::size_t block : parts_.function().SampledBlocks()) AddBlock(block);
  parts_.function().SetStart(start_.function);
  for (const auto& group : parts_.function().SampledGroups()) AddGroup(group);
  if (parts_.HasProcessNoise() && options.process_noise == "learnt") AddProcessNoise();
  hyperparameters_ = coordinates_.size() - whitened_;
  if (options.noise_variance.empty()) AddNoise(data);
}

void SampledTarget::AddBlock(std::size_t block) {
  const ParameterBlock& own = parts_.layout().blocks()[block];
  for (std::size_t i = 0; i < own.flat_size; ++i) coordinates_.push_back({own.flat_offset + i});
}

void SampledTarget::AddGroup(const UnknownFunction::SampledGroup& group) {
  const std::size_t first = parts_.layout().blocks()[group.block].flat_offset;
  Coordinate coordinate{.index = first + group.members[0],
                        .centre = std::log(group.centres[0]),
                        .unit = group.deviation,
                        .has_prior = false};
  for (std::size_t i = 1; i < group.members.size(); ++i) {
    coordinate.further.push_back({first + group.members[i], std::log(group.centres[i])});
  }
  coordinates_.push_back(std::move(coordinate));
}

void SampledTarget::AddLatent(std::size_t part) {
  std::vector<ParameterRange> ranges;
  parts_.posterior().AddParameterRanges(parts_.latent().Whole(part), ranges);
  for (const ParameterRange& range : ranges) AddBlock(range.block);
}

void SampledTarget::AddNoise(const Dataset& data) {
  // The moments without outliers are a better guide to the size of the noise.
  const bool has_outliers = options_.likelihood.find("student-t") != std::string::npos;
  Vector units =
      MomentsOf(has_outliers ? WithoutOutliers(data, options_.likelihood) : data).Units();
  if (!options_.scale) units.setOnes();
  units *= options_.prior.noise;
  const std::vector<double> centres =
      StartNoise(parts_.likelihood(), units.array() * units.array());
  const Likelihood& likelihood = parts_.likelihood();
  const std::size_t per = likelihood.parameters_per_channel(),
                    offset = parts_.layout().blocks()[parts_.likelihood_block()].flat_offset;
  for (std::size_t c = 0; c < start_.map.channels(); ++c) {
    for (std::size_t i = 0; i < likelihood.ForChannel(c).learnt_parameters(); ++i) {
      // A log variance has twice the deviation of the log standard deviation.
      coordinates_.push_back({.index = offset + c * per + i,
                              .centre = std::log(centres[c * per + i]),
                              .unit = 2 * options_.prior.noise_deviation,
                              .has_prior = false});
    }
  }
}

void SampledTarget::AddProcessNoise() {
  const std::size_t first = coordinates_.size();
  AddBlock(parts_.process_noise_block());
  for (std::size_t c = first; c < coordinates_.size(); ++c) {
    coordinates_[c].centre = std::log(options_.prior.process_noise);
    coordinates_[c].unit = options_.prior.process_noise_deviation;
    coordinates_[c].has_prior = false;
  }
}

std::size_t SampledTarget::further() const {
  const std::optional<std::size_t> block = parts_.function().ResidualBlock();
  return block ? parts_.layout().blocks()[*block].value_size : 0;
}

// The logarithm of a variance that is estimated from n observations has the variance 2 / n.
Vector SampledTarget::LikelihoodDeviations() const {
  const std::size_t first = whitened_ + hyperparameters_,
                    per = parts_.likelihood().parameters_per_channel(),
                    offset = parts_.layout().blocks()[parts_.likelihood_block()].flat_offset;
  Vector deviations(static_cast<Eigen::Index>(coordinates_.size() - first));
  for (std::size_t i = 0; i < coordinates_.size() - first; ++i) {
    const auto channel = static_cast<Eigen::Index>((coordinates_[first + i].index - offset) / per);
    double count = 1;
    for (const TimedValues& t : trajectories_) {
      for (Eigen::Index row = 0; row < t.values.rows(); ++row) {
        count += std::isnan(t.values(row, channel)) ? 0 : 1;
      }
    }
    deviations[static_cast<Eigen::Index>(i)] = std::sqrt(2 / count) / coordinates_[first + i].unit;
  }
  return deviations;
}

void SampledTarget::SetFlat(std::span<const double> flat) {
  flat_.assign(flat.begin(), flat.end());
}

std::unique_ptr<SampledDensity> SampledTarget::Density() const {
  return std::make_unique<SampledDensity>(*this);
}

std::vector<std::unique_ptr<SampledDensity>> SampledTarget::Densities(std::size_t count) const {
  std::vector<std::unique_ptr<SampledDensity>> densities;
  for (std::size_t i = 0; i < count; ++i) densities.push_back(Density());
  return densities;
}

SampledDensity::SampledDensity(const SampledTarget& target)
    : target_(target),
      parts_(target.options_, target.parts_.shape()),
      bound_(MakeBound(target.options_, target.start_, parts_, target.trajectories_,
                       CutIntoSegments(target.trajectories_, 0), target.pieces_)),
      values_(parts_.layout().value_size()),
      further_(target.further()) {
  bound_->Choose(bound_->AllSegments());
}

// Returns true if all values are finite and those that must be positive are. Far from the origin
// they may not be, since exp overflows to infinity and underflows to zero.
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

LinearisedLikelihood SampledTarget::LineariseAt(std::span<const double> flat) const {
  std::vector<double> values(parts_.layout().value_size());
  parts_.layout().Constrain(flat, values);
  return LineariseAtValues(values);
}

LinearisedLikelihood SampledTarget::LineariseAtValues(std::span<const double> values) const {
  ThreadPool pool(1);
  const ModelParts own(options_, parts_.shape());
  if (own.function().Set(values, pool) != FactorStatus::kOk) return {};
  const auto width =
      static_cast<Eigen::Index>(start_.coordinates.dim() + start_.coordinates.inputs());
  const std::vector<double> z = own.LatentMean(values);
  const std::span<const double> of_function =
      own.latent().Part(ModelParts::kFunction, std::span<const double>(z));
  const Matrix origin = Matrix::Zero(1, width);
  const bool is_linear = !own.function().Basis(origin).empty();
  if (!is_linear && !own.function().Linearise(origin, of_function)) return {};
  const std::unique_ptr<FunctionDraw> draw = own.function().MakeDraw();
  draw->Set(of_function);
  const std::span<const double> x0 =
      own.latent().Part(ModelParts::kInitial, std::span<const double>(z));
  ForceOnPieces force{.pieces = pieces_, .values = ForceScale(values)};
  if (own.HasProcessNoise()) {
    const std::span<const double> normals =
        own.latent().Part(ModelParts::kForce, std::span<const double>(z));
    for (std::size_t i = 0; i < normals.size(); ++i) force.values[i] *= normals[i];
  }
  LinearisedLikelihood linear = Linearise(
      draw->field(), Eigen::Map<const Matrix>(x0.data(), start_.x0.rows(), start_.x0.cols()),
      trajectories_, start_.map, NoiseOf(values), options_.solver, force);
  if (!is_linear)
    linear.function = own.function().Linearise(linear.PointsWithInputs(), of_function);
  return linear;
}

std::vector<double> SampledTarget::ForceScale(std::span<const double> values) const {
  std::vector<double> scale;
  if (!parts_.HasProcessNoise()) return scale;
  const std::span<const double> deviation =
      parts_.layout().Values(parts_.process_noise_block(), values);
  for (std::size_t n = 0; n < pieces_.counts.size(); ++n) {
    for (std::size_t p = 0; p < pieces_.counts[n]; ++p) {
      for (double own : deviation) scale.push_back(own / std::sqrt(pieces_.lengths[n]));
    }
  }
  return scale;
}

WeightedNoise SampledTarget::NoiseOf(std::span<const double> values) const {
  const std::span<const double> noise = parts_.LikelihoodParameters(values);
  return {.likelihood = &parts_.likelihood(),
          .parameters = {noise.begin(), noise.end()},
          .weights = start_.channel_weights};
}

// Sets the function and the whitening from values_, which holds the hyperparameters `hyper` and the
// residual's weights `further`. Parts that have not changed since the last call are not computed
// again. If `further` is empty, the residual is left out. Returns false if the kernel
// matrix or the whitening cannot be factored.
bool SampledDensity::SetFunction(std::span<const double> hyper, std::span<const double> further) {
  const bool same = is_set_ && std::ranges::equal(hyper, hyper_at_);
  if (same && std::ranges::equal(further, further_at_)) return true;
  is_set_ = false;
  if (parts_.function().Set(values_, pool_) != FactorStatus::kOk) return false;
  if (!same) {
    SetDesign();
    if (!whitening_.SetDesign(design_)) return false;
  }
  linear_target_ = linear().target;
  if (linear_target_.size() > 0 && linear().function) {
    AddOffset(!further.empty());
  } else if (linear_target_.size() > 0 && !further.empty()) {
    AddResidual();
  }
  is_set_ = whitening_.SetTarget(linear_target_);
  hyper_at_.assign(hyper.begin(), hyper.end());
  further_at_.assign(further.begin(), further.end());
  return is_set_;
}

// Computes the design matrix W of the whitened coordinates with the present hyperparameters.
void SampledDensity::SetDesign() {
  const LinearisedLikelihood& linear = this->linear();
  if (linear.target.size() == 0) {
    design_.setZero(0, static_cast<Eigen::Index>(target_.whitened()));
    return;
  }
  if (linear.function) {
    basis_ = {parts_.function().LinearBasis(*linear.function)};
  } else {
    basis_ = parts_.function().Basis(linear.PointsWithInputs());
  }
  MakeDesign(linear, basis_, target_.ForceScale(values_), design_);
}

// Subtracts from the target the values of the linearised function at latent variables of zero.
void SampledDensity::AddOffset(bool with_residual) {
  const Vector offset = parts_.function().LinearOffset(*linear().function, with_residual);
  linear_target_.noalias() -= linear().root.leftCols(offset.size()) * offset;
}

// Subtracts what the residual already explains from the target of the latent variables:
// c - Q residual(nodes).
void SampledDensity::AddResidual() {
  const Matrix& points = linear().points;
  if (residual_.empty()) residual_.push_back(parts_.function().MakeDraw());
  const std::vector<double> zeros(parts_.latent().parts()[ModelParts::kFunction].count(), 0.0);
  residual_[0]->Set(zeros);
  const Field& field = residual_[0]->field();
  residual_record_.resize(static_cast<std::size_t>(points.rows()) * field.record_size());
  residual_values_.resize(points.rows(), points.cols());
  const Matrix& inputs = linear().inputs;
  field.Record({0,
                {points.data(), static_cast<std::size_t>(points.size())},
                {inputs.data(), static_cast<std::size_t>(inputs.size())}},
               {residual_values_.data(), static_cast<std::size_t>(points.size())},
               residual_record_);
  for (Eigen::Index d = 0; d < points.cols(); ++d) {
    linear_target_.noalias() -=
        linear().root.middleCols(d * points.rows(), points.rows()) * residual_values_.col(d);
  }
}

// Reverses AddResidual, for the cotangent btarget_ of its result.
void SampledDensity::PullResidual() {
  const Matrix& points = linear().points;
  Matrix bvalues(points.rows(), points.cols()),
      bpoints = Matrix::Zero(points.rows(), points.cols());
  for (Eigen::Index d = 0; d < points.cols(); ++d) {
    bvalues.col(d) =
        -(linear().root.middleCols(d * points.rows(), points.rows()).transpose() * btarget_);
  }
  const auto count = static_cast<std::size_t>(points.size());
  const Field& field = residual_[0]->field();
  std::vector<double> sums(field.parameter_count(), 0.0);
  std::vector<double> bz(parts_.latent().size());
  const Matrix& inputs = linear().inputs;
  field.Pullback(
      {0, {points.data(), count}, {inputs.data(), static_cast<std::size_t>(inputs.size())}},
      residual_record_, {bvalues.data(), count}, {bpoints.data(), count}, sums);
  parts_.function().Pullback(residual_, sums, sums.size(), bz, bz.size(), bvalues_, pool_);
}

// Sets the values and the latent variables at a position. Returns false where the density is zero.
bool SampledDensity::SetValues(std::span<const double> position) {
  flat_ = target_.flat_;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    c.SetFlat(position[i], flat_);
  }
  parts_.layout().Constrain(flat_, values_);
  if (!ArePossible()) return false;
  WriteFurther();
  const std::span<const double> hyper =
      position.subspan(target_.whitened(), target_.hyperparameters());
  if (!SetFunction(hyper, further_)) return false;
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  white_ = Eigen::Map<const Vector>(position.data(), n);
  whitening_.ToLatent(white_, latent_);
  // Latent variables are free parameters: their flat and their constrained values are the same.
  for (Eigen::Index i = 0; i < n; ++i) {
    flat_[target_.coordinates_[static_cast<std::size_t>(i)].index] = latent_[i];
  }
  parts_.layout().Constrain(flat_, values_);
  WriteFurther();
  return latent_.allFinite();
}

void SampledDensity::SetFurther(std::span<const double> further) {
  further_.assign(further.begin(), further.end());
}

// Writes the weights of the residual to the values.
void SampledDensity::WriteFurther() {
  if (further_.empty()) return;
  std::ranges::copy(
      further_,
      parts_.layout().Values(*parts_.function().ResidualBlock(), std::span(values_)).begin());
}

// Reverses SetDesign: adds the cotangents of the hyperparameters to bvalues_, for the cotangent
// bdesign_ of the design matrix. With `with_offset`, also reverses AddOffset, for the cotangent
// btarget_ of its result.
void SampledDensity::PullBasis(bool with_offset) {
  const LinearisedLikelihood& linear = this->linear();
  // A likelihood that cannot be linearised has no rows, and no basis was computed.
  if (linear.target.size() == 0) return;
  std::vector<Matrix> bbasis;
  Eigen::Index from = 0, to = 0;
  for (const Matrix& own : basis_) {
    bbasis.emplace_back(linear.root.middleCols(from, own.rows()).transpose() *
                        bdesign_.middleCols(to, own.cols()));
    from += own.rows();
    to += own.cols();
  }
  if (linear.function) {
    Vector boffset;
    if (with_offset) boffset = -(linear.root.leftCols(from).transpose() * btarget_);
    parts_.function().LinearPullback(*linear.function, bbasis.front(), boffset, bvalues_);
  } else {
    parts_.function().BasisPullback(linear.PointsWithInputs(), basis_, bbasis, bvalues_);
  }
  if (parts_.HasProcessNoise()) PullForceScale();
}

// Adds the cotangents of the process noise's standard deviations to bvalues_, for the cotangent
// bdesign_ of the design matrix, whose last columns are proportional to them.
void SampledDensity::PullForceScale() {
  const NoisePieces& pieces = target_.pieces_;
  const std::size_t dim = parts_.shape().dim;
  const std::span<double> bdeviation =
      parts_.layout().Values(parts_.process_noise_block(), std::span(bvalues_));
  const Eigen::MatrixXd& root = linear().root;
  const auto size = static_cast<Eigen::Index>(pieces.count() * dim);
  Eigen::Index from = root.cols() - size, to = bdesign_.cols() - size;
  for (std::size_t n = 0; n < pieces.counts.size(); ++n) {
    for (std::size_t k = 0; k < pieces.counts[n] * dim; ++k, ++from, ++to) {
      bdeviation[k % dim] += root.col(from).dot(bdesign_.col(to)) / std::sqrt(pieces.lengths[n]);
    }
  }
}

Vector SampledDensity::HyperparametersOf(std::span<const double> flat) const {
  Vector hyper(static_cast<Eigen::Index>(target_.hyperparameters()));
  for (std::size_t i = 0; i < target_.hyperparameters(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[target_.whitened() + i];
    hyper[static_cast<Eigen::Index>(i)] = (flat[c.index] - c.centre) / c.unit;
  }
  return hyper;
}

std::vector<double> SampledDensity::WithHyperparameters(std::span<const double> flat,
                                                        std::span<const double> hyper) {
  flat_.assign(flat.begin(), flat.end());
  for (std::size_t i = 0; i < hyper.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[target_.whitened() + i];
    c.SetFlat(hyper[i], flat_);
  }
  std::vector<double> values(values_.size());
  parts_.layout().Constrain(flat_, values);
  return values;
}

double SampledDensity::EvaluateEvidence(std::span<const double> hyper, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.0);
  values_ = WithHyperparameters(target_.flat_, hyper);
  if (!ArePossible() || !SetFunction(hyper, {})) return kImpossible;
  bvalues_.assign(gradient.empty() ? 0 : values_.size(), 0.0);
  double density = whitening_.LogEvidence() - parts_.function().HyperparameterCost(-1, bvalues_);
  for (std::size_t i = 0; i < hyper.size(); ++i) {
    if (!target_.coordinates_[target_.whitened() + i].has_prior)
      density -= 0.5 * hyper[i] * hyper[i];
  }
  if (gradient.empty()) return density;
  whitening_.EvidenceReverse(bdesign_);
  PullBasis(false);
  bflat_.assign(parts_.layout().flat_size(), 0.0);
  parts_.layout().ConstrainPullback(values_, bvalues_, bflat_);
  for (std::size_t i = 0; i < hyper.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[target_.whitened() + i];
    gradient[i] = c.Pull(bflat_) - (c.has_prior ? 0 : hyper[i]);
  }
  return density;
}

// Reverses SetValues: writes the gradient with respect to the position, for the cotangents bvalues_
// of all values.
void SampledDensity::PullWhitened(Varied varied, std::span<double> gradient) {
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  std::vector<double>& bflat = bflat_;
  bflat.assign(parts_.layout().flat_size(), 0.0);
  parts_.layout().ConstrainPullback(values_, bvalues_, bflat);
  blatent_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    blatent_[i] = bflat[target_.coordinates_[static_cast<std::size_t>(i)].index];
  }
  // The first coordinate whose gradient is read from bflat.
  std::size_t first = target_.whitened();
  if (varied == Varied::kAllButHyperparameters) {
    whitening_.ReverseToCoordinates(blatent_, bwhite_);
    first += target_.hyperparameters();
  } else {
    whitening_.Reverse(blatent_, bwhite_, bdesign_, btarget_);
    if (bdesign_.rows() > 0) {
      if (!further_.empty() && !linear().function) PullResidual();
      PullBasis(!further_.empty());
      bflat.assign(bflat.size(), 0.0);
      parts_.layout().ConstrainPullback(values_, bvalues_, bflat);
    }
  }
  std::copy_n(bwhite_.data(), target_.whitened(), gradient.begin());
  for (std::size_t i = first; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    gradient[i] = c.Pull(bflat);
  }
}

// Returns what has to be added to the bound at a position that has been set to get the log density.
double SampledDensity::BesideBound(std::span<const double> position) const {
  double density = whitening_.LogJacobian();
  for (std::size_t i = 0; i < target_.size(); ++i) {
    if (!target_.coordinates_[i].has_prior) density -= 0.5 * position[i] * position[i];
  }
  return density;
}

double SampledDensity::Evaluate(std::span<const double> position, std::span<double> gradient,
                                Varied varied, double floor) {
  // If solutions started with the step sizes of the last call, the density would depend on the
  // order of the calls.
  bound_->ForgetStepSizes();
  std::ranges::fill(gradient, 0.0);
  if (!SetValues(position)) return kImpossible;
  bvalues_.assign(gradient.empty() ? 0 : values_.size(), 0.0);
  // The margin is larger than any difference by rounding between the sums here and below.
  const EvaluationNeeds needs{
      .hyperparameters = varied != Varied::kAllButHyperparameters,
      .floor = floor - BesideBound(position) - 1e-6 - 1e-9 * std::fabs(floor)};
  const BoundTerms terms = bound_->Evaluate(values_, {}, bvalues_, pool_, needs);
  if (terms.factor != FactorStatus::kOk || terms.diverged > 0) return kImpossible;
  if (!gradient.empty()) PullWhitened(varied, gradient);
  double density = terms.Total() + whitening_.LogJacobian();
  for (std::size_t i = 0; i < target_.size(); ++i) {
    if (target_.coordinates_[i].has_prior) continue;
    density -= 0.5 * position[i] * position[i];
    const bool is_hyper =
        i >= target_.whitened() && i < target_.whitened() + target_.hyperparameters();
    const bool is_held = is_hyper && varied == Varied::kAllButHyperparameters;
    if (!gradient.empty() && !is_held) gradient[i] -= position[i];
  }
  return density;
}

double SampledDensity::DrawFurther(const RandomStream& stream, std::span<const double> position,
                                   std::span<double> further, std::optional<double> known) {
  constexpr std::size_t kMostTrials = 100;
  const std::vector<double> before(further.begin(), further.end());
  std::vector<double> direction(before.size()), uniforms(kMostTrials + 2);
  stream.Normals(direction);
  stream.Uniforms(uniforms, direction.size() + 2);  // numbers that the normals do not use
  SetFurther(before);
  const double present = known ? *known : Evaluate(position, {});
  const double level = present + std::log(1 - uniforms[0]);
  double angle = 2 * std::numbers::pi * uniforms[1];
  double lower = angle - 2 * std::numbers::pi, upper = angle;
  for (std::size_t trial = 0; trial < kMostTrials; ++trial) {
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t i = 0; i < before.size(); ++i) further[i] = c * before[i] + s * direction[i];
    SetFurther(further);
    const double density = Evaluate(position, {}, Varied::kAll, level);
    if (density > level) return density;
    (angle < 0 ? lower : upper) = angle;
    angle = lower + (upper - lower) * uniforms[trial + 2];
  }
  std::ranges::copy(before, further.begin());
  SetFurther(before);
  return present;
}

std::vector<double> SampledDensity::ValuesAt(std::span<const double> position) {
  SetValues(position);
  return values_;
}

void SampledDensity::SetLinear(LinearisedLikelihood linear) {
  own_linear_ = std::move(linear);
  is_set_ = false;
}

Vector SampledDensity::PositionOfValues(std::span<const double> values) {
  std::vector<double> flat(parts_.layout().flat_size());
  parts_.layout().Unconstrain(values, flat);
  return PositionOf(flat);
}

Vector SampledDensity::PositionOf(std::span<const double> flat) {
  Vector position(static_cast<Eigen::Index>(target_.size()));
  for (std::size_t i = 0; i < target_.size(); ++i) {
    const SampledTarget::Coordinate& c = target_.coordinates_[i];
    position[static_cast<Eigen::Index>(i)] = (flat[c.index] - c.centre) / c.unit;
  }
  parts_.layout().Constrain(flat, values_);
  WriteFurther();
  const Vector hyper = HyperparametersOf(flat);
  if (!SetFunction({hyper.data(), target_.hyperparameters()}, further_)) return position;
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  latent_ = position.head(n);
  whitening_.FromLatent(latent_, white_);
  position.head(n) = white_;
  return position;
}

Matrix Curvature(const LogDensity& density, const Vector& position) {
  constexpr double kStep = 1e-3, kLargest = 1e12;
  const Eigen::Index n = position.size();
  Eigen::MatrixXd second(n, n);
  Vector at = position, up(n), down(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    at[i] = position[i] + kStep;
    density(SpanOf(at), SpanOf(up));
    at[i] = position[i] - kStep;
    density(SpanOf(at), SpanOf(down));
    at[i] = position[i];
    second.col(i) = (down - up) / (2 * kStep);
  }
  if (!second.allFinite()) return Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (second + second.transpose()));
  const Vector sizes = eigen.eigenvalues().cwiseAbs().cwiseMax(1.0).cwiseMin(kLargest);
  return eigen.eigenvectors() * sizes.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace gpode
