#include "train/bounded_draws.h"

#include <algorithm>
#include <cmath>

#include "gpode/parallel.h"
#include "gpode/posterior_family.h"
#include "gpode/random.h"
#include "kernel/kernel_sum.h"
#include "model/model_draws.h"
#include "ode/forced_solver.h"

namespace gpode {
namespace {

// A solution is followed in pieces, each of which is compared with the range of the data at some
// times.
constexpr std::size_t kPieces = 8, kTimesOfPiece = 5;
// The step of the random numbers of the choice, which no iteration of a sampler has.
constexpr std::uint64_t kChoiceStep = std::uint64_t{1} << 61;

// Computes the state at time `end` of the solution from x0, which has a force if there is process
// noise. Returns false if the integration fails.
bool FollowData(const ModelDraw& draw, const NoisePieces& pieces, std::size_t trajectory,
                std::span<const double> x0, double end, const SolverOptions& options,
                std::span<double> state) {
  const std::vector<double> times = {end};
  const Field& field = draw.function->field();
  if (draw.force.empty()) {
    return Solver(options).Solve(field, x0, 0.0, times, state).ok();
  }
  const std::size_t first = pieces.Before(trajectory) * x0.size();
  const Force force{
      .ends = pieces.ends[trajectory],
      .values = std::span(draw.force).subspan(first, pieces.counts[trajectory] * x0.size())};
  return ForcedSolver(options).Solve(field, force, x0, 0.0, times, state).ok();
}

// Returns the largest distance of the solutions of a draw from the data of their trajectories.
double DistanceOfDraw(const Model& model, const ModelDraws& draws, std::size_t row,
                      const std::vector<TimedValues>& trajectories,
                      const std::vector<Matrix>& states) {
  const ModelDraw draw = draws.MakeRow(row);
  const std::span<const double> x0 =
      draws.parts().latent().Part(ModelParts::kInitial, std::span<const double>(draw.z));
  const std::size_t dim = model.dim();
  std::vector<double> last(dim);
  double distance = 0;
  for (std::size_t n = 0; n < trajectories.size(); ++n) {
    const double end = trajectories[n].times.back();
    if (!(end > 0)) continue;
    if (!FollowData(draw, draws.pieces(), n, x0.subspan(n * dim, dim), end, model.options.solver,
                    last)) {
      return HUGE_VAL;
    }
    distance = std::max(distance, DistanceOfSolution(draw.function->field(), last, kSpans * end,
                                                     states[n], model.options.solver));
  }
  return distance;
}

// Returns which rows are kept: each with a probability in proportion to its weight. If all weights
// are zero, all rows are kept.
std::vector<char> ChooseRows(std::span<const double> weights, std::uint64_t seed) {
  const double largest = *std::ranges::max_element(weights);
  std::vector<double> uniforms(weights.size());
  RandomStream(seed, kChoiceStep, 0, Purpose::kSampler).Uniforms(uniforms);
  std::vector<char> kept(weights.size());
  for (std::size_t row = 0; row < weights.size(); ++row) {
    kept[row] = uniforms[row] * largest < weights[row] || largest == 0 ? 1 : 0;
  }
  return kept;
}

}  // namespace

double BoundedWeight(double distance, std::size_t degree, double leaving) {
  if (distance <= kNear) return 1;
  return degree >= 2 && distance > kMostAway ? 0 : leaving;
}

double DistanceFromRange(const Matrix& path, const Matrix& seen) {
  if (!path.allFinite()) return HUGE_VAL;
  double distance = 0;
  for (Eigen::Index d = 0; d < seen.cols(); ++d) {
    const double low = seen.col(d).minCoeff(), high = seen.col(d).maxCoeff();
    if (!(high > low)) continue;
    const double away = std::max(path.col(d).maxCoeff() - high, low - path.col(d).minCoeff());
    distance = std::max(distance, away / (high - low));
  }
  return distance;
}

double DistanceOfSolution(const Field& field, std::span<const double> from, double span,
                          const Matrix& seen, const SolverOptions& options) {
  Matrix path(kTimesOfPiece, std::ssize(from));
  const std::span<double> states(path.data(), static_cast<std::size_t>(path.size()));
  const double step = span / static_cast<double>(kPieces * kTimesOfPiece);
  std::vector<double> times(kTimesOfPiece);
  for (std::size_t i = 0; i < kTimesOfPiece; ++i) times[i] = step * static_cast<double>(i + 1);
  std::vector<double> state(from.begin(), from.end());
  double distance = 0;
  for (std::size_t piece = 0; piece < kPieces && distance <= kMostAway; ++piece) {
    if (!Solver(options).Solve(field, state, 0.0, times, states).ok()) return HUGE_VAL;
    distance = std::max(distance, DistanceFromRange(path, seen));
    std::ranges::copy(states.last(state.size()), state.begin());
  }
  return distance;
}

void KeepBoundedDraws(const std::vector<TimedValues>& trajectories,
                      const std::vector<Matrix>& states, Model& model) {
  if (!model.options.equations.empty() || model.options.positive != "none" ||
      model.draws.rows() == 0 || !GetPosteriorFamily(model.options.posterior).samples_residual()) {
    return;
  }
  if (std::ranges::any_of(trajectories, [](const TimedValues& t) { return t.inputs != nullptr; })) {
    return;
  }
  const std::size_t degree = GetKernelSum(model.options.kernel).degree;
  if (degree < 2 && model.options.prior.leaving == 1) return;
  const ModelDraws draws(model);
  std::vector<double> distances(static_cast<std::size_t>(model.draws.rows()));
  ThreadPool pool(model.options.threads);
  pool.For(distances.size(), [&](std::size_t row) {
    distances[row] = DistanceOfDraw(model, draws, row, trajectories, states);
  });
  const auto near = static_cast<double>(
      std::ranges::count_if(distances, [](double distance) { return distance <= kNear; }));
  const bool contradicted = near < kLeastNear * static_cast<double>(distances.size());
  std::vector<double> weights;
  for (double distance : distances) {
    weights.push_back(
        BoundedWeight(distance, degree, contradicted ? 1 : model.options.prior.leaving));
  }
  const std::vector<char> is_kept = ChooseRows(weights, model.options.seed);
  const std::ptrdiff_t kept = std::ranges::count(is_kept, 1);
  if (kept == std::ssize(is_kept)) return;
  Matrix bounded(kept, model.draws.cols());
  Eigen::Index to = 0;
  for (std::size_t row = 0; row < is_kept.size(); ++row) {
    if (is_kept[row] != 0) bounded.row(to++) = model.draws.row(static_cast<Eigen::Index>(row));
  }
  model.draws = std::move(bounded);
}

}  // namespace gpode
