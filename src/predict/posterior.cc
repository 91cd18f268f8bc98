#include "gpode/posterior.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpode/error.h"
#include "gpode/random.h"
#include "model/drawn_field.h"
#include "model/network_posterior.h"
#include "predict/average_field.h"
#include "predict/integrate.h"

namespace gpode {
namespace {

void CheckModel(const Model& m) {
  constexpr char kName[] = "Posterior";
  const std::size_t d = m.dim(), n = m.start_times.size(), k = m.shooting_times.size();
  const auto check_shape = [&](const char* name, const Matrix& a, std::size_t rows,
                               std::size_t cols) {
    CheckSize(kName, name, static_cast<std::size_t>(a.size()), rows * cols);
    if (rows > 0) CheckSize(kName, name, static_cast<std::size_t>(a.cols()), cols);
  };
  CheckSize(kName, "map.offset", m.map.offset.size(), m.map.channels());
  CheckSize(kName, "noise_variance", m.noise_variance.size(), m.map.channels());
  CheckSize(kName, "state_scale", m.state_scale.size(), d);
  CheckSize(kName, "state_offset", m.state_offset.size(), d);
  if (!IsNetwork(m.options.model)) {
    CheckSize(kName, "gp.inducing_locations", m.gp.inducing_locations.cols(), d);
  }
  CheckPositive(kName, "time_scale", m.time_scale);
  check_shape("x0_mean", m.x0_mean, n, d);
  CheckSize(kName, "x0_chol", m.x0_chol.size(), n);
  for (const Matrix& chol : m.x0_chol) check_shape("x0_chol", chol, d, d);
  CheckSize(kName, "shooting_trajectory", m.shooting_trajectory.size(), k);
  check_shape("shooting_mean", m.shooting_mean, k, d);
  check_shape("shooting_chol", m.shooting_chol, k, d * d);
  for (std::size_t i = 1; i < k; ++i) {
    if (std::pair(m.shooting_trajectory[i - 1], m.shooting_times[i - 1]) >=
        std::pair(m.shooting_trajectory[i], m.shooting_times[i])) {
      ThrowInput(kName, "shooting states", "must be ordered by trajectory and time");
    }
  }
}

// Seed of the draws that stand for the mean and variance of a network's field.
constexpr std::uint64_t kMeanSeed = 1;

bool HasExactMoments(const Model& model) {
  return model.options.model == ModelKind::kGpode || model.options.model == ModelKind::kNpode;
}

struct FieldMoments {
  Matrix mean, variance;  // (n, D)
};

FieldMoments MomentsOfDraws(const Posterior& posterior, const Matrix& states) {
  constexpr std::size_t kDraws = 256;
  const std::size_t draws = IsPoint(posterior.model().options.model) ? 1 : kDraws;
  FieldMoments moments{Matrix::Zero(states.rows(), states.cols()),
                       Matrix::Zero(states.rows(), states.cols())};
  for (std::size_t i = 0; i < draws; ++i) {
    const Matrix away = Evaluate(posterior.DrawField(kMeanSeed, i), states) - moments.mean;
    const double share = 1.0 / static_cast<double>(i + 1);
    moments.mean += share * away;
    moments.variance += share * ((1 - share) * away.cwiseAbs2() - moments.variance);
  }
  return moments;
}

}  // namespace

Posterior::Posterior(Model model)
    : model_(std::move(model)), gp_(GetKernel(model_.options.kernel), model_.options.jitter) {
  CheckModel(model_);
  if (IsSampled(model_.options.model)) {
    CheckAtLeast("Posterior", "the number of draws", model_.draws.field.rows(), 1);
  }
  if (IsNetwork(model_.options.model)) return;
  if (const FactorStatus status = gp_.Set(model_.gp); status != FactorStatus::kOk) {
    ThrowInput("Posterior", "model", Message(status));
  }
}

StartState Posterior::StateOf(std::span<const double> values, const Matrix& covariance) const {
  const Eigen::Index channels = model_.map.matrix.rows(), d = model_.map.matrix.cols();
  CheckSize("Posterior::StateOf", "values", values.size(), model_.map.channels());
  std::vector<Eigen::Index> seen;
  for (Eigen::Index c = 0; c < channels; ++c) {
    if (std::isinf(values[c])) CheckFinite("Posterior::StateOf", "values", values);
    if (!std::isnan(values[c])) seen.push_back(c);
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(model_.map.matrix(seen, Eigen::all));
  if (static_cast<Eigen::Index>(seen.size()) < d || qr.rank() < d) {
    ThrowInput("Posterior::StateOf", "values", "do not determine the state, give one");
  }
  const Eigen::Map<const Vector> all(values.data(), channels);
  const Vector z = qr.solve(all(seen) - model_.map.offset(seen));
  StartState state{.mean = model_.state_scale.cwiseProduct(z) + model_.state_offset};
  if (covariance.size() == 0) return state;
  if (covariance.rows() != channels || covariance.cols() != channels) {
    ThrowInput("Posterior::StateOf", "covariance", "must have a row and a column per channel");
  }
  const auto count = static_cast<Eigen::Index>(seen.size());
  const Matrix inverse =
      model_.state_scale.asDiagonal() * qr.solve(Eigen::MatrixXd::Identity(count, count));
  state.covariance = inverse * covariance(seen, seen) * inverse.transpose();
  return state;
}

Imputation Posterior::FillGaps(std::size_t trajectory, const gpode::Trajectory& seen, double level,
                               const ForecastOptions& options) const {
  if (!(level > 0 && level < 1)) ThrowInput("FillGaps", "level", "must be between 0 and 1");
  if (seen.values.rows() != static_cast<Eigen::Index>(seen.times.size()) ||
      seen.values.cols() != model_.map.matrix.rows()) {
    ThrowInput("FillGaps", "values", "must have a row per time and a column per channel");
  }
  ForecastOptions latest = options;
  latest.from = Origin::kLatestState;
  const Forecast forecast = Trajectory(trajectory, seen.times, latest);
  const double low = 0.5 - level / 2, high = 0.5 + level / 2;
  Imputation result{.filled = seen,
                    .lower = forecast.Quantile(low),
                    .upper = forecast.Quantile(high),
                    .predictive_lower = forecast.PredictiveQuantile(low),
                    .predictive_upper = forecast.PredictiveQuantile(high),
                    .diverged = forecast.diverged};
  result.filled.values = seen.values.array().isNaN().select(forecast.Quantile(0.5), seen.values);
  return result;
}

Matrix Posterior::ToModel(const Matrix& states) const {
  CheckSize("Posterior", "a row of states", states.cols(), dim());
  CheckFinite("Posterior", "states", {states.data(), static_cast<std::size_t>(states.size())});
  return (states.rowwise() - model_.state_offset.transpose()) *
         model_.state_scale.cwiseInverse().asDiagonal();
}

Matrix Posterior::FieldMean(const Matrix& states) const {
  const Vector unit = model_.state_scale / model_.time_scale;
  if (HasExactMoments(model_)) return gp_.Mean(ToModel(states)) * unit.asDiagonal();
  return MomentsOfDraws(*this, states).mean;
}

Matrix Posterior::FieldVariance(const Matrix& states) const {
  const Vector unit = (model_.state_scale / model_.time_scale).array().square();
  if (IsPoint(model_.options.model)) return Matrix::Zero(ToModel(states).rows(), states.cols());
  if (HasExactMoments(model_)) return gp_.Variance(ToModel(states)) * unit.asDiagonal();
  return MomentsOfDraws(*this, states).variance;
}

PosteriorField Posterior::InUserUnits(std::unique_ptr<const Field> field) const {
  return {std::move(field), model_.state_scale, model_.state_offset, model_.time_scale};
}

PosteriorField Posterior::MeanField() const {
  if (HasExactMoments(model_)) return InUserUnits(MeanOf(gp_));
  if (IsPoint(model_.options.model)) return InUserUnits(Draw(0, 0));
  constexpr std::size_t kDraws = 64;
  std::vector<std::unique_ptr<const Field>> draws;
  for (std::size_t i = 0; i < kDraws; ++i) draws.push_back(Draw(kMeanSeed, i));
  return InUserUnits(std::make_unique<AverageField>(std::move(draws)));
}

PosteriorField Posterior::DrawField(std::uint64_t seed, std::uint64_t i) const {
  return InUserUnits(Draw(seed, i));
}

// Neighbouring i are far apart, so that few draws come from all chains; all rows come before any
// comes twice.
std::size_t Posterior::RowOf(std::uint64_t seed, std::uint64_t i) const {
  const std::uint64_t count = model_.draws.count();
  auto stride = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(count));
  while (std::gcd(stride, count) != 1) ++stride;
  return static_cast<std::size_t>((seed % count + (i % count) * stride) % count);
}

std::unique_ptr<const Field> Posterior::Draw(std::uint64_t seed, std::uint64_t i) const {
  switch (model_.options.model) {
    case ModelKind::kNpode:
      return MeanOf(gp_);
    case ModelKind::kNeural:
    case ModelKind::kNeuralVi: {
      Vector weights(model_.network.mean.size());
      const std::span<double> all(weights.data(), static_cast<std::size_t>(weights.size()));
      RandomStream(seed, kForecastStep, i, Purpose::kInducing).Normals(all);
      const Vector scale = WeightScales(model_.dim(), model_.options.neural.hidden,
                                        model_.options.neural.prior_scale);
      weights = model_.network.mean.cwiseQuotient(scale) +
                model_.network.deviation.cwiseQuotient(scale).cwiseProduct(weights);
      weights = scale.cwiseProduct(weights);
      return NetworkOf(model_, all);
    }
    case ModelKind::kNeuralHmc:
    case ModelKind::kGpodeHmc:
      return DrawnField(model_, RowOf(seed, i));
    case ModelKind::kGpode:
      break;
  }
  auto draw = std::make_unique<GpDraw>(gp_, model_.options.features, model_.options.precision);
  draw->Set(gp_, SampleGpNormals(gp_, model_.options.features, seed, kForecastStep, i));
  return std::make_unique<FunctionField>(std::move(draw));
}

}  // namespace gpode
