#include "gpode/design.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "data/moments.h"
#include "gpode/error.h"

namespace gpode {
namespace {

constexpr char kWhere[] = "design";
constexpr double kFarthest = 5;  // the distance from the median, in robust standard deviations
constexpr std::size_t kLeastDraws = 16;

// Clips values to kFarthest robust standard deviations from the median, then subtracts the mean.
void CentreColumn(Eigen::Ref<Vector> column) {
  std::vector<double> sorted(column.begin(), column.end());
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double middle = at(0.5), deviation = (at(0.75) - at(0.25)) / 1.349;
  if (deviation > 0) {
    column =
        column.cwiseMax(middle - kFarthest * deviation).cwiseMin(middle + kFarthest * deviation);
  }
  column.array() -= column.mean();
}

// Returns the channels at all times as columns (draws, times * channels), without the lost draws.
Matrix DrawnChannels(const Posterior& posterior, const DesignOptions& options,
                     const std::vector<double>& times) {
  const Forecast forecast = posterior.Trajectory(options.trajectory, times,
                                                 {.draws = options.draws,
                                                  .seed = options.seed,
                                                  .threads = options.threads,
                                                  .from = Origin::kLatestState});
  std::vector<Matrix> kept;
  for (const auto& draw : forecast.draws) {
    if (draw.allFinite()) kept.emplace_back(draw);
  }
  if (kept.size() < kLeastDraws) {
    ThrowInput(kWhere, "the model",
               "has too few draws that can be followed to the times, must have 16 or more");
  }
  Matrix all(std::ssize(kept), kept.front().size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    all.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Vector>(kept[i].data(), kept[i].size()).transpose();
  }
  for (Eigen::Index k = 0; k < all.cols(); ++k) {
    Vector column = all.col(k);
    CentreColumn(column);
    all.col(k) = column;
  }
  return all;
}

// The joint covariance of candidates and targets, conditioned on the candidates chosen so far.
class JointCovariance {
 public:
  JointCovariance(const Matrix& draws, Eigen::Index candidates, Eigen::Index channels)
      : candidates_(candidates),
        channels_(channels),
        draws_(static_cast<double>(draws.rows())),
        covariance_(draws.transpose() * draws / (draws_ - 1)) {}

  double TargetVariance() const {
    return covariance_.diagonal().tail(covariance_.rows() - candidates_ * channels_).sum();
  }

  // Returns the reduction of the targets' total variance by an observation of the values `seen`
  // with these noise variances.
  double Reduction(const std::vector<Eigen::Index>& seen, const Vector& noise) const {
    const auto targets = covariance_.rows() - candidates_ * channels_;
    const Eigen::MatrixXd across = covariance_(Eigen::lastN(targets), seen);
    const double raw = (across * Factor(seen, noise).solve(across.transpose())).trace();
    const double by_chance = TargetVariance() * static_cast<double>(seen.size()) / (draws_ - 1);
    return std::max(0.0, raw - by_chance);
  }

  void Condition(const std::vector<Eigen::Index>& seen, const Vector& noise) {
    const Eigen::MatrixXd across = covariance_(Eigen::all, seen);
    covariance_ -= across * Factor(seen, noise).solve(across.transpose());
  }

 private:
  Eigen::LDLT<Eigen::MatrixXd> Factor(const std::vector<Eigen::Index>& seen,
                                      const Vector& noise) const {
    Eigen::MatrixXd own = covariance_(seen, seen);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      own(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += noise[seen[i] % channels_];
    }
    return Eigen::LDLT<Eigen::MatrixXd>(own);
  }

  Eigen::Index candidates_, channels_;
  double draws_;
  Eigen::MatrixXd covariance_;
};

// A candidate with the columns of the values that it observes.
struct Option {
  DesignCandidate candidate = {};
  std::vector<Eigen::Index> seen = {};
};

std::vector<Option> ListOptions(const Model& model, const DesignOptions& options) {
  const std::size_t channels = model.channels.size();
  std::vector<Option> list;
  for (std::size_t i = 0; i < options.times.size(); ++i) {
    for (std::size_t c = 0; c < (options.each_channel ? channels : 1); ++c) {
      Option option;
      option.candidate.time = options.times[i];
      option.candidate.channel = options.each_channel ? model.channels[c] : "all";
      const std::size_t which = options.each_channel ? c : channels;
      option.candidate.cost = options.cost ? options.cost(options.times[i], which) : 1;
      CheckPositive(kWhere, "the cost", option.candidate.cost);
      for (std::size_t k = 0; k < channels; ++k) {
        if (options.each_channel && k != c) continue;
        option.seen.push_back(static_cast<Eigen::Index>(i * channels + k));
      }
      list.push_back(std::move(option));
    }
  }
  return list;
}

double PerCost(const DesignCandidate& candidate) { return candidate.reduction / candidate.cost; }

}  // namespace

Design DesignMeasurements(const Posterior& posterior, const Dataset& data,
                          const DesignOptions& options) {
  const Model& model = posterior.model();
  CheckAtLeast(kWhere, "the number of candidate times", std::ssize(options.times), 1);
  CheckAtLeast(kWhere, "the number of target times", std::ssize(options.targets), 1);
  CheckAtLeast(kWhere, "draws", static_cast<std::ptrdiff_t>(options.draws), kLeastDraws);
  const auto channels = std::ssize(model.channels);
  // One forecast covers all times, so that every draw is one path through candidates and targets.
  std::vector<double> all = options.times;
  all.insert(all.end(), options.targets.begin(), options.targets.end());
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i]; });
  std::vector<double> sorted;
  for (std::size_t i : order) sorted.push_back(all[i]);
  const Matrix drawn = DrawnChannels(posterior, options, sorted);
  Vector unit = Vector::Ones(channels), mean = Vector::Ones(channels);
  if (!data.trajectories.empty()) {
    const ChannelMoments moments = MomentsOf(data);
    unit = moments.variance.cwiseSqrt().cwiseMax(1e-300);
    mean = moments.mean;
  }
  Matrix joint(drawn.rows(), drawn.cols());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto to = static_cast<Eigen::Index>(order[i]), from = static_cast<Eigen::Index>(i);
    joint.middleCols(to * channels, channels) =
        drawn.middleCols(from * channels, channels) * unit.cwiseInverse().asDiagonal();
  }
  Vector noise(channels);
  for (Eigen::Index c = 0; c < channels; ++c) {
    noise[c] =
        std::pow(model.noise().DeviationAt(static_cast<std::size_t>(c), mean[c]) / unit[c], 2);
  }
  JointCovariance covariance(joint, std::ssize(options.times), channels);
  const double total = covariance.TargetVariance();
  Design design{.draws = static_cast<std::size_t>(drawn.rows())};
  design.deviation = std::sqrt(
      total / static_cast<double>(options.targets.size() * static_cast<std::size_t>(channels)));
  const std::vector<Option> list = ListOptions(model, options);
  const auto measure = [&](const Option& option) {
    DesignCandidate result = option.candidate;
    result.reduction = total > 0 ? covariance.Reduction(option.seen, noise) / total : 0;
    return result;
  };
  for (const Option& option : list) design.candidates.push_back(measure(option));
  design.ranked = design.candidates;
  std::ranges::stable_sort(design.ranked, std::ranges::greater(), PerCost);
  for (std::size_t k = 0; k < std::min(options.batch, list.size()); ++k) {
    std::size_t best = 0;
    DesignCandidate chosen = measure(list[0]);
    for (std::size_t i = 1; i < list.size(); ++i) {
      const DesignCandidate other = measure(list[i]);
      if (PerCost(other) > PerCost(chosen)) best = i, chosen = other;
    }
    design.batch.push_back(chosen);
    covariance.Condition(list[best].seen, noise);
  }
  return design;
}

}  // namespace gpode
