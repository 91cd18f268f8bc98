#include "neural/validation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpode/error.h"

namespace gpode {
namespace {

// Splits every trajectory's rows: the last `share` of them, but never the first row, go to `held`.
void HoldOut(double share, std::vector<TimedValues>& kept, std::vector<TimedValues>& held) {
  held = kept;
  for (std::size_t n = 0; n < kept.size(); ++n) {
    const Eigen::Index rows = kept[n].values.rows();
    const auto last = static_cast<Eigen::Index>(std::round(share * static_cast<double>(rows)));
    const Eigen::Index count = std::min(last, rows - 1);
    kept[n].values.bottomRows(count).setConstant(NAN);
    held[n].values.topRows(rows - count).setConstant(NAN);
  }
}

}  // namespace

Validation::Validation(NeuralProblem problem, const Matrix& x0)
    : problem_(std::move(problem)),
      likelihood_(problem_),
      flat_(problem_.flat_size(), 0.0),
      taken_(problem_.weights() + (x0.size() > 0 ? 0 : problem_.states())) {
  if (x0.size() > 0) {
    std::copy_n(x0.data(), problem_.states(),
                flat_.begin() + static_cast<std::ptrdiff_t>(problem_.weights()));
  }
  for (const TimedValues& t : problem_.trajectories) {
    for (Eigen::Index i = 0; i < t.values.size(); ++i) {
      if (std::isnan(t.values.data()[i])) continue;
      const double log_variance = problem_.log_noise_centre[i % t.values.cols()];
      at_truth_ -= 0.5 * (std::log(2 * std::numbers::pi) + log_variance);
      ++values_;
    }
  }
}

double Validation::Score(std::span<const double> flat, ThreadPool& pool) {
  std::copy_n(flat.begin(), taken_, flat_.begin());
  const double squares = 2 * (at_truth_ - likelihood_.Evaluate(flat_, {}, pool));
  return -std::sqrt(std::max(squares, 0.0) / std::max(values_, 1.0));
}

std::unique_ptr<Validation> MakeValidation(const NeuralStart& start, const NeuralOptions& options,
                                           const Dataset& data, NeuralProblem& training) {
  if (data.trajectories.empty() && options.validation_share == 0) return nullptr;
  NeuralProblem held = training;
  if (data.trajectories.empty()) {
    HoldOut(options.validation_share, training.trajectories, held.trajectories);
    return std::make_unique<Validation>(std::move(held));
  }
  CheckDataset(data);
  CheckSize("FitNeural", "validation.channels", data.channels.size(), training.channels());
  Dataset from_first = data;
  for (Trajectory& t : from_first.trajectories) t.start_time.reset();
  held.trajectories = InModelTime(from_first, start.data.time_scale);
  Matrix x0(static_cast<Eigen::Index>(data.trajectories.size()),
            static_cast<Eigen::Index>(training.dim()));
  for (Eigen::Index n = 0; n < x0.rows(); ++n) {
    const Matrix first = held.trajectories[n].values.topRows(1);
    x0.row(n) = GuessStates(held.map, start.data.noise_variance, first).mean;
  }
  return std::make_unique<Validation>(std::move(held), x0);
}

}  // namespace gpode
