// Predictions of a learnt model: of trajectories, of gaps in them, of the field itself.
//
// Everything is in the user's units (coordinates.h).
//
// Draw i of a seed is the same function in every forecast, imputation and DrawField. All draws of a
// point estimate (npODE, NeuralODE) are the same; those of a sampled model are chosen by seed and
// i.
//
// Bands are as wide as held-back data ask them to be, if the model has been judged by such data
// (widening.h): imputations within the gaps of the training data, other forecasts by the time since
// the data or since the given start.
//
// Times do not decrease; they may be before a start, which is then integrated backwards. No times
// give a forecast of no rows. Times that are not finite, and no draws, are an InputError.
//
// Thread safety: never changes after construction; any thread may call anything. Functions with
// ForecastOptions start their own threads, and give the same bits for any number of them.
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
// and time. It is evaluated, differentiated and integrated like any Field, has no parameters to
// differentiate by, and may outlive its Posterior.
class PosteriorField final : public Field {
 public:
  // `owner` keeps `field` alive, which is in the model's coordinates.
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

// A trajectory without gaps.
struct Imputation {
  Trajectory filled;    // the observed values, and the median where there are none
  Matrix lower, upper;  // (T, channels): the band of the channels themselves, at all times
  Matrix predictive_lower, predictive_upper;  // the band of observations, noise included
  std::size_t diverged = 0;
};

class Posterior {
 public:
  // Throws an InputError if the model's parts do not fit together or its kernel matrix cannot be
  // factored.
  explicit Posterior(Model model);

  const Model& model() const { return *model_; }
  std::size_t dim() const { return model_->dim(); }

  // Forecasts a training trajectory before, within and after its data; see Origin.
  Forecast Trajectory(std::size_t trajectory, std::span<const double> times,
                      const ForecastOptions& options = {}) const;

  // Forecasts from a state at `time`.
  Forecast From(const StartState& start, double time, std::span<const double> times,
                const ForecastOptions& options = {}) const;

  // Returns the state that fits the channel values best by least squares; NaN values are left out.
  // If the covariance of the values (channels, channels) is given, the state has one too. Throws an
  // InputError if the values do not determine the state.
  StartState StateOf(std::span<const double> values, const Matrix& covariance = {}) const;

  // Fills the gaps of `seen`, a training trajectory or one with other times and gaps. Every time is
  // reached from the latest state. `level` is the level of the bands.
  Imputation FillGaps(std::size_t trajectory, const gpode::Trajectory& seen, double level = 0.9,
                      const ForecastOptions& options = {}) const;

  // Return the mean and the variance (n, D) of the field at the rows of states (n, D). They are
  // exact where the function has closed forms, and otherwise those of 256 draws.
  Matrix FieldMean(const Matrix& states) const;
  Matrix FieldVariance(const Matrix& states) const;
  // Return the mean of the field, or of 64 draws where it has no closed form, and draw i.
  PosteriorField MeanField() const;
  PosteriorField DrawField(std::uint64_t seed, std::uint64_t i) const;

 private:
  struct Leg;

  std::vector<Leg> LegsOf(std::size_t trajectory, std::span<const double> times,
                          Origin origin) const;
  Forecast Follow(const std::vector<Leg>& legs, std::span<const double> times,
                  const ForecastOptions& options) const;
  void Widen(const std::function<double(double, std::size_t)>& horizon, Forecast* forecast) const;
  FieldMoments MomentsAt(const Matrix& states) const;
  bool HasExactMoments() const;
  Matrix ToModel(const Matrix& states) const;
  void CheckTrajectory(std::size_t trajectory) const;

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ModelDraws> draws_;
};

}  // namespace gpode
