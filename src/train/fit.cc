// The training loop. See model.h.
#include <cmath>

#include "gpode/error.h"
#include "gpode/model.h"
#include "model/bound.h"
#include "train/adam.h"
#include "train/initialise.h"

namespace gpode {
namespace {

constexpr double kStateSpread = 0.1;  // standard deviation of q(x0) at the start
constexpr double kShootingSpread = 0.1;

void CheckOptions(const Dataset& data, const FitOptions& o) {
  CheckAtLeast("Fit", "inducing", static_cast<std::ptrdiff_t>(o.inducing), 1);
  CheckAtLeast("Fit", "features", static_cast<std::ptrdiff_t>(o.features), 1);
  CheckAtLeast("Fit", "draws", static_cast<std::ptrdiff_t>(o.draws), 1);
  CheckAtLeast("Fit", "segment", static_cast<std::ptrdiff_t>(o.segment), 1);
  CheckPositive("Fit", "learning_rate", o.learning_rate);
  CheckPositive("Fit", "tight_tolerance", o.tight_tolerance);
  CheckPositive("Fit", "loose_tolerance", o.loose_tolerance);
  if (o.observation == Observation::kPca) {
    CheckAtLeast("Fit", "states", static_cast<std::ptrdiff_t>(o.states), 1);
    if (o.states > data.channels.size()) ThrowInput("Fit", "states", "exceed the channels");
  } else if (o.states != 0 && o.states != data.channels.size()) {
    ThrowInput("Fit", "states", "must equal the number of channels, unless PCA is asked for");
  }
}

// One phase of training: a bound, its parameters, an optimiser.
class Phase {
 public:
  Phase(const Dataset& data, const FitOptions& options, const Start& start, BoundKind kind)
      : options_(options) {
    std::vector<TimedValues> timed = InModelTime(data, start.time_scale);
    Segmentation cut = CutIntoSegments(timed, kind == BoundKind::kShooting ? options.segment : 0);
    parameters_ = std::make_unique<ModelParameters>(
        ModelShape{.dim = start.map.dim(),
                   .channels = data.channels.size(),
                   .inducing = options.inducing,
                   .trajectories = data.trajectories.size(),
                   .shooting_states = cut.shooting_states,
                   .shared_hyperparameters = options.shared_hyperparameters});
    bound_ = std::make_unique<Bound>(
        GetKernel(options.kernel), options.jitter, start.map, std::move(timed), std::move(cut),
        *parameters_, options.features, options.draws, options.precision, options.solver);
    SetStart(start);
  }

  void TakeOver(const Phase& other) {
    for (const char* name : {"inducing_locations", "inducing_mean", "inducing_chol", "lengthscales",
                             "variances", "noise_variance", "x0_mean", "x0_chol"}) {
      const ParameterBlock& from = other.layout().Find(name);
      const ParameterBlock& to = layout().Find(name);
      std::copy_n(other.flat_.begin() + from.flat_offset, from.flat_size,
                  flat_.begin() + to.flat_offset);
    }
  }

  // False if the callback asked to stop.
  bool Train(std::size_t steps, double peak, ThreadPool& pool,
             const std::function<bool(const Progress&)>& report) {
    Adam adam(flat_.size());
    std::vector<double> values(layout().value_size()), bvalues(values.size()),
        gradient(flat_.size());
    BoundNoise noise;
    const SegmentChoice all = bound_->AllSegments();
    for (std::size_t step = 0; step < steps; ++step) {
      layout().Constrain(flat_, values);
      bound_->SampleNoise(options_.seed, step, noise);
      std::fill(bvalues.begin(), bvalues.end(), 0.0);
      std::fill(gradient.begin(), gradient.end(), 0.0);
      const BoundTerms terms =
          bound_->Evaluate(values, noise, ToleranceAt(step, steps), all, bvalues, pool);
      layout().ConstrainPullback(values, bvalues, gradient);
      const double norm = Norm(gradient);
      // A step without a usable gradient changes nothing.
      if (std::isfinite(norm) && terms.factor == FactorStatus::kOk) {
        adam.Step(gradient, CosineRate(peak, step, options_.warm_up, steps), flat_);
      }
      if (report && (step % 100 == 0 || step + 1 == steps)) {
        if (!report(ProgressOf(step, steps, terms, values))) return false;
      }
    }
    return true;
  }

  void Write(Model& model) const {
    std::vector<double> values(layout().value_size());
    layout().Constrain(flat_, values);
    parameters_->ReadGp(values, model.gp);
    const auto noise =
        layout().Values(parameters_->noise_variance, std::span<const double>(values));
    model.noise_variance = Eigen::Map<const Vector>(noise.data(), noise.size());
    const ModelShape& s = parameters_->shape();
    const auto n = static_cast<Eigen::Index>(s.trajectories), d = static_cast<Eigen::Index>(s.dim);
    const auto mean = layout().Values(parameters_->x0_mean, std::span<const double>(values));
    const auto chol = layout().Values(parameters_->x0_chol, std::span<const double>(values));
    model.x0_mean = Eigen::Map<const Matrix>(mean.data(), n, d);
    model.x0_chol.clear();
    for (Eigen::Index i = 0; i < n; ++i) {
      model.x0_chol.push_back(Eigen::Map<const Matrix>(chol.data() + i * d * d, d, d));
    }
  }

 private:
  const ParameterLayout& layout() const { return parameters_->layout(); }

  static double Norm(std::span<const double> v) {
    double sum = 0;
    for (double x : v) sum += x * x;
    return std::sqrt(sum);
  }

  Tolerance ToleranceAt(std::size_t step, std::size_t steps) const {
    const double done =
        static_cast<double>(step) / (options_.tightening * static_cast<double>(steps));
    const double loose = std::log(options_.loose_tolerance);
    const double tight = std::log(options_.tight_tolerance);
    return {.scale = std::exp(loose + (tight - loose) * std::min(done, 1.0))};
  }

  void SetStart(const Start& start) {
    const ModelShape& s = parameters_->shape();
    std::vector<double> values(layout().value_size());
    parameters_->WriteGp(start.gp, values);
    const auto put = [&](std::size_t block, const double* from, std::size_t size) {
      std::copy_n(from, size, layout().Values(block, std::span<double>(values)).begin());
    };
    put(parameters_->noise_variance, start.noise_variance.data(), start.noise_variance.size());
    put(parameters_->x0_mean, start.x0.data(), start.x0.size());
    const auto diagonal = [&](std::size_t block, std::size_t count, double spread) {
      const std::span<double> chol = layout().Values(block, std::span<double>(values));
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < s.dim; ++k) chol[(i * s.dim + k) * s.dim + k] = spread;
      }
    };
    diagonal(parameters_->x0_chol, s.trajectories, kStateSpread);
    diagonal(parameters_->state_chol, s.shooting_states, kShootingSpread);
    const std::span<double> means =
        layout().Values(parameters_->state_mean, std::span<double>(values));
    for (const Segment& segment : bound_->segmentation().segments) {
      if (segment.state == Segment::kNone) continue;
      const auto at = static_cast<Eigen::Index>(segment.first) - 1;  // starts at that observation
      for (std::size_t k = 0; k < s.dim; ++k) {
        means[segment.state * s.dim + k] =
            start.states[segment.trajectory](at, static_cast<Eigen::Index>(k));
      }
    }
    flat_.resize(layout().flat_size());
    layout().Unconstrain(values, flat_);
  }

  Progress ProgressOf(std::size_t step, std::size_t steps, const BoundTerms& terms,
                      std::span<const double> values) const {
    double noise = 0;
    const auto variances = layout().Values(parameters_->noise_variance, values);
    for (double v : variances) noise += std::sqrt(v) / static_cast<double>(variances.size());
    return {.step = step,
            .steps = steps,
            .bound = terms.Total(),
            .loglik = terms.loglik,
            .constraint = terms.constraint,
            .kl_u = terms.kl_u,
            .noise = noise,
            .diverged = terms.diverged};
  }

  const FitOptions& options_;
  std::unique_ptr<ModelParameters> parameters_;
  std::unique_ptr<Bound> bound_;
  std::vector<double> flat_;
};

}  // namespace

Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report) {
  CheckDataset(data);
  CheckOptions(data, options);
  const Start start = Initialise(data, options);
  Model model;
  model.options = options;
  model.channels = data.channels;
  model.map = start.map;
  model.time_scale = start.time_scale;
  for (const Trajectory& t : data.trajectories) model.start_times.push_back(t.start());
  ThreadPool pool(options.threads);
  Phase phase(data, options, start, options.bound);
  const bool go_on = phase.Train(options.steps, options.learning_rate, pool, report);
  if (options.bound == BoundKind::kShooting && options.polish_steps > 0 && go_on) {
    Phase polish(data, options, start, BoundKind::kVanilla);
    polish.TakeOver(phase);
    polish.Train(options.polish_steps, options.learning_rate, pool, report);
    polish.Write(model);
  } else {
    phase.Write(model);
  }
  return model;
}

}  // namespace gpode
