#include "train/noise_start.h"

#include <algorithm>

#include "ode/forced_solver.h"

namespace gpode {
namespace {

constexpr std::size_t kMostPieces = 40, kFewestPieces = 4;

}  // namespace

std::vector<std::size_t> ChoosePieces(const std::vector<TimedValues>& trajectories) {
  const std::size_t most = std::max(kMostPieces / trajectories.size(), kFewestPieces);
  std::vector<std::size_t> counts;
  for (const TimedValues& t : trajectories) {
    if (!(t.times.back() > 0) || t.times.size() < 2) return {};
    counts.push_back(std::min(t.times.size() - 1, most));
  }
  return counts;
}

// A force w moves the end of a piece of length h by about w h. Each trial corrects the force by the
// error that is left over, divided by h.
std::vector<double> ForceThrough(const Field& field, std::span<const double> x0,
                                 std::span<const double> ends, const Matrix& targets,
                                 const SolverOptions& options) {
  constexpr int kTrials = 4;
  const std::size_t dim = field.dim();
  std::vector<double> forces(ends.size() * dim, 0.0), from(x0.begin(), x0.end()), to(dim);
  Solver solver(options);
  double begin = 0;
  for (std::size_t p = 0; p < ends.size(); ++p) {
    const std::span<double> force = std::span(forces).subspan(p * dim, dim);
    const double length = ends[p] - begin;
    for (int trial = 0; trial <= kTrials; ++trial) {
      const ForcedField forced(field, force);
      if (!solver.Solve(forced, from, begin, ends.subspan(p, 1), to).ok()) {
        std::ranges::fill(force, 0.0);
        return forces;
      }
      if (trial == kTrials) break;
      for (std::size_t d = 0; d < dim; ++d) {
        const double target = targets(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(d));
        force[d] += (target - to[d]) / length;
      }
    }
    from = to;
    begin = ends[p];
  }
  return forces;
}

}  // namespace gpode
