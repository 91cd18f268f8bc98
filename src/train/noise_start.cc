#include "train/noise_start.h"

#include <Eigen/QR>
#include <algorithm>
#include <limits>

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

// Returns the forces on the pieces for which a trajectory from x0 passes through `targets` at the
// ends of the pieces. The force on each piece is found by Newton's method, with derivatives from
// finite differences. If an integration fails, the forces on its piece and on all later ones are 0.
std::vector<double> ForceThrough(const Field& field, std::span<const double> x0,
                                 std::span<const double> ends, const Matrix& targets,
                                 const SolverOptions& options, const InputSignal* inputs) {
  constexpr int kSteps = 3;
  // The finite difference of the force, times the length of the piece.
  constexpr double kDifference = 1e-4;
  const std::size_t dim = field.dim();
  const auto d = static_cast<Eigen::Index>(dim);
  std::vector<double> forces(ends.size() * dim, 0.0);
  Vector from = Eigen::Map<const Vector>(x0.data(), d);
  Solver solver(options);
  double begin = 0;
  for (std::size_t p = 0; p < ends.size(); ++p) {
    const double length = ends[p] - begin;
    const auto end_of = [&](const Vector& force) {
      Vector end(d);
      const ForcedField forced(field, {force.data(), dim});
      const bool ok = solver
                          .Solve(forced, {from.data(), dim}, begin, ends.subspan(p, 1),
                                 {end.data(), dim}, 0, inputs)
                          .ok();
      if (!ok) end.setConstant(std::numeric_limits<double>::quiet_NaN());
      return end;
    };
    Vector force = Vector::Zero(d), end = end_of(force);
    for (int step = 0; step < kSteps && end.allFinite(); ++step) {
      Eigen::MatrixXd derivative(d, d);
      for (Eigen::Index k = 0; k < d; ++k) {
        Vector moved = force;
        moved[k] += kDifference / length;
        derivative.col(k) = (end_of(moved) - end) * (length / kDifference);
      }
      if (!derivative.allFinite()) break;
      const Vector left = targets.row(static_cast<Eigen::Index>(p)).transpose() - end;
      force += derivative.colPivHouseholderQr().solve(left);
      end = end_of(force);
    }
    if (!end.allFinite()) return forces;
    std::ranges::copy(force, forces.begin() + static_cast<std::ptrdiff_t>(p * dim));
    from = end;
    begin = ends[p];
  }
  return forces;
}

}  // namespace gpode
