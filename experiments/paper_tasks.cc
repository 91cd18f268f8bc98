#include "experiments/paper_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/numpy_random.h"
#include "gpode/error.h"
#include "gpode/simulate.h"

namespace gpode::experiments {
namespace {

constexpr std::uint32_t kNoiseSeed = 121, kTimesSeed = 122;
constexpr double kVanDerPolNoise = 0.05, kFitzHughNagumoNoise = 0.025;
constexpr double kVanDerPolEnd = 7.0, kVanDerPolTestEnd = 7.0 * 99 / 49;
constexpr double kFitzHughNagumoEnd = 5.0;
const std::vector<double> kVanDerPolStart = {-1.5, 2.5}, kFitzHughNagumoStart = {-1, -1};

Matrix WithNoise(Matrix values, double variance) {
  NumpyRandom numbers(kNoiseSeed);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    values.data()[i] += std::sqrt(variance) * numbers.Normal();
  }
  return values;
}

Trajectory StartingOneGapEarlier(const std::vector<double>& times, const Matrix& values) {
  return {
      .name = "", .times = times, .values = values, .start_time = times[0] - (times[1] - times[0])};
}

PaperTask VanDerPolTask(std::string name, const std::vector<double>& times,
                        const std::vector<double>& test_times, double variance) {
  const Matrix values = WithNoise(SolveSystem("vdp", kVanDerPolStart, times), variance);
  return {.name = std::move(name),
          .data = {{"x1", "x2"}, {StartingOneGapEarlier(times, values)}},
          .test_times = test_times,
          .test_values = SolveSystem("vdp", kVanDerPolStart, test_times),
          .noise_variance = variance,
          .system = "vdp",
          .start = kVanDerPolStart};
}

std::vector<double> From(const std::vector<double>& times, std::size_t first) {
  return {times.begin() + static_cast<std::ptrdiff_t>(first), times.end()};
}

std::vector<double> Picked(const std::vector<double>& times,
                           const std::vector<Eigen::Index>& rows) {
  std::vector<double> result;
  for (Eigen::Index i : rows) result.push_back(times[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace

PaperTask VanDerPolRegular() {
  return VanDerPolTask("VDP regular", RegularTimes(0, kVanDerPolEnd, 50),
                       From(RegularTimes(0, kVanDerPolTestEnd, 100), 50), kVanDerPolNoise);
}

PaperTask VanDerPolIrregular() {
  NumpyRandom numbers(kTimesSeed);
  std::vector<double> times = numbers.Uniforms(50), test_times = numbers.Uniforms(100);
  std::sort(times.begin(), times.end());
  std::sort(test_times.begin(), test_times.end());
  for (double& t : times) t *= kVanDerPolEnd;
  times[0] = 0;
  for (double& t : test_times) t = kVanDerPolEnd + (kVanDerPolTestEnd - kVanDerPolEnd) * t;
  return VanDerPolTask("VDP irregular", times, test_times, kVanDerPolNoise);
}

PaperTask FitzHughNagumoGap(std::size_t points) {
  CheckAtLeast("FitzHughNagumoGap", "points", static_cast<std::ptrdiff_t>(points), 10);
  const std::vector<double> times = RegularTimes(0, kFitzHughNagumoEnd, points);
  const Matrix truth = SolveSystem("fhn", kFitzHughNagumoStart, times);
  const Matrix noisy = WithNoise(truth, kFitzHughNagumoNoise);
  std::vector<Eigen::Index> kept, removed;
  for (Eigen::Index i = 0; i < truth.rows(); ++i) {
    (truth(i, 0) > 0 && truth(i, 1) < 0 ? removed : kept).push_back(i);
  }
  const Matrix values = noisy(kept, Eigen::all);
  return {.name = points == 25 ? "FHN" : fmt::format("FHN {}", points),
          .data = {{"x1", "x2"}, {StartingOneGapEarlier(Picked(times, kept), values)}},
          .test_times = Picked(times, removed),
          .test_values = truth(removed, Eigen::all),
          .noise_variance = kFitzHughNagumoNoise,
          .system = "fhn",
          .start = kFitzHughNagumoStart};
}

PaperTask LongVanDerPol(std::size_t length, double noise_variance) {
  CheckAtLeast("LongVanDerPol", "length", static_cast<std::ptrdiff_t>(length), 1);
  CheckNonNegative("LongVanDerPol", "noise_variance", noise_variance);
  const std::size_t points = 4 * length;
  const double end = static_cast<double>(length), gap = end / static_cast<double>(points - 1);
  return VanDerPolTask(fmt::format("VDP T {}, noise {}", length, noise_variance),
                       RegularTimes(0, end, points), RegularTimes(end + gap, end + 50 * gap, 50),
                       noise_variance);
}

}  // namespace gpode::experiments
