// What a learnt model says: of trajectories, of gaps in them, of the field itself.
//
// Everything is in the user's units. With x the user's state, t the user's time and z, s those of
// the model, x = scale z + offset and t = time_scale s, so that the user's field is
//   dx/dt = f_user(x) = scale f((x - offset) / scale) / time_scale.
//
// Draw i with some seed is the same function in every forecast, imputation and DrawField. Models
// that are points (npODE, NeuralODE) have one; of those by a sampler, seed and i choose a draw.
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
#include <memory>
#include <span>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/forecast.h"
#include "gpode/gp.h"
#include "gpode/model.h"

namespace gpode {

// A state to start from, known exactly or not.
struct StartState {
  Vector mean;             // (D), in the user's units of states
  Matrix covariance = {};  // (D, D), positive semidefinite; none: known exactly
};

// One function drawn from the posterior of the field, or its mean, in the user's units of states
// and time: to evaluate, differentiate and integrate like any Field. It has no parameters to
// differentiate by, and may outlive its Posterior.
class PosteriorField final : public Field {
 public:
  PosteriorField(std::unique_ptr<const Field> draw, Vector scale, Vector offset, double time_scale);

  std::size_t dim() const override { return draw_->dim(); }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override;
  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override;

 private:
  std::shared_ptr<const Field> draw_;  // in the model's coordinates
  Vector scale_, offset_;              // (D)
  double time_scale_;
};

// A trajectory without gaps.
struct Imputation {
  Trajectory filled;    // what was seen, and the median where nothing was
  Matrix lower, upper;  // (T, channels): the band of the channels themselves, at all times
  Matrix predictive_lower, predictive_upper;  // the band of observations, noise included
  std::size_t diverged = 0;
};

class Posterior {
 public:
  // Throws an InputError if the model's parts do not fit together or its kernel matrix cannot be
  // factored.
  explicit Posterior(Model model);

  const Model& model() const { return model_; }
  std::size_t dim() const { return model_.dim(); }

  // A training trajectory, before, within and after its data; see Origin.
  Forecast Trajectory(std::size_t trajectory, std::span<const double> times,
                      const ForecastOptions& options = {}) const;

  // From a state at `time`.
  Forecast From(const StartState& start, double time, std::span<const double> times,
                const ForecastOptions& options = {}) const;

  // The state of channel values by least squares, from those that are not NaN; and what their
  // covariance (channels, channels), if given, makes of its own. An InputError if the values do not
  // determine the state.
  StartState StateOf(std::span<const double> values, const Matrix& covariance = {}) const;

  // The gaps of `seen`, a training trajectory or one with other times and gaps, filled; every time
  // is reached from the latest state. `level` is that of the bands.
  Imputation FillGaps(std::size_t trajectory, const gpode::Trajectory& seen, double level = 0.9,
                      const ForecastOptions& options = {}) const;

  // The field at the rows of states (n, D): its mean and variance, (n, D) each. Exact for
  // processes; of networks, those of 256 draws.
  Matrix FieldMean(const Matrix& states) const;
  Matrix FieldVariance(const Matrix& states) const;
  // As functions: the mean, of networks that of 64 draws, and draw i.
  PosteriorField MeanField() const;
  PosteriorField DrawField(std::uint64_t seed, std::uint64_t i) const;

 private:
  struct Leg;

  std::vector<Leg> LegsOf(std::size_t trajectory, std::span<const double> times,
                          Origin origin) const;
  Forecast Follow(const std::vector<Leg>& legs, std::span<const double> times,
                  const ForecastOptions& options) const;
  bool FollowLeg(const Leg& leg, const Field& field, std::uint64_t seed, std::uint64_t i,
                 std::span<const double> times, Matrix& states) const;
  std::size_t RowOf(std::uint64_t seed, std::uint64_t i) const;
  std::unique_ptr<const Field> Draw(std::uint64_t seed, std::uint64_t i) const;
  PosteriorField InUserUnits(std::unique_ptr<const Field> field) const;
  Matrix ToModel(const Matrix& states) const;
  void CheckTrajectory(std::size_t trajectory) const;

  Model model_;
  SparseGp gp_;  // not of networks
};

}  // namespace gpode
