#include "train/validation.h"

#include <algorithm>
#include <limits>

#include "gpode/error.h"

namespace gpode {
namespace {

const Dataset& Checked(const Dataset& data, const Start& start) {
  CheckDataset(data);
  CheckSize("Fit", "validation.channels", data.channels.size(), start.map.channels());
  return data;
}

}  // namespace

Validation::Validation(const Dataset& data, const FitOptions& options, const Start& start)
    : parameters_(ParametersOf(options, start, Checked(data, start).trajectories.size(), 0)) {
  Dataset from_first = data;
  for (Trajectory& t : from_first.trajectories) t.start_time.reset();
  std::vector<TimedValues> timed = InModelTime(from_first, start.time_scale);
  const ParameterLayout& layout = parameters_.layout();
  values_.resize(layout.value_size());
  WriteField(start, parameters_, values_);
  std::copy_n(start.noise_variance.data(), start.noise_variance.size(),
              layout.Values(parameters_.noise_variance, std::span(values_)).begin());
  const std::size_t d = parameters_.shape().dim;
  for (std::size_t n = 0; n < timed.size(); ++n) {
    const Matrix first = timed[n].values.topRows(1);
    const Matrix x0 = GuessStates(start.map, start.noise_variance, first).mean;
    std::copy_n(x0.data(), d,
                layout.Values(parameters_.x0_mean, std::span(values_)).begin() + n * d);
    const std::span<double> chol = layout.Values(parameters_.x0_chol, std::span(values_));
    for (std::size_t k = 0; k < d; ++k) chol[(n * d + k) * d + k] = 1;
  }
  flat_.resize(layout.flat_size());
  layout.Unconstrain(values_, flat_);
  Segmentation cut = CutIntoSegments(timed, 0);
  bound_ =
      MakeBound(options, start, std::move(timed), std::move(cut), parameters_, Knowledge::kPoint);
  bound_->channel_weights.clear();
  all_ = bound_->AllSegments();
}

double Validation::Score(const ModelParameters& from, std::span<const double> flat,
                         ThreadPool& pool) {
  const ModelParameters& to = parameters_;
  for (const auto& [source, target] :
       {std::pair(from.locations, to.locations), std::pair(from.inducing_mean, to.inducing_mean),
        std::pair(from.lengthscales, to.lengthscales), std::pair(from.variances, to.variances),
        std::pair(from.weight_mean, to.weight_mean)}) {
    const ParameterBlock& block = from.layout().blocks()[source];
    const ParameterBlock& own = to.layout().blocks()[target];
    std::copy_n(flat.begin() + static_cast<std::ptrdiff_t>(block.flat_offset), own.flat_size,
                flat_.begin() + static_cast<std::ptrdiff_t>(own.flat_offset));
  }
  to.layout().Constrain(flat_, values_);
  bound_->SampleNoise(0, 0, {}, noise_, pool);
  std::ranges::fill(bound_->step_hints, 0.0);
  const BoundTerms terms = bound_->Evaluate(values_, noise_, {}, all_, {}, pool);
  return terms.factor == FactorStatus::kOk && terms.diverged == 0
             ? terms.loglik
             : -std::numeric_limits<double>::infinity();
}

}  // namespace gpode
