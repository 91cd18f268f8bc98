// Predictions in the user's units. Mean and variance of q(f) (paper, equations 8 and 9) are
// computed in field/sparse_gp.cc, forecasts in follow.cc.
#include "gpode/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "model/model_draws.h"
#include "predict/average_field.h"

namespace gpode {
namespace {

// The seed of the draws from which mean and variance of the field are estimated if they have no
// closed form. It is fixed, so that they are the same at every call.
constexpr std::uint64_t kMeanSeed = 1;

}  // namespace

Posterior::Posterior(Model model) : model_(std::make_shared<const Model>(std::move(model))) {
  CheckModel(*model_);
  draws_ = std::make_shared<const ModelDraws>(*model_);
}

StartState Posterior::StateOf(std::span<const double> values, const Matrix& covariance) const {
  constexpr char kWhere[] = "Posterior::StateOf";
  const auto channels = static_cast<Eigen::Index>(model_->map.channels());
  CheckSize(kWhere, "values", values.size(), model_->map.channels());
  if (std::ranges::any_of(values, [](double v) { return std::isinf(v); })) {
    CheckFinite(kWhere, "values", values);
  }
  if (covariance.size() > 0 && (covariance.rows() != channels || covariance.cols() != channels)) {
    ThrowInput(kWhere, "covariance", "must have a row and a column per channel");
  }
  std::vector<double> linked(values.begin(), values.end());
  Matrix linked_covariance = covariance;
  const std::vector<Link> links = model_->links();
  for (std::size_t c = 0; c < links.size(); ++c) {
    if (std::isnan(values[c])) continue;
    if (!IsAccepted(links[c], values[c])) {
      ThrowInput(kWhere, fmt::format("channel '{}'", model_->channels[c]),
                 fmt::format("is {:g}, must be {} for its link {}", values[c], LinkDemand(links[c]),
                             NameOf(links[c])));
    }
    linked[c] = ToLink(links[c], values[c]);
    if (covariance.size() == 0) continue;
    const double slope = LinkSlope(links[c], values[c]);
    linked_covariance.row(static_cast<Eigen::Index>(c)) *= slope;
    linked_covariance.col(static_cast<Eigen::Index>(c)) *= slope;
  }
  std::optional<StateEstimate> state = model_->map.StateOf(linked, linked_covariance);
  if (!state) ThrowInput(kWhere, "values", "do not determine the state, give one");
  const Coordinates& own = model_->coordinates;
  state->mean = own.ToUser(state->mean.transpose()).transpose();
  if (covariance.size() > 0) {
    state->covariance =
        own.state_scale.asDiagonal() * state->covariance * own.state_scale.asDiagonal();
  }
  return *state;
}

Imputation Posterior::FillGaps(std::size_t trajectory, const gpode::Trajectory& seen, double level,
                               const ForecastOptions& options) const {
  if (!(level > 0 && level < 1)) ThrowInput("FillGaps", "level", "must be between 0 and 1");
  if (seen.values.rows() != static_cast<Eigen::Index>(seen.times.size()) ||
      seen.values.cols() != model_->map.matrix.rows()) {
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
  result.lost.Add(forecast);
  result.filled.values = seen.values.array().isNaN().select(forecast.Quantile(0.5), seen.values);
  return result;
}

Matrix Posterior::ToModel(const Matrix& states) const {
  CheckSize("Posterior", "a row of states", states.cols(), dim());
  CheckFinite("Posterior", "states", {states.data(), static_cast<std::size_t>(states.size())});
  return model_->coordinates.ToModel(states);
}

bool Posterior::HasExactMoments() const {
  const ModelParts& parts = draws_->parts();
  if (model_->IsSampled() || !model_->given.empty()) return false;
  const auto marginals =
      parts.posterior().Marginals(ModelParts::kFunction, model_->parameters.values);
  if (!marginals) return false;
  const auto width = static_cast<Eigen::Index>(dim() + parts.shape().inputs);
  return parts.function().Moments(Matrix::Zero(1, width), *marginals).has_value();
}

Vector Posterior::TypicalInputs() const {
  const InputRule rule = model_->input_rule();
  InputSamples mean;
  if (!rule.names.empty()) {
    double count = 0;
    mean.times = {0};
    mean.values = Matrix::Zero(1, std::ssize(rule.names));
    for (const InputSamples& samples : model_->input_samples) {
      mean.values += samples.values.colwise().sum();
      count += static_cast<double>(samples.values.rows());
    }
    mean.values /= count;
  }
  const double middle = 0.5 * (model_->start_times.front() + model_->end_times.front());
  return InputsAt(rule, mean, {middle}).row(0).transpose();
}

// Returns the inputs (n, U) at the states (n, D); see FieldMean.
Matrix Posterior::InputsFor(const Matrix& states, const Matrix& inputs) const {
  const auto count = static_cast<Eigen::Index>(model_->coordinates.inputs());
  if (count == 0 && inputs.size() == 0) return Matrix(states.rows(), 0);
  if (inputs.size() == 0) return TypicalInputs().transpose().replicate(states.rows(), 1);
  CheckSize("Posterior", "a row of inputs", inputs.cols(), model_->coordinates.inputs());
  CheckFinite("Posterior", "inputs", {inputs.data(), static_cast<std::size_t>(inputs.size())});
  if (inputs.rows() == 1) return inputs.replicate(states.rows(), 1);
  CheckSize("Posterior", "the rows of inputs", inputs.rows(),
            static_cast<std::size_t>(states.rows()));
  return inputs;
}

// Returns the moments of the field at the user's states, in the user's units.
FieldMoments Posterior::MomentsAt(const Matrix& states, const Matrix& inputs) const {
  const Matrix u = InputsFor(states, inputs), x = ToModel(states);
  Matrix z(x.rows(), x.cols() + u.cols());
  z.leftCols(x.cols()) = x;
  if (u.cols() > 0) z.rightCols(u.cols()) = model_->coordinates.InputsToModel(u);
  const ModelParts& parts = draws_->parts();
  if (HasExactMoments()) {
    const FieldMoments own = *parts.function().Moments(
        z, *parts.posterior().Marginals(ModelParts::kFunction, model_->parameters.values));
    FieldMoments moments{model_->coordinates.SlopesToUser(own.mean),
                         model_->coordinates.SlopeVariancesToUser(own.variance)};
    if (parts.posterior().is_point_estimate()) moments.variance.setZero();
    return moments;
  }
  constexpr std::size_t kDraws = 256;
  const bool same = parts.posterior().is_point_estimate() && !model_->IsSampled();
  FieldMoments moments{Matrix::Zero(states.rows(), states.cols()),
                       Matrix::Zero(states.rows(), states.cols())};
  for (std::size_t i = 0; i < (same ? 1 : kDraws); ++i) {
    const Matrix away = Evaluate(DrawField(kMeanSeed, i), states, 0, u) - moments.mean;
    const double share = 1.0 / static_cast<double>(i + 1);
    moments.mean += share * away;
    moments.variance += share * ((1 - share) * away.cwiseAbs2() - moments.variance);
  }
  return moments;
}

Matrix Posterior::FieldMean(const Matrix& states, const Matrix& inputs) const {
  return MomentsAt(states, inputs).mean;
}

Matrix Posterior::FieldVariance(const Matrix& states, const Matrix& inputs) const {
  return MomentsAt(states, inputs).variance;
}

PosteriorField Posterior::MeanField() const {
  const bool point = draws_->parts().posterior().is_point_estimate() && !model_->IsSampled();
  if (HasExactMoments() || point) {
    const std::shared_ptr<const FunctionDraw> mean = draws_->MakeMean().function;
    return {mean, mean->field(), model_->coordinates};
  }
  constexpr std::size_t kDraws = 64;
  std::vector<std::unique_ptr<FunctionDraw>> draws;
  for (std::size_t i = 0; i < kDraws; ++i) {
    draws.push_back(draws_->Make(kMeanSeed, i, {}).function);
  }
  const auto average = std::make_shared<const AverageField>(std::move(draws));
  return {average, *average, model_->coordinates};
}

PosteriorField Posterior::DrawField(std::uint64_t seed, std::uint64_t i) const {
  const std::shared_ptr<const FunctionDraw> draw = draws_->Make(seed, i, {}).function;
  return {draw, draw->field(), model_->coordinates};
}

}  // namespace gpode
