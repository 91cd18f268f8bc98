#include "train/linearised_draws.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "gpode/error.h"
#include "gpode/importance.h"
#include "gpode/parallel.h"
#include "gpode/random.h"

namespace gpode {
namespace {

// The number of short chains, the iterations of warm-up of each, and the largest number of times
// that a trajectory of the No-U-Turn sampler doubles in them.
constexpr std::size_t kShortChains = 64, kShortWarmUp = 10, kShortDepth = 5;
// The number of iterations of each chain that only look for a better place to linearise at.
constexpr std::size_t kSearchWarmUp = 8;

// In each iteration, a short chain makes kFromEvidence proposals of hyperparameters drawn from the
// evidence, then kSmallSteps proposals by normal steps. The covariance of a step is that of the
// evidence's draws, times kStepShare^2, over the number of hyperparameters.
constexpr std::size_t kFromEvidence = 6, kSmallSteps = 6;
constexpr double kStepShare = 0.5;
// No log density is needed that is less than that of the start by more than kHopeless: a draw with
// such a density has weight zero, and the No-U-Turn sampler stops much earlier (nuts_tree.cc),
// because the momenta have no such energy. Solutions that run away would take most of the time.
constexpr double kHopeless = 1e7;

// The t distribution that proposes hyperparameters has kFreedom degrees of freedom and kWider times
// the scale of the evidence. Each round draws kCandidates times as many candidates as draws are
// wanted. The rounds end when the weights are reliable (Pareto shape below kReliable) and their
// effective number is at least kEffective times that of the draws. There are at most kRounds
// rounds. TakeMoments explains kOldDraws, SetMode kNewtonSteps.
constexpr std::size_t kFreedom = 5, kCandidates = 2;
constexpr int kNewtonSteps = 3, kRounds = 5;
constexpr double kWider = 1.2, kReliable = 0.7, kEffective = 0.25, kOldDraws = 1;
// With more than kMostProposed hyperparameters, almost all candidates would have weight zero, so
// that the No-U-Turn sampler takes the place of the proposals. It has kEvidenceWarmUp iterations of
// warm-up. Its draws are expensive, so that each is used kRepeats times.
constexpr Eigen::Index kMostProposed = 24;
constexpr std::size_t kEvidenceWarmUp = 25, kRepeats = 4;

// Random numbers are addressed by seed and step (gpode/random.h). Draws given hyperparameters use
// the steps kGivenStep, kGivenStep + 1 and so on; proposals use kProposedStep, kProposedStep + 1
// and so on. The short chains add kShortSeed to the seed, and the iterations that look for a place
// to linearise at add 2 kShortSeed. No two of these, and no chain of the evidence, therefore use
// the same numbers.
constexpr std::uint64_t kGivenStep = std::uint64_t{1} << 59, kProposedStep = std::uint64_t{3} << 58,
                        kShortSeed = std::uint64_t{1} << 48;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

std::span<const double> SpanOf(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

Eigen::Index Index(std::size_t n) { return static_cast<Eigen::Index>(n); }

// Returns half the number of draws of a sampler of all variables: draws of many short chains are
// less correlated, so that fewer are enough.
std::size_t Half(std::size_t iterations) { return (iterations + 1) / 2; }

// Returns the number of draws of one short chain, for `all` draws of all of them. R-hat needs at
// least four draws of each chain.
std::size_t DrawsOfShortChain(std::size_t all) {
  return std::max<std::size_t>(4, (all + kShortChains - 1) / kShortChains);
}

class LinearisedSampler {
 public:
  LinearisedSampler(const SampledTarget& target, const Vector& start, const NutsOptions& nuts,
                    ChainKeeper& keeper, const std::function<bool()>& must_stop)
      : target_(target),
        start_(start),
        nuts_(nuts),
        keeper_(keeper),
        must_stop_(must_stop),
        whitened_(Index(target.whitened())),
        hyper_(Index(target.hyperparameters())),
        noise_(target.LikelihoodDeviations()) {}

  LinearisedDraws Run() {
    SampleEvidence();
    if (hyperparameters_.rows() == 0) return {.moved = {.dim = target_.size(), .chains = {}}};
    DrawGivenHyperparameters();
    const SmoothedWeights weights = SmoothWeights(log_weights_);
    Matrix starts = positions_;
    std::vector<double> shares = weights.weights;
    if (!(weights.effective > 0)) {
      // Every draw has weight zero under the model itself. The chains start from equally weighted
      // draws, moved most of the way to the mode of the linearised model.
      shares.assign(shares.size(), 1 / static_cast<double>(shares.size()));
      starts.leftCols(whitened_) *= 0.1;
    }
    return {.moved = Move(starts, Resample(shares, kShortChains, 0.5)), .pareto_k = weights.shape};
  }

 private:
  // Takes step 1 of the header: draws hyperparameters_, with the logarithms of their evidence, and
  // sets the root of the covariance of small steps.
  void SampleEvidence() {
    if (hyper_ == 0) {
      hyperparameters_.resize(Index(nuts_.chains * Half(nuts_.draws)), 0);
      evidence_.assign(static_cast<std::size_t>(hyperparameters_.rows()), 0.0);
      return;
    }
    if (!ProposeEvidence()) SampleEvidenceByNuts();
    if (hyperparameters_.rows() == 0) return;
    const Eigen::MatrixXd away = hyperparameters_.rowwise() - hyperparameters_.colwise().mean();
    const Eigen::MatrixXd covariance =
        away.transpose() * away / static_cast<double>(std::max<Eigen::Index>(away.rows() - 1, 1)) +
        1e-12 * Eigen::MatrixXd::Identity(hyper_, hyper_);
    step_root_ = kStepShare / std::sqrt(static_cast<double>(hyper_)) *
                 Eigen::MatrixXd(covariance.llt().matrixL());
  }

  // Draws candidates from a t distribution and resamples them by their weights. In the first round,
  // the distribution has the mode and the curvature of the evidence; in later rounds, it is fitted
  // to the weighted candidates of the round before. Returns false if the weights do not become
  // reliable.
  bool ProposeEvidence() {
    SetMode();
    if (hyper_ > kMostProposed) return false;
    const std::size_t draws = nuts_.chains * Half(nuts_.draws);
    for (int round = 0; round < kRounds; ++round) {
      Proposals proposals = Propose(kCandidates * draws, round);
      const SmoothedWeights weights = SmoothWeights(proposals.log_weights);
      const bool is_good = weights.effective >= kEffective * static_cast<double>(draws);
      if (weights.shape < kReliable && (is_good || round + 1 == kRounds)) {
        hyperparameters_.resize(Index(draws), hyper_);
        const std::vector<std::size_t> rows = Resample(weights.weights, draws, 0.5);
        for (std::size_t i = 0; i < draws; ++i) {
          hyperparameters_.row(Index(i)) = proposals.hyper.row(Index(rows[i]));
          evidence_.push_back(proposals.evidence[rows[i]]);
        }
        return true;
      }
      if (!(weights.effective > 1)) return false;
      TakeMoments(proposals.hyper, weights);
    }
    return false;
  }

  // Takes at most kNewtonSteps Newton steps towards the mode of the evidence, from the start. Sets
  // the covariance of the proposals to the inverse curvature at the start.
  void SetMode() {
    const std::unique_ptr<SampledDensity> density = target_.Density();
    const LogDensity evidence = [&](std::span<const double> x, std::span<double> g) {
      return density->EvaluateEvidence(x, g);
    };
    Vector gradient(hyper_);
    const std::span<double> slope(gradient.data(), target_.hyperparameters());
    centre_ = start_.segment(whitened_, hyper_);
    const Eigen::LLT<Eigen::MatrixXd> curvature(Curvature(evidence, centre_));
    double highest = evidence(SpanOf(centre_), slope);
    for (int step = 0; step < kNewtonSteps; ++step) {
      const Vector next = centre_ + curvature.solve(gradient);
      const double value = evidence(SpanOf(next), slope);
      if (!(value > highest)) break;
      centre_ = next;
      highest = value;
    }
    covariance_ = curvature.solve(Eigen::MatrixXd::Identity(hyper_, hyper_));
  }

  struct Proposals {
    Matrix hyper;  // (candidates, H)
    std::vector<double> evidence, log_weights;
  };

  Proposals Propose(std::size_t count, int round) const {
    Proposals p{.hyper = Matrix(Index(count), hyper_),
                .evidence = std::vector<double>(count),
                .log_weights = std::vector<double>(count)};
    const Eigen::MatrixXd root = kWider * Eigen::MatrixXd(covariance_.llt().matrixL());
    constexpr auto kNu = static_cast<double>(kFreedom);
    ThreadPool pool(nuts_.threads);
    const std::vector<std::unique_ptr<SampledDensity>> densities = target_.Densities(pool.size());
    pool.For(count, [&](std::size_t i) {
      // A t-distributed vector is a normal one divided by the square root of a chi-squared number
      // per degree of freedom.
      Vector normals(hyper_ + Index(kFreedom));
      RandomStream(nuts_.seed, kProposedStep + i, static_cast<std::uint64_t>(round),
                   Purpose::kInducing)
          .Normals({normals.data(), static_cast<std::size_t>(normals.size())});
      const double scale = std::sqrt(kNu / normals.tail(Index(kFreedom)).squaredNorm());
      const Vector own = scale * normals.head(hyper_), hyper = centre_ + root * own;
      p.hyper.row(Index(i)) = hyper.transpose();
      p.evidence[i] = densities[pool.WorkerIndex()]->EvaluateEvidence(SpanOf(hyper), {});
      p.log_weights[i] = p.evidence[i] + 0.5 * (kNu + static_cast<double>(hyper_)) *
                                             std::log1p(own.squaredNorm() / kNu);
    });
    return p;
  }

  // Moves the centre and the covariance of the proposals towards those of the weighted candidates.
  // The old centre and covariance count as much as kOldDraws draws for each hyperparameter.
  void TakeMoments(const Matrix& hyper, const SmoothedWeights& weights) {
    const Eigen::Map<const Vector> w(weights.weights.data(), std::ssize(weights.weights));
    const double old = kOldDraws * static_cast<double>(hyper_);
    const double share = weights.effective / (weights.effective + old);
    const Vector mean = hyper.transpose() * w;
    const Eigen::MatrixXd away = hyper.rowwise() - mean.transpose();
    const Eigen::MatrixXd spread = away.transpose() * w.asDiagonal() * away;
    centre_ += share * (mean - centre_);
    covariance_ = share * spread + (1 - share) * covariance_;
  }

  // Draws hyperparameters by the No-U-Turn sampler. Sets none if it has fewer than two draws.
  void SampleEvidenceByNuts() {
    NutsOptions nuts = nuts_;
    nuts.warm_up = kEvidenceWarmUp;
    nuts.draws = (Half(nuts.draws) + kRepeats - 1) / kRepeats;
    nuts.starts = centre_.transpose();
    nuts.mass_matrix = MassMatrix::kDense;
    nuts.inverse_mass = {covariance_};
    nuts.adapt_mass = false;
    const std::vector<std::unique_ptr<SampledDensity>> densities = target_.Densities(nuts.chains);
    const NutsResult evidence = SampleNuts(
        target_.hyperparameters(),
        [&](std::size_t c) -> LogDensity {
          return [&density = *densities[c]](std::span<const double> x, std::span<double> g) {
            return density.EvaluateEvidence(x, g);
          };
        },
        nuts);
    const Matrix all = evidence.AllDraws();
    if (all.rows() < 2) return;
    hyperparameters_ = all.replicate(Index(kRepeats), 1);
    for (std::size_t i = 0; i < kRepeats; ++i) {
      for (const NutsChain& chain : evidence.chains) {
        for (const TransitionStatistics& s : chain.statistics) evidence_.push_back(s.log_density);
      }
    }
  }

  // Takes steps 2 and 3 of the header: sets the positions, the residual's weights and the
  // logarithms of the importance weights of all draws.
  void DrawGivenHyperparameters() {
    const Eigen::Index draws = hyperparameters_.rows();
    positions_.resize(draws, Index(target_.size()));
    residual_.resize(draws, Index(target_.further()));
    log_weights_.resize(static_cast<std::size_t>(draws));
    const double floor = target_.Density()->Evaluate(SpanOf(start_), {}) - kHopeless;
    ThreadPool pool(nuts_.threads);
    const std::vector<std::unique_ptr<SampledDensity>> densities = target_.Densities(pool.size());
    pool.For(log_weights_.size(), [&](std::size_t i) {
      SampledDensity& density = *densities[pool.WorkerIndex()];
      const Eigen::Index row = Index(i);
      Vector normals(Index(target_.size()));
      RandomStream(nuts_.seed, kGivenStep + i, 0, Purpose::kInducing)
          .Normals({normals.data(), target_.size()});
      const std::span<double> residual(residual_.row(row).data(), target_.further());
      RandomStream(nuts_.seed, kGivenStep + i, 0, Purpose::kFourierWeights).Normals(residual);
      Vector position = normals;
      position.segment(whitened_, hyper_) = hyperparameters_.row(row).transpose();
      position.tail(noise_.size()) =
          start_.tail(noise_.size()) + normals.tail(noise_.size()).cwiseProduct(noise_);
      density.SetFurther(residual);
      const double log_density =
          density.Evaluate(SpanOf(position), {}, SampledDensity::Varied::kAll, floor);
      log_weights_[i] = log_density - evidence_[i] + 0.5 * normals.head(whitened_).squaredNorm() +
                        0.5 * normals.tail(noise_.size()).squaredNorm();
      positions_.row(row) = position.transpose();
    });
  }

  // Takes step 4 of the header: runs one short chain from each of the given rows of `starts`. The
  // position of a short chain is the whitened coordinates and the noise. Its further variables
  // (gpode/nuts.h) are the residual's weights, the hyperparameters and the logarithm of their
  // evidence.
  NutsResult Move(const Matrix& starts, const std::vector<std::size_t>& rows) {
    const Eigen::Index chains = Index(kShortChains), own = Index(target_.size()) - hyper_;
    const Eigen::Index weights = residual_.cols();
    NutsOptions nuts = nuts_;
    nuts.chains = kShortChains;
    nuts.max_depth = std::min(nuts.max_depth, kShortDepth);
    nuts.mass_matrix = MassMatrix::kDiagonal;
    nuts.adapt_mass = false;
    nuts.inverse_mass = {Matrix::Ones(1, own)};
    nuts.inverse_mass[0].rightCols(noise_.size()) = noise_.cwiseAbs2().transpose();
    nuts.starts.resize(chains, own);
    nuts.further_starts.resize(chains, weights + hyper_ + 1);
    nuts.further = static_cast<std::size_t>(weights + hyper_ + 1);
    for (Eigen::Index c = 0; c < chains; ++c) {
      const Eigen::Index from = Index(rows[static_cast<std::size_t>(c)]);
      nuts.starts.row(c) << starts.row(from).head(whitened_), starts.row(from).tail(noise_.size());
      nuts.further_starts.row(c) << residual_.row(from), hyperparameters_.row(from),
          evidence_[static_cast<std::size_t>(from)];
    }
    std::vector<ShortChain> states(kShortChains);
    for (ShortChain& state : states) {
      state.density = target_.Density();
      state.evidence = target_.Density();
    }
    LineariseChains(states, nuts);
    nuts.seed = nuts_.seed + 2 * kShortSeed;
    nuts.warm_up = kSearchWarmUp;
    nuts.draws = 1;
    TakeLast(Run(states, nuts), nuts);
    LineariseChains(states, nuts);
    nuts.seed = nuts_.seed + kShortSeed;
    nuts.warm_up = kShortWarmUp;
    nuts.draws = DrawsOfShortChain(static_cast<std::size_t>(positions_.rows()));
    keeper_.Attach(nuts);
    for (std::size_t c = 0; c < nuts.resume.size(); ++c) {
      if (!nuts.resume[c]) continue;
      const std::vector<double>& resumed = nuts.resume[c]->further;
      CheckSize("SampleNuts", "further variables to resume from", resumed.size(), nuts.further);
      states[c].Take(*this, Eigen::Map<const Vector>(resumed.data(), std::ssize(resumed)));
    }
    return InTargetCoordinates(states, WithHyperparameters(Run(states, nuts)));
  }

  struct ShortChain;

  // Runs the chains from nuts.starts and nuts.further_starts.
  NutsResult Run(std::vector<ShortChain>& states, NutsOptions& nuts) {
    nuts.draw_further = [&](std::size_t c, std::uint64_t iteration, std::span<const double> x,
                            std::span<double> further) {
      DrawFurther({nuts.seed, iteration, c}, states[c], x, further);
    };
    const auto density_of = [&](std::size_t c) -> LogDensity {
      return [&, c](std::span<const double> x, std::span<double> gradient) {
        return Evaluate(states[c], x, gradient);
      };
    };
    return SampleNuts(target_.size() - target_.hyperparameters(), density_of, nuts);
  }

  // Linearises the likelihood of each chain where it starts, and changes the starts to the
  // coordinates that belong to that. A chain whose likelihood cannot be linearised there keeps its
  // coordinates.
  void LineariseChains(std::vector<ShortChain>& states, NutsOptions& nuts) {
    ThreadPool pool(nuts_.threads);
    pool.For(states.size(), [&](std::size_t c) {
      ShortChain& chain = states[c];
      const Eigen::Index row = Index(c);
      chain.Take(*this, nuts.further_starts.row(row).transpose());
      const Vector start = nuts.starts.row(row).transpose();
      Assemble(chain, SpanOf(start));
      const std::vector<double> values = chain.density->ValuesAt(SpanOf(chain.position));
      LinearisedLikelihood linear = target_.LineariseAtValues(values);
      if (linear.target.size() == 0) return;
      chain.density->SetLinear(std::move(linear));
      const Vector position = chain.density->PositionOfValues(values);
      if (!position.allFinite()) return;
      nuts.starts.row(row) << position.head(whitened_).transpose(),
          position.tail(noise_.size()).transpose();
    });
  }

  // Makes the last draw of each chain its next start.
  static void TakeLast(const NutsResult& result, NutsOptions& nuts) {
    for (std::size_t c = 0; c < result.chains.size(); ++c) {
      const NutsChain& chain = result.chains[c];
      if (chain.draws.rows() == 0) continue;
      nuts.starts.row(Index(c)) = chain.draws.bottomRows(1);
      nuts.further_starts.row(Index(c)) = chain.further.bottomRows(1);
    }
  }

  // Changes the positions of all draws from the coordinates of their chains to those of the target.
  NutsResult InTargetCoordinates(std::vector<ShortChain>& states, NutsResult result) {
    ThreadPool pool(nuts_.threads);
    pool.For(result.chains.size(), [&](std::size_t c) {
      NutsChain& chain = result.chains[c];
      for (Eigen::Index s = 0; s < chain.draws.rows(); ++s) {
        const std::span<const double> further(chain.further.row(s).data(),
                                              static_cast<std::size_t>(chain.further.cols()));
        states[c].density->SetFurther(further);
        states[c].evidence->SetFurther(further);
        const std::vector<double> values =
            states[c].density->ValuesAt({chain.draws.row(s).data(), target_.size()});
        chain.draws.row(s) = states[c].evidence->PositionOfValues(values).transpose();
      }
    });
    return result;
  }

  struct ShortChain {
    // The density in the chain's own coordinates, and the one from whose evidence hyperparameters
    // are proposed, in those of the target.
    std::unique_ptr<SampledDensity> density, evidence;
    Vector hyper;
    Vector position, gradient;  // all coordinates of the target, hyperparameters included
    // The positions of the chain that have been evaluated since the hyperparameters and the
    // residual's weights last changed, and their log densities. The first one is the start of the
    // iteration, and the trajectory of the No-U-Turn sampler ends at one of them.
    std::vector<std::pair<std::vector<double>, double>> evaluated;

    std::optional<double> DensityAt(std::span<const double> x) const {
      for (const auto& [place, value] : std::views::reverse(evaluated)) {
        if (std::ranges::equal(place, x)) return value;
      }
      return {};
    }

    void Take(const LinearisedSampler& sampler, const Vector& further) {
      hyper = further.segment(sampler.residual_.cols(), sampler.hyper_);
      density->SetFurther({further.data(), static_cast<std::size_t>(sampler.residual_.cols())});
      position.resize(Index(sampler.target_.size()));
      gradient.resize(position.size());
      evaluated.clear();
    }
  };

  // Sets chain.position, the position of the target, from the position x of a short chain.
  void Assemble(ShortChain& chain, std::span<const double> x) const {
    const Eigen::Map<const Vector> own(x.data(), std::ssize(x));
    chain.position << own.head(whitened_), chain.hyper, own.tail(noise_.size());
  }

  double Evaluate(ShortChain& chain, std::span<const double> x, std::span<double> gradient) const {
    if (must_stop_()) return kImpossible;
    Assemble(chain, x);
    const double density = chain.density->Evaluate(
        SpanOf(chain.position), {chain.gradient.data(), target_.size()},
        SampledDensity::Varied::kAllButHyperparameters,
        chain.evaluated.empty() ? kImpossible : chain.evaluated[0].second - kHopeless);
    chain.evaluated.push_back({{x.begin(), x.end()}, density});
    Eigen::Map<Vector>(gradient.data(), std::ssize(gradient)) << chain.gradient.head(whitened_),
        chain.gradient.tail(noise_.size());
    return density;
  }

  struct Numbers {
    std::uint64_t seed, iteration, chain;
  };

  void DrawFurther(const Numbers& numbers, ShortChain& chain, std::span<const double> x,
                   std::span<double> further) const {
    Assemble(chain, x);
    const auto weights = static_cast<std::size_t>(residual_.cols());
    const double density = chain.density->DrawFurther(
        {numbers.seed, numbers.iteration, numbers.chain, Purpose::kFourierWeights},
        SpanOf(chain.position), further.first(weights), chain.DensityAt(x));
    MoveHyperparameters({numbers.seed, numbers.iteration, numbers.chain, Purpose::kInducing}, chain,
                        density, further.back());
    chain.evaluated.clear();
    std::ranges::copy(chain.hyper, further.subspan(weights).begin());
  }

  // Moves the hyperparameters by Metropolis-Hastings steps, while the whitened coordinates, the
  // noise and the residual's weights stay as they are. The density of a proposal from step 1 is the
  // evidence, so that the acceptance ratio contains it; small steps are symmetric.
  // `density` is the log density at the present position, `evidence` that of the hyperparameters.
  void MoveHyperparameters(const RandomStream& stream, ShortChain& chain, double density,
                           double& evidence) const {
    constexpr std::size_t kTrials = kFromEvidence + kSmallSteps;
    if (hyper_ == 0) return;
    std::vector<double> uniforms(2 * kTrials), normals(kSmallSteps * target_.hyperparameters());
    stream.Uniforms(uniforms);
    stream.Normals(normals, uniforms.size() + 2);  // random bits that the uniforms do not use
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
      const Vector before = chain.hyper;
      const bool from_evidence = trial < kFromEvidence;
      double proposed_evidence = evidence;
      if (from_evidence) {
        const auto draws = static_cast<double>(hyperparameters_.rows());
        const auto row = static_cast<Eigen::Index>(uniforms[2 * trial] * draws);
        chain.hyper = hyperparameters_.row(row).transpose();
        proposed_evidence = evidence_[static_cast<std::size_t>(row)];
      } else {
        const double* at = normals.data() + (trial - kFromEvidence) * target_.hyperparameters();
        chain.hyper += step_root_ * Eigen::Map<const Vector>(at, hyper_);
      }
      chain.position.segment(whitened_, hyper_) = chain.hyper;
      // The logarithm of the acceptance ratio is the proposed density minus `least`.
      const double least = from_evidence ? density - evidence + proposed_evidence : density;
      const double log_uniform = std::log(1 - uniforms[2 * trial + 1]);
      const double proposed = chain.density->Evaluate(
          SpanOf(chain.position), {}, SampledDensity::Varied::kAll, least + log_uniform - 1e-6);
      double log_ratio = proposed - density;
      if (from_evidence) log_ratio += evidence - proposed_evidence;
      if (log_uniform < log_ratio) {
        density = proposed;
        evidence = from_evidence ? proposed_evidence
                                 : chain.evidence->EvaluateEvidence(SpanOf(chain.hyper), {});
      } else {
        chain.hyper = before;
        chain.position.segment(whitened_, hyper_) = before;
      }
    }
  }

  // Short chains sample the hyperparameters as further variables (nuts.h). This function moves
  // those of all draws back to their place in the positions.
  NutsResult WithHyperparameters(NutsResult result) const {
    result.dim = target_.size();
    for (NutsChain& chain : result.chains) {
      const Matrix own = std::move(chain.draws), further = std::move(chain.further);
      const Eigen::Index weights = residual_.cols();
      chain.draws.resize(own.rows(), own.rows() == 0 ? 0 : Index(target_.size()));
      chain.further.resize(own.rows(), own.rows() == 0 ? 0 : weights);
      if (own.rows() == 0) continue;
      chain.draws << own.leftCols(whitened_), further.middleCols(weights, hyper_),
          own.rightCols(noise_.size());
      chain.further = further.leftCols(weights);
    }
    return result;
  }

  const SampledTarget& target_;
  const Vector& start_;
  const NutsOptions& nuts_;
  ChainKeeper& keeper_;
  const std::function<bool()>& must_stop_;
  Eigen::Index whitened_, hyper_;
  Vector noise_;                  // SampledTarget::LikelihoodDeviations
  Matrix hyperparameters_;        // (draws, H)
  std::vector<double> evidence_;  // (draws): the log evidence of the hyperparameters
  Eigen::MatrixXd step_root_;     // a Cholesky factor of the covariance of small steps
  Vector centre_;                 // the centre of the proposals; covariance_ is their covariance
  Eigen::MatrixXd covariance_;
  Matrix positions_, residual_;  // one row for each draw
  std::vector<double> log_weights_;
};

}  // namespace

LinearisedDraws SampleLinearised(const SampledTarget& target, const Vector& start,
                                 const NutsOptions& nuts, ChainKeeper& keeper,
                                 const std::function<bool()>& must_stop) {
  return LinearisedSampler(target, start, nuts, keeper, must_stop).Run();
}

std::size_t IterationsOfLinearised(const SamplerOptions& options) {
  const std::size_t draws = Half(options.draws);
  return kShortChains *
         (kSearchWarmUp + 1 + kShortWarmUp + DrawsOfShortChain(options.chains * draws));
}

}  // namespace gpode
