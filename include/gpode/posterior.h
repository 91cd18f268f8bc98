// Predictions of a learnt model: trajectories, values in gaps of the data, and the field itself.
//
// Everything is in the user's units (coordinates.h).
//
// Draw i with the same seed is the same function in every forecast, imputation and DrawField. All
// draws of a point estimate (npODE, NeuralODE) are the same function. In a sampled model, seed and
// i choose one of the sampler's draws.
//
// If held-back data have shown that bands are too narrow, they are widened. The amount depends on
// the horizon of a time (widening.h). In a forecast from a given start, the horizon is the time
// between that start and the forecast time.
//
// Times must not decrease. Times before a start are reached by integrating backwards. An empty list
// of times gives a forecast without rows. Times that are not finite, or zero draws, are an
// InputError.
//
// Thread safety: a Posterior does not change after construction, and any thread may call its
// functions. Functions with ForecastOptions start their own threads, and give the same bits for any
// number of them.
//
//   Posterior posterior(model);
//   Forecast later = posterior.Trajectory(0, times, {.from = Origin::kLatestState});
//   Forecast other = posterior.From({.mean = x, .covariance = c}, 0.0, times);
//   Matrix slopes = posterior.FieldMean(points);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/forecast.h"
#include "gpode/model.h"
#include "gpode/unknown_function.h"

namespace gpode {

class ModelDraws;

// A state to start from, in the user's units. Without a covariance it is known exactly.
using StartState = StateEstimate;

// One function drawn from the posterior of the field, or its mean, in the user's units of states
// and time. It is evaluated, differentiated and integrated like any Field, but has no parameters.
// It may outlive its Posterior.
class PosteriorField final : public Field {
 public:
  // `field` is in the model's coordinates; `owner` keeps it alive.
  PosteriorField(std::shared_ptr<const void> owner, const Field& field, Coordinates coordinates);

  std::size_t dim() const override { return field_.dim(); }
  std::size_t inputs() const override { return field_.inputs(); }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override;
  void Value(const FieldPoints& at, std::span<double> f, std::span<double> scratch) const override;
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> record) const override;
  void Pullback(const FieldPoints& at, std::span<const double> record, std::span<const double> g,
                std::span<double> bx, std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& at, std::span<double> jacobian) const override;

 private:
  std::shared_ptr<const void> owner_;
  const Field& field_;
  Coordinates coordinates_;
};

// A trajectory whose missing values have been filled in.
struct Imputation {
  Trajectory filled;    // the observed values, and the forecast's median in place of missing ones
  Matrix lower, upper;  // (T, channels): the band of the channels without noise, at all times
  Matrix predictive_lower, predictive_upper;  // the band of observations, noise included
  std::size_t diverged = 0;
  LostDraws lost = {};
};

class Posterior {
 public:
  // Throws an InputError if the model's parts do not fit together or its kernel matrix cannot be
  // factored.
  explicit Posterior(Model model);

  const Model& model() const { return *model_; }
  std::size_t dim() const { return model_->dim(); }

  // Forecasts a training trajectory at any times: before, within or after its data. Origin says
  // which state the forecast starts from.
  Forecast Trajectory(std::size_t trajectory, std::span<const double> times,
                      const ForecastOptions& options = {}) const;

  // Forecasts from a state at `time`.
  Forecast From(const StartState& start, double time, std::span<const double> times,
                const ForecastOptions& options = {}) const;

  // Returns the state that fits the channel values best by least squares; NaN values are left out.
  // If the covariance of the values (channels, channels) is given, the covariance of the state is
  // computed, too. Throws an InputError if the values do not determine the state.
  StartState StateOf(std::span<const double> values, const Matrix& covariance = {}) const;

  // Fills the gaps of `seen`, which is the training trajectory with this index, possibly with other
  // times and gaps. The forecast starts from the latest state (Origin::kLatestState). The bands
  // contain the probability `level`.
  Imputation FillGaps(std::size_t trajectory, const gpode::Trajectory& seen, double level = 0.9,
                      const ForecastOptions& options = {}) const;

  // Returns the samples of the measured inputs that a forecast of a training trajectory uses: the
  // samples of the training data before the first time of `later`, then `later`.
  InputSamples SamplesOf(std::size_t trajectory, const InputSamples& later = {}) const;
  // Returns typical values (U) of the inputs: the means of measured ones, and the clock at the
  // middle of the first training trajectory.
  Vector TypicalInputs() const;

  // These return the mean and the variance (n, D) of the field at the rows of states (n, D) and the
  // inputs (n, U), or (1, U) for all states. Without inputs, a field that has some is evaluated at
  // TypicalInputs(). Moments are exact if the unknown function has closed forms, and otherwise
  // computed from 256 draws.
  Matrix FieldMean(const Matrix& states, const Matrix& inputs = {}) const;
  Matrix FieldVariance(const Matrix& states, const Matrix& inputs = {}) const;
  // MeanField returns the mean of the field, or the mean of 64 draws if there is no closed form.
  // DrawField returns draw i.
  PosteriorField MeanField() const;
  PosteriorField DrawField(std::uint64_t seed, std::uint64_t i) const;

 private:
  struct Leg;

  std::vector<Leg> LegsOf(std::size_t trajectory, std::span<const double> times,
                          Origin origin) const;
  void SetInputs(const InputSamples& samples, std::span<const double> times,
                 const ForecastOptions& options, std::vector<Leg>* legs) const;
  Forecast Follow(const std::vector<Leg>& legs, std::span<const double> times,
                  const ForecastOptions& options) const;
  void Widen(const std::function<double(double, std::size_t)>& horizon, Forecast* forecast) const;
  FieldMoments MomentsAt(const Matrix& states, const Matrix& inputs) const;
  Matrix InputsFor(const Matrix& states, const Matrix& inputs) const;
  bool HasExactMoments() const;
  Matrix ToModel(const Matrix& states) const;
  void CheckTrajectory(std::size_t trajectory) const;

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ModelDraws> draws_;
};

}  // namespace gpode
