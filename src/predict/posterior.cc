#include "gpode/posterior.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gpode/error.h"

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
  CheckSize(kName, "gp.inducing_locations", m.gp.inducing_locations.cols(), d);
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

}  // namespace

Posterior::Posterior(Model model)
    : model_(std::move(model)), gp_(GetKernel(model_.options.kernel), model_.options.jitter) {
  CheckModel(model_);
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
  return gp_.Mean(ToModel(states)) * (model_.state_scale / model_.time_scale).asDiagonal();
}

Matrix Posterior::FieldVariance(const Matrix& states) const {
  const Vector unit = (model_.state_scale / model_.time_scale).array().square();
  return gp_.Variance(ToModel(states)) * unit.asDiagonal();
}

// The draw whose every random number is zero.
FieldDraw Posterior::MeanField() const {
  constexpr std::size_t kFeatures = 1;
  const std::size_t d = dim();
  const GpNoise none{.eps_omega = std::vector<double>(d * kFeatures * d),
                     .w_cos = std::vector<double>(d * kFeatures),
                     .w_sin = std::vector<double>(d * kFeatures),
                     .eps_u = std::vector<double>(d * gp_.inducing())};
  GpDraw mean(gp_, kFeatures);
  mean.Set(gp_, none);
  return {std::move(mean), model_.state_scale, model_.state_offset, model_.time_scale};
}

FieldDraw Posterior::DrawField(std::uint64_t seed, std::uint64_t i) const {
  return {Draw(seed, i), model_.state_scale, model_.state_offset, model_.time_scale};
}

}  // namespace gpode
