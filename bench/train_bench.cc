// Measures the speed of training steps, as ratios of times in one run, which vary less between
// machines than the times themselves.
//
// The time of a step is compared with the time that the sines, cosines and exponentials of its
// field evaluations take alone. The two are measured in turn, and the smallest time of many rounds
// counts. Further tables show how the time grows with the work, and the gain of a second thread.
// All tables are in docs/performance.md.
//
// GPODE_DATA may name the folder of the paper's data (mocap/mocap09.npz); otherwise data of the
// same shape are simulated.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/cpu_name.h"
#include "gpode/gpode.h"
#include "gpode/npz.h"
#include "gpode/simulate.h"
#include "simd/simd.h"
#include "support/machine.h"
#include "support/noise.h"
#include "support/walking_data.h"
#include "train/trainer.h"

namespace gpode {
namespace {

using Clock = std::chrono::steady_clock;
using testing_support::OwnSeconds;
using testing_support::WalkingData;
using testing_support::WithNoise;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Keeps the compiler from removing the computation of `memory`.
void Use(const void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

// Computes only the sines, cosines and exponentials of evaluations of a draw, on arrays in the
// first-level cache.
class BareCalls {
 public:
  BareCalls(std::size_t dim, std::size_t inducing, std::size_t features, FeaturePrecision precision)
      : float_(precision == FeaturePrecision::kFloat), exponents_(dim * inducing, -0.7) {
    const std::size_t n = dim * features;
    for (std::size_t i = 0; i < n; ++i) x_.push_back(100 * std::sin(1.7 * static_cast<double>(i)));
    s_.resize(n);
    c_.resize(n);
    xf_.assign(x_.begin(), x_.end());
    sf_.resize(n);
    cf_.resize(n);
    e_.resize(exponents_.size());
  }

  // Returns the seconds per evaluation, averaged over `count` of them.
  double Measure(std::size_t count) {
    const double start = OwnSeconds();
    for (std::size_t i = 0; i < count; ++i) {
      if (float_) {
        simd::SinCos(xf_, sf_, cf_);
      } else {
        simd::SinCos(x_, s_, c_);
      }
      simd::Exp(exponents_, e_);
      Use(s_.data());
    }
    return (OwnSeconds() - start) / static_cast<double>(count);
  }

 private:
  bool float_;
  AlignedVector<double> x_, s_, c_, exponents_, e_;
  AlignedVector<float> xf_, sf_, cf_;
};

struct Task {
  std::string name;
  Dataset data;
  FitOptions options;
  std::size_t warm_up;    // steps before the measurement
  std::size_t per_round;  // steps in one measurement
  std::string wanted;
};

struct Timing {
  double step = INFINITY;  // seconds for one step
  double bare = INFINITY;  // seconds for the sines, cosines and exponentials of that step alone
  double evaluations = 0;  // evaluations per step
};

constexpr std::size_t kForever = 1000000;  // so many steps that no run ends while it is measured

// Returns options with which a run uses one bound from the first step on.
FitOptions OneBound(BoundKind bound, std::size_t draws) {
  FitOptions options;
  options.bound = bound;
  options.approach = 0;
  options.polish = 0;
  options.draws = draws;
  options.batch = 0;
  options.steps = kForever;
  options.threads = 1;
  return options;
}

Timing Measure(const Task& task, int rounds = 15) {
  Trainer trainer(task.data, task.options);
  for (std::size_t i = 0; i < task.warm_up; ++i) trainer.Step();
  const std::size_t dim = trainer.Snapshot().dim();
  BareCalls bare(dim, task.options.inducing, task.options.features, task.options.precision);
  Timing timing;
  double per_evaluation = INFINITY, bare_per_evaluation = INFINITY, evaluations = 0;
  for (int round = 0; round < rounds; ++round) {
    std::size_t made = 0;
    const double start = OwnSeconds();
    for (std::size_t i = 0; i < task.per_round; ++i) made += trainer.Step().evaluations;
    per_evaluation = std::min(per_evaluation, (OwnSeconds() - start) / static_cast<double>(made));
    bare_per_evaluation =
        std::min(bare_per_evaluation, bare.Measure(std::max<std::size_t>(made / 3, 100)));
    evaluations += static_cast<double>(made);
  }
  timing.evaluations = evaluations / (rounds * static_cast<double>(task.per_round));
  timing.step = per_evaluation * timing.evaluations;
  timing.bare = bare_per_evaluation * timing.evaluations;
  return timing;
}

Dataset VanDerPolData(std::size_t points, std::size_t trajectories = 1) {
  const std::vector<double> times = RegularTimes(0, 7.0 * static_cast<double>(points) / 50, points);
  Dataset data{.channels = {"x1", "x2"}, .trajectories = {}};
  for (std::size_t n = 0; n < trajectories; ++n) {
    const double turn = 0.3 * static_cast<double>(n);
    const std::vector<double> start = {-1.5 * std::cos(turn), 2.5 * std::cos(turn)};
    data.trajectories.push_back(
        {"", times, WithNoise(SolveSystem("vdp", start, times), 0.1, 7 + n), {}});
  }
  return data;
}

// Returns the first frames of MoCap subject 09.
Dataset MocapData(const std::string& folder, std::size_t frames) {
  const Archive archive = ReadNpz(folder + "/mocap/mocap09.npz");
  const Array& train = archive.at("train");
  const std::size_t length = train.shape.at(1), channels = train.shape.at(2);
  Dataset data;
  for (std::size_t c = 0; c < channels; ++c) data.channels.push_back(fmt::format("c{}", c));
  for (std::size_t n = 0; n < train.shape[0]; ++n) {
    Trajectory t{"",
                 {},
                 Matrix(static_cast<Eigen::Index>(frames), static_cast<Eigen::Index>(channels)),
                 0.0};
    for (std::size_t i = 0; i < frames; ++i) t.times.push_back(0.01 * static_cast<double>(i + 1));
    std::copy_n(train.values.begin() + static_cast<std::ptrdiff_t>(n * length * channels),
                frames * channels, t.values.data());
    data.trajectories.push_back(std::move(t));
  }
  return data;
}

Task Mocap() {
  const char* folder = std::getenv("GPODE_DATA");
  Task task{.name = folder ? "MoCap 09 short, shooting" : "like MoCap 09 short, shooting",
            .data = folder ? MocapData(folder, 50) : WalkingData(6, 50),
            .options = OneBound(BoundKind::kShooting, 5),
            .warm_up = 60,
            .per_round = 3,
            .wanted = "4 or less"};
  task.options.observation = Observation::kPca;
  task.options.states = 5;
  task.options.inducing = 100;
  return task;
}

std::vector<Task> Tasks() {
  Task vanilla{.name = "VDP, vanilla, one draw",
               .data = VanDerPolData(50),
               .options = OneBound(BoundKind::kVanilla, 1),
               .warm_up = 600,
               .per_round = 100,
               .wanted = "3 or less"};
  Task single = vanilla;
  single.name += ", float features";
  single.options.precision = FeaturePrecision::kFloat;
  single.wanted = "5 or less";
  const Task shooting{.name = "VDP, shooting, 5 draws",
                      .data = VanDerPolData(50),
                      .options = OneBound(BoundKind::kShooting, 5),
                      .warm_up = 300,
                      .per_round = 20,
                      .wanted = "4 or less"};
  Task mocap_single = Mocap();
  mocap_single.name += ", float features";
  mocap_single.options.precision = FeaturePrecision::kFloat;
  mocap_single.wanted = "";
  return {vanilla, single, shooting, Mocap(), mocap_single};
}

// Prints the times of the tasks whose names contain `only`.
void PrintSteps(const std::string& only) {
  fmt::print("| training step | time | evaluations | bare sincos and exp | ratio | wanted |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const Task& task : Tasks()) {
    if (task.name.find(only) == std::string::npos) continue;
    const Timing t = Measure(task);
    fmt::print("| {} | {:.3f} ms | {:.0f} | {:.3f} ms | {:.2f} | {} |\n", task.name, 1e3 * t.step,
               t.evaluations, 1e3 * t.bare, t.step / t.bare, task.wanted);
    std::fflush(stdout);
  }
}

void PrintGrowth() {
  fmt::print("\n| shooting step, VDP | time | against the row above |\n| --- | --- | --- |\n");
  double before = 0;
  const auto row = [&](const std::string& name, const Dataset& data, std::size_t draws,
                       bool first) {
    const Timing t = Measure({name, data, OneBound(BoundKind::kShooting, draws), 60, 10, ""}, 7);
    fmt::print("| {} | {:.3f} ms | {} |\n", name, 1e3 * t.step,
               first ? "" : fmt::format("{:.2f}", t.step / before));
    std::fflush(stdout);
    before = t.step;
  };
  for (std::size_t points : {50, 100, 200, 400}) {
    row(fmt::format("{} segments, 1 draw", points), VanDerPolData(points), 1, points == 50);
  }
  for (std::size_t draws : {1, 2, 4, 8}) {
    row(fmt::format("{} draws, 50 segments", draws), VanDerPolData(50), draws, draws == 1);
  }
  for (std::size_t n : {1, 2, 4, 8}) {
    row(fmt::format("{} trajectories of 50 segments", n), VanDerPolData(50, n), 1, n == 1);
  }
}

// Prints the time of a step with one thread and with two. They are measured in turn, so that
// changes of the machine's speed affect both equally.
void PrintThreads(Task task, const std::string& wanted) {
  std::vector<std::unique_ptr<Trainer>> trainers;
  for (std::size_t threads : {1, 2}) {
    task.options.threads = threads;
    trainers.push_back(std::make_unique<Trainer>(task.data, task.options));
    for (std::size_t i = 0; i < task.warm_up; ++i) trainers.back()->Step();
  }
  double best[2] = {INFINITY, INFINITY};
  const std::size_t rounds = 25 * task.per_round;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Clock::time_point start = Clock::now();
      trainers[i]->Step();
      best[i] = std::min(best[i], Seconds(start));
    }
  }
  fmt::print("| {} | {:.3f} ms | {:.3f} ms | {:.2f} | {} |\n", task.name, 1e3 * best[0],
             1e3 * best[1], best[0] / best[1], wanted);
  std::fflush(stdout);
}

void PrintThreads() {
  fmt::print(
      "\n| training step | one thread | two threads | gain | wanted |\n"
      "| --- | --- | --- | --- | --- |\n");
  const std::vector<Task> tasks = Tasks();
  PrintThreads(tasks[0], "");
  PrintThreads(tasks[2], "");
  PrintThreads(tasks[3], "1.8 or more");
}

}  // namespace
}  // namespace gpode

int main(int argc, char** argv) {
  using namespace gpode;
  fmt::print("\n{}, instruction set {}\n\n", internal::CpuName(), simd::Name(simd::ActiveIsa()));
  const std::string part = argc > 1 ? argv[1] : "";
  if (part.empty() || part == "steps") PrintSteps(argc > 2 ? argv[2] : "");
  if (part.empty() || part == "growth") PrintGrowth();
  if (part.empty() || part == "threads") PrintThreads();
  return 0;
}
