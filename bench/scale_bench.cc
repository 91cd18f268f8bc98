// Measures minibatch training on up to a million observations. The time of a step depends on the
// batch, not on the size of the data, and memory stays small.
//
// Prints a table of docs/performance.md. Peak memory is that of the process so far, so rows are in
// increasing order of size.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/cpu_name.h"
#include "gpode/simulate.h"
#include "support/machine.h"
#include "support/noise.h"
#include "train/trainer.h"

namespace gpode {
namespace {

using testing_support::OwnSeconds;
using testing_support::WithNoise;

double PeakMebibytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Returns states of the Van der Pol system, 50 points per seven units of time. They are computed in
// pieces because the solver limits the number of steps.
Matrix LongSeries(std::vector<double> start, const std::vector<double>& times) {
  constexpr std::size_t kPiece = 250;
  Matrix states(static_cast<Eigen::Index>(times.size()), 2);
  for (std::size_t i = 0; i < times.size(); i += kPiece) {
    const std::size_t end = std::min(i + kPiece, times.size());
    std::vector<double> piece(times.begin() + i, times.begin() + end);
    for (double& t : piece) t -= i == 0 ? 0 : times[i - 1];
    const Matrix part = SolveSystem("vdp", start, piece);
    states.middleRows(static_cast<Eigen::Index>(i), part.rows()) = part;
    start = {part(part.rows() - 1, 0), part(part.rows() - 1, 1)};
  }
  return states;
}

Dataset Simulated(std::size_t trajectories, std::size_t points) {
  const std::vector<double> times = RegularTimes(0, 7.0 / 50 * static_cast<double>(points), points);
  Dataset data{.channels = {"x1", "x2"}, .trajectories = {}};
  for (std::size_t n = 0; n < trajectories; ++n) {
    const double turn = 0.01 * static_cast<double>(n);
    const std::vector<double> start = {2.5 * std::cos(turn), 2.5 * std::sin(turn)};
    data.trajectories.push_back({"", times, WithNoise(LongSeries(start, times), 0.1, 7 + n), {}});
  }
  return data;
}

void Row(const std::string& name, BoundKind bound, std::size_t trajectories, std::size_t points,
         std::size_t batch) {
  const Dataset data = Simulated(trajectories, points);
  FitOptions options;
  options.bound = bound;
  options.approach = 0;
  options.polish = 0;
  options.steps = 1000000;
  options.batch = batch;
  options.threads = 1;
  const double before = OwnSeconds();
  Trainer trainer(data, options);
  const double set_up = OwnSeconds() - before;
  for (int i = 0; i < 20; ++i) trainer.Step();
  std::vector<double> times;
  double evaluations = 0;
  for (int i = 0; i < 200; ++i) {
    const double start = OwnSeconds();
    evaluations += static_cast<double>(trainer.Step().evaluations) / 200;
    times.push_back(OwnSeconds() - start);
  }
  std::nth_element(times.begin(), times.begin() + 100, times.end());
  fmt::print("| {} | {} | {} x {} x 2 | {} | {:.1f} s | {:.2f} ms | {:.0f} | {:.0f} MiB |\n", name,
             bound == BoundKind::kVanilla ? "vanilla" : "shooting", trajectories, points, batch,
             set_up, 1e3 * times[100], evaluations, PeakMebibytes());
  std::fflush(stdout);
}

}  // namespace
}  // namespace gpode

int main() {
  using namespace gpode;
  fmt::print("\n{}, one thread\n\n", internal::CpuName());
  fmt::print(
      "| observations | bound | trajectories x points x channels | batch | set-up | step "
      "(median) | evaluations | peak memory |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  for (const std::size_t trajectories : {20, 200, 2000}) {
    const std::string name = fmt::format("10^{}", trajectories == 20    ? 4
                                                  : trajectories == 200 ? 5
                                                                        : 6);
    Row(name, BoundKind::kVanilla, trajectories, 250, 2000);
    Row(name, BoundKind::kShooting, trajectories, 250, 256);
    Row(name, BoundKind::kShooting, 1, trajectories * 250, 256);
  }
  return 0;
}
