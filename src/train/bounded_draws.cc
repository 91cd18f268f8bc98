#include "train/bounded_draws.h"

#include <algorithm>

#include "gpode/parallel.h"
#include "kernel/kernel_sum.h"
#include "model/model_draws.h"
#include "ode/forced_solver.h"

namespace gpode {
namespace {

// The number of times at which a solution is compared with the range of the data.
constexpr std::size_t kTimes = 40;

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

// Returns true if the solution that starts at `from` stays near the states seen for the time
// `span`.
bool StaysNear(const Field& field, std::span<const double> from, double span, const Matrix& seen,
               const SolverOptions& options) {
  std::vector<double> times(kTimes), states(kTimes * from.size());
  for (std::size_t i = 0; i < kTimes; ++i) {
    times[i] = span * static_cast<double>(i + 1) / static_cast<double>(kTimes);
  }
  if (!Solver(options).Solve(field, from, 0.0, times, states).ok()) return false;
  const Eigen::Map<const Matrix> all(states.data(), static_cast<Eigen::Index>(kTimes), seen.cols());
  const Eigen::RowVectorXd low = seen.colwise().minCoeff(), high = seen.colwise().maxCoeff();
  const Eigen::RowVectorXd room = kMostAway * (high - low);
  return (all.colwise().maxCoeff().array() <= (high + room).array()).all() &&
         (all.colwise().minCoeff().array() >= (low - room).array()).all();
}

bool IsBounded(const Model& model, const ModelDraws& draws, std::size_t row,
               const std::vector<TimedValues>& trajectories, const std::vector<Matrix>& states) {
  const ModelDraw draw = draws.MakeRow(row);
  const std::span<const double> x0 =
      draws.parts().latent().Part(ModelParts::kInitial, std::span<const double>(draw.z));
  const std::size_t dim = model.dim();
  std::vector<double> last(dim);
  for (std::size_t n = 0; n < trajectories.size(); ++n) {
    const double end = trajectories[n].times.back();
    if (!(end > 0)) continue;
    if (!FollowData(draw, draws.pieces(), n, x0.subspan(n * dim, dim), end, model.options.solver,
                    last) ||
        !StaysNear(draw.function->field(), last, kSpans * end, states[n], model.options.solver)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void KeepBoundedDraws(const std::vector<TimedValues>& trajectories,
                      const std::vector<Matrix>& states, Model& model) {
  if (model.options.function != "process" || GetKernelSum(model.options.kernel).degree < 2) return;
  if (std::ranges::any_of(trajectories, [](const TimedValues& t) { return t.inputs != nullptr; })) {
    return;
  }
  const ModelDraws draws(model);
  std::vector<char> is_bounded(static_cast<std::size_t>(model.draws.rows()));
  ThreadPool pool(model.options.threads);
  pool.For(is_bounded.size(), [&](std::size_t row) {
    is_bounded[row] = IsBounded(model, draws, row, trajectories, states) ? 1 : 0;
  });
  const std::ptrdiff_t kept = std::ranges::count(is_bounded, 1);
  if (kept == 0 || kept == std::ssize(is_bounded)) return;
  Matrix bounded(kept, model.draws.cols());
  Eigen::Index to = 0;
  for (std::size_t row = 0; row < is_bounded.size(); ++row) {
    if (is_bounded[row] != 0) bounded.row(to++) = model.draws.row(static_cast<Eigen::Index>(row));
  }
  model.draws = std::move(bounded);
}

}  // namespace gpode
