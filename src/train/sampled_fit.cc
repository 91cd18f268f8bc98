#include "train/sampled_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>

#include "gpode/chain_diagnostics.h"
#include "gpode/random.h"
#include "model/drawn_field.h"
#include "model/network_posterior.h"
#include "train/sampled_target.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// Per trajectory; by the states there chains are compared.
constexpr std::size_t kComparedTimes = 20;

using Report = std::function<bool(const Progress&)>;

Eigen::Map<const Vector> Block(const ModelParameters& p, std::size_t block,
                               std::span<const double> values) {
  const std::span<const double> own = p.layout().Values(block, values);
  return {own.data(), static_cast<Eigen::Index>(own.size())};
}

// What positions (S, n) of the sampler stand for.
PosteriorDraws ToDraws(const SampledTarget& target, const FitOptions& options,
                       const Matrix& flats) {
  const ModelParameters& p = target.parameters();
  const bool network = IsNetwork(options.model);
  PosteriorDraws draws;
  for (Eigen::Index s = 0; s < flats.rows(); ++s) {
    const std::vector<double> values = target.ValuesAt({flats.row(s).data(), target.size()});
    Vector field;
    if (network) {
      field = Block(p, p.weight_mean, values);
    } else {
      const auto mean = Block(p, p.inducing_mean, values);
      const auto lengthscales = Block(p, p.lengthscales, values);
      const auto variances = Block(p, p.variances, values);
      field.resize(mean.size() + lengthscales.size() + variances.size());
      field << mean, lengthscales, variances;
    }
    const auto x0 = Block(p, p.x0_mean, values), noise = Block(p, p.noise_variance, values);
    if (s == 0) {
      draws = {Matrix(flats.rows(), field.size()), Matrix(flats.rows(), x0.size()),
               Matrix(flats.rows(), noise.size())};
    }
    draws.field.row(s) = field;
    draws.x0.row(s) = x0;
    draws.noise_variance.row(s) = noise;
  }
  return draws;
}

// The means of the columns, exact for columns that are constant.
Vector ColumnMeans(const Matrix& draws) {
  Vector away = Vector::Zero(draws.cols());
  for (Eigen::Index s = 0; s < draws.rows(); ++s) {
    away += (draws.row(s) - draws.row(0)).transpose();
  }
  return draws.row(0).transpose() + away / static_cast<double>(draws.rows());
}

// Mean, and the root mean square around it, of the columns.
std::pair<Vector, Vector> Moments(const Matrix& draws) {
  const Vector mean = ColumnMeans(draws);
  const Matrix away = draws.rowwise() - mean.transpose();
  return {mean, (away.cwiseAbs2().colwise().mean()).cwiseSqrt()};
}

// The parts of a model that have one value or a normal, from its draws.
void SetMoments(Model& model) {
  const auto [mean, deviation] = Moments(model.draws.field);
  if (IsNetwork(model.options.model)) {
    model.network = {mean, deviation};
  } else {
    GpParameters& gp = model.gp;
    const Eigen::Index values = gp.inducing_mean.size(), scales = gp.lengthscales.size();
    const Eigen::Index m = gp.inducing_mean.cols();
    std::copy_n(mean.data(), values, gp.inducing_mean.data());
    std::copy_n(mean.data() + values, scales, gp.lengthscales.data());
    std::copy_n(mean.data() + values + scales, gp.variances.size(), gp.variances.data());
    for (std::size_t d = 0; d < gp.inducing_chol.size(); ++d) {
      gp.inducing_chol[d] =
          deviation.segment(static_cast<Eigen::Index>(d) * m, m).asDiagonal().toDenseMatrix();
    }
  }
  model.noise_variance = ColumnMeans(model.draws.noise_variance);
  const auto [x0, x0_deviation] = Moments(model.draws.x0);
  const auto d = static_cast<Eigen::Index>(model.dim());
  const auto n = static_cast<Eigen::Index>(model.start_times.size());
  model.x0_mean = Eigen::Map<const Matrix>(x0.data(), n, d);
  for (Eigen::Index i = 0; i < n; ++i) {
    model.x0_chol.push_back(x0_deviation.segment(i * d, d).asDiagonal().toDenseMatrix());
  }
}

// (draws, k): what the draws `first` to `first + count - 1` say of initial states, noise, and the
// states at some times of the data. Weights of a network can be exchanged without changing its
// field, so chains are compared by what can be known.
Matrix WhatIsKnown(const Model& model, const std::vector<TimedValues>& data, std::size_t first,
                   std::size_t count) {
  const std::size_t d = model.dim();
  std::vector<std::vector<double>> times;
  for (const TimedValues& t : data) {
    const std::size_t gap = t.times.size() / kComparedTimes + 1;
    times.emplace_back();
    for (std::size_t i = 0; i < t.times.size(); i += gap) times.back().push_back(t.times[i]);
  }
  Matrix known;
  Solver solver(model.options.solver);
  for (std::size_t s = 0; s < count; ++s) {
    const auto row = static_cast<Eigen::Index>(first + s);
    const std::unique_ptr<Field> field = DrawnField(model, first + s);
    const std::span<const double> x0(model.draws.x0.row(row).data(), times.size() * d);
    std::vector<double> all(x0.begin(), x0.end());
    if (model.options.noise_variance.empty()) {
      for (double v : model.draws.noise_variance.row(row)) all.push_back(std::log(v));
    }
    for (std::size_t n = 0; n < times.size(); ++n) {
      std::vector<double> states(times[n].size() * d);
      solver.Solve(*field, x0.subspan(n * d, d), 0.0, times[n], states);
      all.insert(all.end(), states.begin(), states.end());
    }
    if (s == 0) known.resize(static_cast<Eigen::Index>(count), std::ssize(all));
    std::ranges::copy(all, known.row(static_cast<Eigen::Index>(s)).begin());
  }
  return known;
}

class SampledFit {
 public:
  SampledFit(const Dataset& data, const FitOptions& options, const Report& report)
      : data_(data), options_(options), report_(report) {
    CheckFit(data, options);
    start_ = Initialise(data, options);
    target_ = std::make_unique<SampledTarget>(data_, options_, start_);
    const SamplerOptions& s = options.sampler;
    const std::size_t trained = IsNetwork(options.model) ? s.chains : 1;
    progress_.steps = trained * options.steps + s.chains * (s.warm_up + s.draws);
  }

  TrainedModel Run() {
    IsNetwork(options_.model) ? StartNetworks() : StartProcess();
    TrainedModel trained{.model = ModelWithout(data_, options_, start_), .data = data_};
    if (stopped_) return trained;
    const NutsResult result = Sample();
    if (stopped_) return trained;
    trained.model = ToModel(result);
    trained.finished = true;
    return trained;
  }

 private:
  // Steps of training and iterations of all chains are one count. From any thread.
  bool Count(std::size_t steps, double bound) {
    const std::lock_guard lock(mutex_);
    progress_.step = std::min(progress_.step + steps, progress_.steps);
    progress_.bound = bound;
    if (report_ && !report_(progress_)) stopped_ = true;
    return !stopped_;
  }

  // The parameters that training ends with.
  std::vector<double> Train(const FitOptions& options) {
    constexpr std::size_t kCountEvery = 50;
    Trainer trainer(data_, options);
    std::size_t counted = 0;
    double bound = 0;
    for (std::size_t step = 1; !trainer.done() && !stopped_; ++step) {
      bound = trainer.Step().bound;
      if (step % kCountEvery != 0) continue;
      Count(kCountEvery, bound);
      counted = step;
    }
    Count(options.steps - std::min(counted, options.steps), bound);
    std::vector<double> flat(target_->parameters().layout().flat_size());
    CopyBlocks(trainer.parameters(), trainer.Save().flat, target_->parameters(), flat);
    return flat;
  }

  // Variational fits from different random weights, one for each chain.
  void StartNetworks() {
    starts_.resize(options_.sampler.chains);
    std::vector<std::vector<double>> flats(starts_.size());
    ThreadPool pool(options_.threads);
    pool.For(starts_.size(), [&](std::size_t c) {
      FitOptions own = options_;
      own.model = ModelKind::kNeuralVi;
      own.seed = options_.seed + (std::uint64_t{c} << 32);
      own.threads = 1;
      flats[c] = Train(own);
      starts_[c] = target_->PositionOf(flats[c]);
    });
    target_->SetFlat(flats[0]);
  }

  void StartProcess() {
    FitOptions variational = options_;
    variational.model = ModelKind::kGpode;
    const std::vector<double> flat = Train(variational);
    target_->SetFlat(flat);
    starts_.assign(options_.sampler.chains, target_->PositionOf(flat));
  }

  NutsResult Sample() {
    const SamplerOptions& s = options_.sampler;
    NutsOptions nuts{.chains = s.chains,
                     .warm_up = s.warm_up,
                     .draws = s.draws,
                     .target_acceptance = s.target_acceptance,
                     .max_depth = s.max_depth,
                     .mass_matrix = MassMatrix::kDense,
                     .inverse_mass = std::vector<Matrix>(s.chains),
                     .adapt_mass = !IsNetwork(options_.model),
                     .starts = Matrix(static_cast<Eigen::Index>(s.chains),
                                      static_cast<Eigen::Index>(target_->size())),
                     .seed = options_.seed,
                     .threads = options_.threads};
    ThreadPool pool(options_.threads);
    pool.For(s.chains, [&](std::size_t c) { PrepareChain(c, nuts); });
    const double bound = progress_.bound;
    nuts.report = [&](const NutsProgress& p) { return Count((p.iteration + 9) % 10 + 1, bound); };
    return SampleNuts(
        target_->size(), [&](std::size_t) { return target_->Density(); }, nuts);
  }

  // Mass matrix and start of chain c: the curvature where it was trained to, and a draw from the
  // normal there.
  void PrepareChain(std::size_t c, NutsOptions& nuts) const {
    const LogDensity density = target_->Density();
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
    Model model = ModelWithout(data_, options_, start_);
    const Matrix draws = result.AllDraws();
    const bool failed = draws.rows() == 0;
    const Matrix positions = failed ? Matrix(starts_[0].transpose()) : draws;
    model.draws = ToDraws(*target_, options_, positions);
    if (!IsNetwork(options_.model)) {
      const std::vector<double> values =
          target_->ValuesAt({positions.row(0).data(), target_->size()});
      target_->parameters().ReadGp(values, model.gp);
    }
    SetMoments(model);
    SetSummary(result, model);
    if (failed) model.warning = "no chain of the sampler has draws: " + model.warning;
    return model;
  }

  void SetSummary(const NutsResult& result, Model& model) const {
    const std::vector<TimedValues> data = InModelTime(data_, start_.time_scale);
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
      draws = WhatIsKnown(model, data, first[c], static_cast<std::size_t>(draws.rows()));
    });
    for (const NutsChain& chain : known.chains) {
      if (chain.draws.rows() > 0) known.dim = static_cast<std::size_t>(chain.draws.cols());
    }
    const SamplerReport report = DiagnoseChains(known, options_.threads);
    model.sampler = {.worst_rhat = report.worst_rhat,
                     .least_bulk_ess = report.least_bulk_ess,
                     .least_tail_ess = report.least_tail_ess,
                     .divergences = report.divergences,
                     .at_max_depth = report.at_max_depth,
                     .failed_chains = report.failed_chains,
                     .evaluations = report.evaluations};
    model.warning = fmt::format("{}", fmt::join(report.warnings, "; "));
  }

  Dataset data_;
  FitOptions options_;
  Report report_;
  std::mutex mutex_;
  Progress progress_ = {};
  std::atomic<bool> stopped_ = false;
  Start start_;
  std::unique_ptr<SampledTarget> target_;
  std::vector<Vector> starts_;  // (chains)
};

}  // namespace

TrainedModel SampleModel(const Dataset& data, const FitOptions& options, const Report& report) {
  return SampledFit(data, options, report).Run();
}

}  // namespace gpode
