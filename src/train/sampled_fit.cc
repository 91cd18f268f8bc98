#include "train/sampled_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "gpode/chain_diagnostics.h"
#include "gpode/error.h"
#include "gpode/link.h"
#include "gpode/options.h"
#include "gpode/random.h"
#include "model/model_draws.h"
#include "ode/forced_solver.h"
#include "start/check_input.h"
#include "train/bounded_draws.h"
#include "train/chain_keeper.h"
#include "train/gauss_newton.h"
#include "train/linearised_draws.h"
#include "train/noise_start.h"
#include "train/sampled_target.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// Chains are compared by the states at about this many times of each trajectory.
constexpr std::size_t kComparedTimes = 20;

// Returns the mean of each column. Adding up differences from the first row makes the mean of a
// constant column exact.
Vector ColumnMeans(const Matrix& draws) {
  Vector away = Vector::Zero(draws.cols());
  for (Eigen::Index s = 0; s < draws.rows(); ++s) {
    away += (draws.row(s) - draws.row(0)).transpose();
  }
  return draws.row(0).transpose() + away / static_cast<double>(draws.rows());
}

// Returns the quantities (count, k) by which chains are compared, for the draws `first` to
// `first + count - 1`: initial states, logarithms of the noise parameters unless the noise is
// known, and states at some times of the data. The latent variables themselves do not serve: in a
// network, hidden units can be exchanged without changing the field.
Matrix IdentifiedQuantities(const Model& model, const std::vector<TimedValues>& data,
                            std::size_t first, std::size_t count) {
  const std::size_t d = model.dim();
  std::vector<std::vector<double>> times;
  for (const TimedValues& t : data) {
    const std::size_t gap = t.times.size() / kComparedTimes + 1;
    times.emplace_back();
    for (std::size_t i = 0; i < t.times.size(); i += gap) times.back().push_back(t.times[i]);
  }
  Matrix quantities;
  Solver solver(model.options.solver);
  ForcedSolver forced_solver(model.options.solver);
  const NoisePieces pieces = PiecesOf(model);
  const ModelDraws draws(model);
  const ModelParts& parts = draws.parts();
  for (std::size_t s = 0; s < count; ++s) {
    const ModelDraw draw = draws.MakeRow(first + s);
    const std::span<const double> x0 =
        parts.latent().Part(ModelParts::kInitial, std::span<const double>(draw.z));
    std::vector<double> all(x0.begin(), x0.end());
    if (model.options.noise_variance.empty()) {
      const auto row = model.draws.row(static_cast<Eigen::Index>(first + s));
      const std::span<const double> values(row.data(), static_cast<std::size_t>(row.size()));
      const std::span<const double> noise = parts.LikelihoodParameters(values);
      for (std::size_t c = 0; c < parts.shape().channels; ++c) {
        const std::size_t learnt = parts.likelihood().ForChannel(c).learnt_parameters();
        for (double v : parts.likelihood().OfChannel(c, noise).first(learnt)) {
          all.push_back(std::log(v));
        }
      }
    }
    for (std::size_t n = 0; n < times.size(); ++n) {
      std::vector<double> states(times[n].size() * d);
      const std::span<const double> from = x0.subspan(n * d, d);
      const InputSignal* const inputs = data[n].inputs.get();
      if (draw.force.empty()) {
        solver.Solve(draw.function->field(), from, 0.0, times[n], states, 0, inputs);
      } else {
        const Force force{
            .ends = pieces.ends[n],
            .values = std::span(draw.force).subspan(pieces.Before(n) * d, pieces.counts[n] * d)};
        forced_solver.Solve(draw.function->field(), force, from, 0.0, times[n], states, 0, inputs);
      }
      all.insert(all.end(), states.begin(), states.end());
    }
    if (s == 0) quantities.resize(static_cast<Eigen::Index>(count), std::ssize(all));
    std::ranges::copy(all, quantities.row(static_cast<Eigen::Index>(s)).begin());
  }
  return quantities;
}

class SampledFit {
 public:
  SampledFit(const Dataset& data, const FitOptions& options, const SamplingControl& control)
      : data_(data),
        linked_(ToLinkScale(data, LinksOf(options.positive, data.channels))),
        options_(options),
        control_(control) {
    CheckFitInput(data, options);
    start_ = Initialise(linked_, options);
    target_ = std::make_unique<SampledTarget>(linked_, options_, start_);
    const SamplerOptions& s = options.sampler;
    progress_.steps = IsLinearised() ? IterationsOfLinearised(s) : s.chains * (s.warm_up + s.draws);
    if (FitsEachChain()) progress_.steps += s.chains * options.steps;
  }

  TrainedModel Run() {
    if (control_.from) CountResumed();
    ChainKeeper::Save save;
    if (control_.save)
      save = [this](const SamplingState& state) { control_.save(Unfinished(state)); };
    ChainKeeper keeper(control_.from, control_.seconds, save);
    FitsEachChain() ? FitChains() : FitOnce();
    NutsResult result;
    if (!stopped_) result = IsLinearised() ? SampleByLinearisation(keeper) : Sample(keeper);
    if (stopped_) {
      keeper.SaveNow();
      return Unfinished({});
    }
    return {.model = ToModel(result), .data = data_, .finished = true};
  }

 private:
  // Returns true if the draws start from a linearised model.
  bool IsLinearised() const { return GetPosteriorFamily(options_.posterior).is_linearised(); }
  // Returns true if each chain starts from a variational fit of its own.
  bool FitsEachChain() const { return target_->parts().function().has_symmetries(); }

  // Returns the run so far, for a checkpoint. Its model has the parameters of the start, and no
  // draws.
  TrainedModel Unfinished(const SamplingState& state) const {
    TrainedModel run{.model = UntrainedModel(data_, options_, start_), .data = data_};
    const ModelParts& parts = target_->parts();
    run.model.noise_pieces = target_->pieces().counts;
    run.model.parameters = {
        parts.layout(), StartValues(parts, start_, CutIntoSegments(target_->trajectories(), 0))};
    run.sampling = std::make_shared<const SamplingState>(state);
    return run;
  }

  // Counts the iterations that the chains of a resumed run have completed.
  void CountResumed() {
    for (const auto& chain : control_.from->chains) {
      if (chain) progress_.step += chain->iteration;
    }
    progress_.step = std::min(progress_.step, progress_.steps);
  }

  // Returns true if the report has asked to stop. Calls the report for this, but not more often
  // than about ten times per second. May be called from any thread.
  bool MustStop() {
    constexpr std::chrono::milliseconds kPause(100);
    const auto now = std::chrono::steady_clock::now();
    if (!control_.report || now - asked_.load() < kPause) return stopped_;
    asked_ = now;
    const std::lock_guard lock(mutex_);
    if (!control_.report(progress_)) stopped_ = true;
    return stopped_;
  }

  // Adds to the progress, which counts the steps of training and the iterations of all chains
  // together. Returns false if the report has asked to stop. May be called from any thread.
  bool Count(std::size_t steps, double bound) {
    const std::lock_guard lock(mutex_);
    progress_.step = std::min(progress_.step + steps, progress_.steps);
    progress_.bound = bound;
    if (control_.report && !control_.report(progress_)) stopped_ = true;
    return !stopped_;
  }

  // Returns the target's flat parameters at the end of a variational fit.
  std::vector<double> FitVariationally(const FitOptions& options, const Start& start) {
    constexpr std::size_t kCountEvery = 50;
    Trainer trainer(data_, options, start);
    std::size_t counted = 0;
    double bound = 0;
    for (std::size_t step = 1; !trainer.done() && !stopped_; ++step) {
      bound = trainer.Step().bound;
      if (step % kCountEvery != 0) continue;
      Count(kCountEvery, bound);
      counted = step;
    }
    Count(options.steps - std::min(counted, options.steps), bound);
    return PointEstimateOf(trainer);
  }

  // Returns flat parameters with the latent variables at their posterior means and everything else
  // as it was trained.
  std::vector<double> PointEstimateOf(const Trainer& trainer) const {
    const ModelParts &from = trainer.parts(), &to = target_->parts();
    const NamedValues fitted = trainer.Snapshot().parameters;
    const std::vector<double> mean = from.LatentMean(fitted.values);
    std::vector<double> z(to.latent().size()), deviation(z.size(), 0.0);
    for (std::size_t part : {ModelParts::kFunction, ModelParts::kInitial}) {
      std::ranges::copy(from.latent().Part(part, std::span<const double>(mean)),
                        to.latent().Part(part, std::span(z)).begin());
    }
    std::vector<double> flat(to.layout().flat_size());
    to.layout().Unconstrain(to.ValuesAt(z, deviation, fitted), flat);
    // Copies the trained flat parameters, which Unconstrain reproduces only up to rounding errors.
    CopyBlocks(from.layout(), trainer.Save().flat, to.layout(), flat);
    return flat;
  }

  FitOptions VariationalOptions() const {
    FitOptions options = options_;
    options.posterior = "blocks";
    return options;
  }

  // Fits one model for each chain, each from a random start of its own.
  void FitChains() {
    starts_.resize(options_.sampler.chains);
    std::vector<std::vector<double>> flats(starts_.size());
    ThreadPool pool(options_.threads);
    pool.For(starts_.size(), [&](std::size_t c) {
      FitOptions own = VariationalOptions();
      own.seed = options_.seed + (std::uint64_t{c} << 32);
      own.threads = 1;
      flats[c] = FitVariationally(own, Initialise(linked_, own));
    });
    target_->SetFlat(flats[0]);
    const std::unique_ptr<SampledDensity> density = target_->Density();
    for (std::size_t c = 0; c < starts_.size(); ++c) starts_[c] = density->PositionOf(flats[c]);
  }

  // Fits one model, from which all chains start. Where the likelihood can be linearised, the
  // coordinates of the chains are whitened there.
  void FitOnce() {
    NoisePieces pieces;
    if (HasProcessNoise()) {
      pieces =
          SampledTarget(linked_, options_, start_, ChoosePieces(target_->trajectories())).pieces();
    }
    GaussNewtonEstimate estimate =
        FitByGaussNewton(*target_, pieces, !KnownProcessNoise(options_).empty());
    if (estimate.noisy && StartWithProcessNoise(*estimate.noisy, pieces)) return;
    std::vector<double> flat = std::move(estimate.flat);
    LinearisedLikelihood linear;
    if (!flat.empty()) linear = target_->LineariseAt(flat);
    if (linear.target.size() == 0) {
      flat = FitVariationally(VariationalOptions(), start_);
      if (stopped_) return;
      linear = target_->LineariseAt(flat);
    }
    const ModelParts& parts = target_->parts();
    std::vector<double> values(parts.layout().value_size());
    parts.layout().Constrain(flat, values);
    parts.function().SetStart(start_.function);
    parts.function().Moderate(values);
    parts.layout().Unconstrain(values, flat);
    target_->SetFlat(flat);
    target_->SetLinear(linear);
    if (target_->HasLinear()) Relinearise(flat);
    target_->SetFlat(flat);
    starts_.assign(options_.sampler.chains, target_->Density()->PositionOf(flat));
  }

  // Returns true if the model may have process noise.
  bool HasProcessNoise() const {
    return options_.process_noise != "none" &&
           GetPosteriorFamily(options_.posterior).samples_residual();
  }

  // Makes process noise a part of the model, and starts from an estimate that has it. Changes
  // nothing and returns false if the likelihood cannot be linearised there.
  bool StartWithProcessNoise(const NoisyEstimate& estimate, const NoisePieces& pieces) {
    auto noisy = std::make_unique<SampledTarget>(linked_, options_, start_, pieces.counts);
    std::vector<double> flat = NoisyStart(*noisy, estimate);
    LinearisedLikelihood linear = noisy->LineariseAt(flat);
    if (linear.target.size() == 0) return false;
    target_ = std::move(noisy);
    target_->SetFlat(flat);
    target_->SetLinear(std::move(linear));
    Relinearise(flat);
    target_->SetFlat(flat);
    starts_.assign(options_.sampler.chains, target_->Density()->PositionOf(flat));
    return true;
  }

  // Returns flat parameters of a target with process noise: those of the estimate, and the force
  // with which solutions pass through its states.
  std::vector<double> NoisyStart(const SampledTarget& noisy, const NoisyEstimate& estimate) const {
    const ModelParts &from = target_->parts(), &to = noisy.parts();
    std::vector<double> values(from.layout().value_size());
    from.layout().Constrain(estimate.flat, values);
    from.function().SetStart(start_.function);
    from.function().Moderate(values);
    ThreadPool pool(1);
    from.function().Set(values, pool);
    const std::vector<double> mean = from.LatentMean(values);
    const std::unique_ptr<FunctionDraw> draw = from.function().MakeDraw();
    draw->Set(from.latent().Part(ModelParts::kFunction, std::span<const double>(mean)));
    std::vector<double> z(to.latent().size()), none(z.size(), 0.0);
    for (std::size_t part : {ModelParts::kFunction, ModelParts::kInitial}) {
      std::ranges::copy(from.latent().Part(part, std::span<const double>(mean)),
                        to.latent().Part(part, std::span(z)).begin());
    }
    std::vector<double> own = to.ValuesAt(z, none, {from.layout(), values});
    std::ranges::copy(ProcessNoise(estimate.deviation),
                      to.layout().Values(to.process_noise_block(), std::span(own)).begin());
    const std::vector<double> scale = noisy.ForceScale(own);
    const NoisePieces& pieces = noisy.pieces();
    const std::span<double> normals = to.latent().Part(ModelParts::kForce, std::span(z));
    for (std::size_t n = 0; n < pieces.counts.size(); ++n) {
      const std::span<const double> x0 =
          to.latent().Item(ModelParts::kInitial, n, std::span<const double>(z));
      const std::vector<double> force =
          ForceThrough(draw->field(), x0, pieces.ends[n], estimate.states[n], options_.solver,
                       noisy.trajectories()[n].inputs.get());
      const std::size_t first = pieces.Before(n) * x0.size();
      for (std::size_t i = 0; i < force.size(); ++i) {
        normals[first + i] = force[i] / scale[first + i];
      }
    }
    to.posterior().Initialise(z, none, own);
    std::vector<double> flat(to.layout().flat_size());
    to.layout().Unconstrain(own, flat);
    return flat;
  }

  // Returns the known standard deviations of the process noise, in the model's units, or `estimate`
  // if they are learnt.
  std::vector<double> ProcessNoise(const Vector& estimate) const {
    const std::vector<double> known = KnownProcessNoise(options_);
    std::vector<double> deviation(estimate.begin(), estimate.end());
    for (std::size_t d = 0; d < deviation.size() && !known.empty(); ++d) {
      deviation[d] = known[known.size() == 1 ? 0 : d] * std::sqrt(start_.coordinates.time_scale) /
                     start_.coordinates.state_scale[static_cast<Eigen::Index>(d)];
    }
    return deviation;
  }

  // Moves the latent variables to the mode of the linearised model and linearises again there, as
  // long as the density grows.
  void Relinearise(std::vector<double>& flat) {
    constexpr int kMost = 10;
    double best = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMost; ++i) {
      const std::unique_ptr<SampledDensity> density = target_->Density();
      Vector position = density->PositionOf(flat);
      if (i == 0) {
        const double value = density->Evaluate({position.data(), target_->size()}, {});
        if (std::isfinite(value)) best = value - density->LogJacobian();
      }
      position.head(static_cast<Eigen::Index>(target_->whitened())).setZero();
      const std::span<const double> at(position.data(), target_->size());
      const double value = density->Evaluate(at, {}) - density->LogJacobian();
      if (!(value > best + 0.01)) return;
      best = value;
      target_->parts().layout().Unconstrain(density->ValuesAt(at), flat);
      target_->SetLinear(target_->LineariseAt(flat));
    }
  }

  // Returns the sampler options that the user has chosen.
  NutsOptions LongChains() {
    const SamplerOptions& s = options_.sampler;
    return {.chains = s.chains,
            .warm_up = s.warm_up,
            .draws = s.draws,
            .target_acceptance = s.target_acceptance,
            .max_depth = s.max_depth,
            .mass_matrix = MassMatrix::kDense,
            .seed = options_.seed,
            .threads = options_.threads,
            .report = [this](const NutsProgress&) { return Count(1, 0); }};
  }

  NutsResult Sample(ChainKeeper& keeper) {
    NutsOptions nuts = LongChains();
    nuts.inverse_mass.resize(nuts.chains);
    nuts.adapt_mass = !FitsEachChain();
    nuts.starts.resize(static_cast<Eigen::Index>(nuts.chains),
                       static_cast<Eigen::Index>(target_->size()));
    const std::vector<std::unique_ptr<SampledDensity>> densities = target_->Densities(nuts.chains);
    ThreadPool pool(options_.threads);
    pool.For(nuts.chains, [&](std::size_t c) { PrepareChain(c, *densities[c], nuts); });
    keeper.Attach(nuts);
    return RunChains(nuts, densities);
  }

  NutsResult SampleByLinearisation(ChainKeeper& keeper) {
    LinearisedDraws draws =
        SampleLinearised(*target_, starts_[0], LongChains(), keeper, [this] { return MustStop(); });
    pareto_k_ = draws.pareto_k;
    return std::move(draws.moved);
  }

  NutsResult RunChains(NutsOptions& nuts,
                       const std::vector<std::unique_ptr<SampledDensity>>& densities) {
    nuts.further = target_->further();
    if (nuts.further > 0) {
      nuts.draw_further = [&](std::size_t chain, std::uint64_t iteration,
                              std::span<const double> position, std::span<double> further) {
        const RandomStream stream(options_.seed, iteration, chain, Purpose::kFourierWeights);
        densities[chain]->DrawFurther(stream, position, further);
      };
    }
    for (std::size_t c = 0; c < nuts.resume.size(); ++c) {
      if (!nuts.resume[c] || nuts.further == 0) continue;
      CheckSize("sampling", "further", nuts.resume[c]->further.size(), nuts.further);
      densities[c]->SetFurther(nuts.resume[c]->further);
    }
    return SampleNuts(
        target_->size(), [&](std::size_t c) { return StoppableDensityOf(*densities[c]); }, nuts);
  }

  // The density of a chain, which becomes impossible when the report has asked to stop, so that a
  // trajectory of many steps ends at once.
  LogDensity StoppableDensityOf(SampledDensity& density) {
    return [&](std::span<const double> position, std::span<double> gradient) {
      if (MustStop()) return -std::numeric_limits<double>::infinity();
      return density.Evaluate(position, gradient);
    };
  }

  static LogDensity DensityOf(SampledDensity& density) {
    return [&density](std::span<const double> position, std::span<double> gradient) {
      return density.Evaluate(position, gradient);
    };
  }

  // Sets the mass matrix of chain c to the curvature at its fit, and its start to a draw from the
  // Gaussian approximation there.
  void PrepareChain(std::size_t c, SampledDensity& own, NutsOptions& nuts) const {
    const LogDensity density = DensityOf(own);
    const Eigen::LLT<Eigen::MatrixXd> curvature(Curvature(density, starts_[c]));
    const Eigen::Index n = starts_[c].size();
    const auto size = static_cast<std::size_t>(n);
    const Eigen::MatrixXd inverse = curvature.solve(Eigen::MatrixXd::Identity(n, n));
    nuts.inverse_mass[c] = 0.5 * (inverse + inverse.transpose());
    Vector normals(n), gradient(n);
    RandomStream(options_.seed, 0, c, Purpose::kInitialisation).Normals({normals.data(), size});
    const Vector drawn = starts_[c] + curvature.matrixU().solve(normals);
    const bool usable = std::isfinite(density({drawn.data(), size}, {gradient.data(), size}));
    nuts.starts.row(static_cast<Eigen::Index>(c)) = usable ? drawn : starts_[c];
  }

  Model ToModel(const NutsResult& result) const {
    Model model = UntrainedModel(data_, options_, start_);
    model.noise_pieces = target_->pieces().counts;
    const Matrix draws = result.AllDraws();
    const bool failed = draws.rows() == 0;
    const Matrix positions = failed ? Matrix(starts_[0].transpose()) : draws;
    const Matrix further = result.AllFurther();
    const ParameterLayout& layout = target_->parts().layout();
    const std::unique_ptr<SampledDensity> density = target_->Density();
    model.draws.resize(positions.rows(), static_cast<Eigen::Index>(layout.value_size()));
    for (Eigen::Index s = 0; s < positions.rows(); ++s) {
      if (!failed) {
        density->SetFurther({further.row(s).data(), static_cast<std::size_t>(further.cols())});
      }
      std::ranges::copy(density->ValuesAt({positions.row(s).data(), target_->size()}),
                        model.draws.row(s).begin());
    }
    const Vector mean = ColumnMeans(model.draws);
    model.parameters = {layout, {mean.begin(), mean.end()}};
    SetSummary(result, model);
    if (pareto_k_) SetWeightSummary(model);
    if (!failed) KeepBoundedDraws(target_->trajectories(), start_.states, model);
    if (failed) {
      model.warning =
          "no chain of the sampler has draws" + (model.warning.empty() ? "" : ": " + model.warning);
    }
    return model;
  }

  // Warnings about long chains do not apply to the short chains of a linearised model.
  void SetWeightSummary(Model& model) const {
    model.sampler.pareto_k = *pareto_k_;
    if (model.sampler.failed_chains == 0) model.warning.clear();
  }

  void SetSummary(const NutsResult& result, Model& model) const {
    const std::vector<TimedValues> data =
        InModelTime(linked_, start_.coordinates, options_.InputsWith(data_.inputs));
    NutsResult known = result;
    std::vector<std::size_t> first(known.chains.size());
    std::size_t rows = 0;
    for (std::size_t c = 0; c < known.chains.size(); ++c) {
      first[c] = rows;
      rows += static_cast<std::size_t>(known.chains[c].draws.rows());
    }
    ThreadPool pool(options_.threads);
    pool.For(known.chains.size(), [&](std::size_t c) {
      Matrix& draws = known.chains[c].draws;
      if (draws.rows() == 0) return;
      draws = IdentifiedQuantities(model, data, first[c], static_cast<std::size_t>(draws.rows()));
    });
    for (const NutsChain& chain : known.chains) {
      if (chain.draws.rows() > 0) known.dim = static_cast<std::size_t>(chain.draws.cols());
    }
    const SamplerReport report = DiagnoseChains(known, options_.threads);
    model.sampler = {.worst_rhat = report.worst_rhat,
                     .least_bulk_ess = report.least_bulk_ess,
                     .least_tail_ess = report.least_tail_ess,
                     .divergent = report.divergent,
                     .at_max_depth = report.at_max_depth,
                     .failed_chains = report.failed_chains,
                     .evaluations = report.evaluations};
    model.warning = fmt::format("{}", fmt::join(report.warnings, "; "));
  }

  Dataset data_;
  Dataset linked_;  // the data on the scale of the links of positive channels
  FitOptions options_;
  const SamplingControl& control_;
  std::mutex mutex_;
  Progress progress_ = {};
  std::atomic<bool> stopped_ = false;
  std::atomic<std::chrono::steady_clock::time_point> asked_ = std::chrono::steady_clock::now();
  Start start_;
  std::unique_ptr<SampledTarget> target_;
  std::vector<Vector> starts_;      // (chains)
  std::optional<double> pareto_k_;  // the Pareto shape of the linearised model's weights
};

}  // namespace

TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const SamplingControl& control) {
  return SampledFit(data, options, control).Run();
}

}  // namespace gpode
