#include "analyse/design_targets.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "analyse/newton.h"
#include "analyse/point_groups.h"
#include "analyse/support.h"
#include "gpode/error.h"
#include "gpode/held_field.h"
#include "gpode/parallel.h"

namespace gpode {
namespace {

constexpr std::size_t kLineSide = 40, kPlaneSide = 12, kScattered = 200;  // points of the field
constexpr double kLeastProbability = 0.5;  // of a fixed point whose stability is a target

Matrix FieldPointsIn(const StateBox& box) {
  if (box.lower.size() == 1) return GridPoints(box, kLineSide);
  if (box.lower.size() == 2) return GridPoints(box, kPlaneSide);
  return HaltonPoints(box, kScattered);
}

}  // namespace

TargetDraws FieldTargets(const Posterior& posterior, const Dataset& data, const StateBox& box,
                         const DesignOptions& options) {
  const Matrix points = FieldPointsIn(box);
  const Matrix seen = posterior.FieldMean(Support(posterior, data).states());
  const Vector size = seen.colwise().squaredNorm().transpose() / static_cast<double>(seen.rows());
  const Vector unit = size.cwiseSqrt().cwiseMax(1e-300);
  TargetDraws targets{.values = Matrix(static_cast<Eigen::Index>(options.draws), points.size()),
                      .has_it = std::vector<bool>(options.draws, true)};
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    const Matrix field =
        Evaluate(posterior.DrawField(options.seed, i), points) * unit.cwiseInverse().asDiagonal();
    targets.values.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Vector>(field.data(), field.size()).transpose();
  });
  for (std::size_t i = 0; i < options.draws; ++i) {
    targets.has_it[i] = targets.values.row(static_cast<Eigen::Index>(i)).allFinite();
  }
  return targets;
}

TargetDraws StabilityTargets(const Posterior& posterior, const StateBox& box,
                             const DesignOptions& options) {
  const PosteriorField mean = posterior.MeanField();
  const FixedPointSearch of_mean = FindFixedPoints(HeldField(mean), box);
  FixedPointOptions search;
  search.guesses.resize(std::ssize(of_mean.points), box.lower.size());
  for (std::size_t i = 0; i < of_mean.points.size(); ++i) {
    search.guesses.row(static_cast<Eigen::Index>(i)) = of_mean.points[i].state.transpose();
  }
  std::vector<std::vector<FixedPoint>> found(options.draws);
  std::atomic<bool> stopped = false;
  std::atomic<std::size_t> searched = 0;
  std::mutex mutex;
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    if (stopped) return;
    const PosteriorField draw = posterior.DrawField(options.seed, i);
    found[i] = FindFixedPoints(HeldField(draw), box, search).points;
    ++searched;
    const std::scoped_lock lock(mutex);
    const auto starts = static_cast<std::size_t>(options.starts.rows());
    if (options.report && !options.report(0, starts)) stopped = true;
  });
  const std::vector<PointGroup> groups = GroupPoints(box, of_mean.points, found);
  const auto best = std::ranges::max_element(
      groups, {}, [](const PointGroup& group) { return group.members.size(); });
  const auto draws = static_cast<double>(searched.load());
  if (best == groups.end() ||
      static_cast<double>(best->members.size()) < kLeastProbability * draws) {
    ThrowInput("design", "the region", "has no fixed point that half of the draws have");
  }
  TargetDraws targets{.values = Matrix::Zero(static_cast<Eigen::Index>(options.draws), 1),
                      .has_it = std::vector<bool>(options.draws, false),
                      .fixed_point = Vector::Zero(box.lower.size()),
                      .probability = static_cast<double>(best->members.size()) / draws};
  for (const auto& [draw, p] : best->members) {
    targets.values(static_cast<Eigen::Index>(draw), 0) = found[draw][p].eigenvalues[0].real();
    targets.has_it[draw] = true;
    targets.fixed_point += found[draw][p].state / static_cast<double>(best->members.size());
  }
  return targets;
}

}  // namespace gpode
