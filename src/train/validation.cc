#include "train/validation.h"

#include <algorithm>
#include <limits>

#include "gpode/error.h"

namespace gpode {
namespace {

FitOptions AsPointEstimate(FitOptions options) {
  options.posterior = "point";
  return options;
}

const Dataset& Checked(const Dataset& data, const Start& start) {
  CheckDataset(data);
  CheckSize("Fit", "validation.channels", data.channels.size(), start.map.channels());
  return data;
}

}  // namespace

Validation::Validation(const Dataset& data, const FitOptions& options, const Start& start)
    : parts_(AsPointEstimate(options), {.dim = start.map.dim(),
                                        .inputs = start.coordinates.inputs(),
                                        .channels = start.map.channels(),
                                        .trajectories = Checked(data, start).trajectories.size()}),
      z_(parts_.latent().size()),
      deviation_(parts_.latent().size()),
      noise_(StartNoise(parts_.likelihood(), start.noise_variance)) {
  Dataset from_first = data;
  for (Trajectory& t : from_first.trajectories) t.start_time.reset();
  std::vector<TimedValues> timed =
      InModelTime(from_first, start.coordinates, options.InputsWith(data.inputs));
  for (std::size_t n = 0; n < timed.size(); ++n) {
    const Matrix first = timed[n].values.topRows(1);
    const Matrix x0 = GuessStates(start.map, start.noise_variance, first).mean;
    std::copy_n(x0.data(), x0.size(),
                parts_.latent().Item(ModelParts::kInitial, n, std::span(z_)).begin());
  }
  Segmentation cut = CutIntoSegments(timed, 0);
  bound_ = MakeBound(options, start, parts_, std::move(timed), std::move(cut));
  bound_->channel_weights.clear();
  bound_->Choose(bound_->AllSegments());
}

double Validation::Score(const ModelParts& from, std::span<const double> flat, ThreadPool& pool) {
  NamedValues values{from.layout(), std::vector<double>(from.layout().value_size())};
  from.layout().Constrain(flat, values.values);
  const std::vector<double> mean = from.LatentMean(values.values);
  std::ranges::copy(from.latent().Part(ModelParts::kFunction, std::span<const double>(mean)),
                    parts_.latent().Part(ModelParts::kFunction, std::span(z_)).begin());
  values_ = parts_.ValuesAt(z_, deviation_, values);
  std::ranges::copy(noise_, parts_.LikelihoodParameters(std::span(values_)).begin());
  bound_->ForgetStepSizes();
  const BoundTerms terms = bound_->Evaluate(values_, {}, {}, pool);
  return terms.factor == FactorStatus::kOk && terms.diverged == 0
             ? terms.loglik
             : -std::numeric_limits<double>::infinity();
}

}  // namespace gpode
