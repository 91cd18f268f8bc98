// Solves the Van der Pol equations and prints the states.
#include <gpode/gpode.h>

#include <cstdio>
#include <vector>

int main() {
  const gpode::VanDerPol field(0.5);
  const std::vector<double> start = {-1.5, 2.5};
  const std::vector<double> times = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<double> states(times.size() * field.dim());

  gpode::Solver solver({.method = gpode::Method::kTsitouras54, .rtol = 1e-8, .atol = 1e-8});
  const gpode::SolveResult result = solver.Solve(field, start, 0.0, times, states);
  if (!result.ok()) {
    std::fprintf(stderr, "stopped at t = %g: %s\n", result.reached,
                 gpode::Message(result.status).data());
    return 1;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf("%4.1f  %9.6f  %9.6f\n", times[i], states[2 * i], states[2 * i + 1]);
  }
  std::printf("%zu steps, %zu evaluations\n", result.statistics.accepted,
              result.statistics.evaluations);
}
