// Computes the gradient of the last x1 of a trajectory with respect to its start and the parameter
// of the equation by the discrete adjoint, and compares it with finite differences of the same
// steps.
#include <gpode/gpode.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> point = {-1.5, 2.5, 0.5};  // x1 and x2 at the start, then mu
  const std::vector<double> times = {7.0};
  std::vector<double> states(2);

  const gpode::VanDerPol field(point[2]);
  gpode::Solver solver({.rtol = 1e-6, .atol = 1e-6});
  gpode::SolveRecord record;
  const std::span<const double> start = std::span(point).first(2);
  if (!solver.SolveRecorded(field, start, 0.0, times, states, record).ok()) return 1;

  std::vector<double> gradient(3, 0.0);  // Pullback adds to these numbers.
  const std::vector<double> bstates = {1.0, 0.0};
  solver.Pullback(field, record, bstates, std::span(gradient).first(2),
                  std::span(gradient).last(1));

  const auto last_x1 = [&](std::span<const double> p) {
    std::vector<double> moved(2);
    solver.Replay(gpode::VanDerPol(p[2]), record, p.first(2), moved);
    return moved[0];
  };
  const gpode::GradientCheck check = gpode::CheckGradient(last_x1, point, gradient);
  std::printf("d x1(7) / d (x1(0), x2(0), mu) = (%.6f, %.6f, %.6f)\n", gradient[0], gradient[1],
              gradient[2]);
  std::printf("largest relative error %.1e\n", check.max_relative_error);
  return check.ok(1e-8) ? 0 : 1;
}
