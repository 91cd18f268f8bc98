// Bayesian NeuralODE with a factorised normal posterior.
//
//   L(m, s) = E log p(y | m + s eps) - kl_weight KL[N(m, diag s^2) || N(0, I)],   eps ~ N(0, I)
#include <cmath>
#include <limits>
#include <vector>

#include "gpode/random.h"
#include "neural/climb.h"
#include "neural/gauss_newton.h"
#include "neural/neural_fit.h"
#include "neural/validation.h"

namespace gpode {
namespace {

// The draws that a model keeps come after those of all steps.
constexpr std::uint64_t kKeptStep = std::uint64_t{1} << 62;

// A point is (m, log s), both of the size of a flat vector.
class MeanField {
 public:
  MeanField(const NeuralProblem& problem, const NeuralOptions& options)
      : likelihood_(problem), options_(options), flat_(problem.flat_size()), eps_(flat_.size()) {}

  // The bound's estimate from one draw, addressed by step. Where that cannot be integrated the
  // gradient is NaN: to be passed over.
  double Bound(std::uint64_t step, std::span<const double> point, std::span<double> gradient,
               ThreadPool& pool) {
    const std::size_t n = flat_.size();
    Draw(step, 0, point);
    const double loglik = likelihood_.Evaluate(flat_, gradient.first(n), pool);
    if (!std::isfinite(loglik)) gradient[0] = std::numeric_limits<double>::quiet_NaN();
    double divergence = 0;
    const double weight = options_.kl_weight;
    for (std::size_t i = 0; i < n; ++i) {
      const double mean = point[i], deviation = std::exp(point[n + i]);
      divergence += 0.5 * (deviation * deviation + mean * mean - 1) - point[n + i];
      gradient[n + i] = gradient[i] * eps_[i] * deviation - weight * (deviation * deviation - 1);
      gradient[i] -= weight * mean;
    }
    return loglik - weight * divergence;
  }

  const std::vector<double>& Draw(std::uint64_t step, std::uint64_t sample,
                                  std::span<const double> point) {
    RandomStream(options_.seed, step, sample, Purpose::kSampler).Normals(eps_);
    for (std::size_t i = 0; i < flat_.size(); ++i) {
      flat_[i] = point[i] + std::exp(point[flat_.size() + i]) * eps_[i];
    }
    return flat_;
  }

 private:
  NeuralLikelihood likelihood_;
  const NeuralOptions& options_;
  std::vector<double> flat_, eps_;
};

// The most probable flat vector, and around it the deviations that the best factorised normal would
// have if the posterior were normal.
std::vector<double> FirstPoint(const NeuralStart& start, const NeuralOptions& options) {
  std::vector<double> point = MostProbable(start, options, 0);
  const Matrix curvature = GaussNewton(start.problem, point);
  for (Eigen::Index i = 0; i < curvature.rows(); ++i) {
    point.push_back(-0.5 * std::log(curvature(i, i)));
  }
  return point;
}

}  // namespace

void FitMeanField(const NeuralStart& start, const Dataset& validation, NeuralModel& model) {
  const NeuralOptions& options = model.options;
  ThreadPool pool(options.threads);
  NeuralProblem training = start.problem;
  const std::unique_ptr<Validation> held = MakeValidation(start, options, validation, training);
  MeanField field(training, options);
  std::uint64_t step = 0;
  const LogDensity objective = [&](std::span<const double> point, std::span<double> gradient) {
    return field.Bound(step++, point, gradient, pool);
  };
  // Estimates of the bound are too noisy to choose by: without validation the last point is taken.
  const PointScore score = [&](std::span<const double> point) {
    return held ? held->Score(point, pool) : static_cast<double>(step);
  };
  std::vector<double> point = FirstPoint(start, options);
  const ClimbResult climb = Climb(objective, score,
                                  {.steps = options.mean_field_steps,
                                   .learning_rate = options.learning_rate,
                                   .patience = held ? options.patience : 0},
                                  point);
  if (2 * climb.skipped > climb.steps) {
    model.warning = "most steps of the training could not be integrated";
  }
  if (held) model.score = -climb.score;
  Matrix flats(static_cast<Eigen::Index>(options.mean_field_draws),
               static_cast<Eigen::Index>(training.flat_size()));
  for (Eigen::Index s = 0; s < flats.rows(); ++s) {
    const std::vector<double>& draw = field.Draw(kKeptStep, static_cast<std::uint64_t>(s), point);
    flats.row(s) = Eigen::Map<const Eigen::RowVectorXd>(draw.data(), flats.cols());
  }
  SetDraws(start.problem, flats, model);
}

}  // namespace gpode
