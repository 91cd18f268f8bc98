// Measures training steps on a GPU: the table of docs/performance.md, the time of each kernel
// beside the limit of the unit that does its work, and how far training on the GPU is from the
// CPU's.
//
// usage: device_bench [steps|kernels|agreement|runs]... [only=TEXT]    default: all but runs
//
// With only=TEXT, it measures only the tasks whose names contain the text.
//
// GPODE_DATA may name the folder of the paper's data (mocap/mocap35.npz); otherwise data of the
// same shape are simulated.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/cpu_name.h"
#include "device/engine.h"
#include "gpode/gpode.h"
#include "gpode/npz.h"
#include "gpode/simulate.h"
#include "support/noise.h"
#include "support/walking_data.h"
#include "train/trainer.h"

namespace gpode {
namespace {

using Clock = std::chrono::steady_clock;
using testing_support::WalkingData;
using testing_support::WithNoise;

constexpr std::size_t kForever = 1000000;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

struct Task {
  std::string name;
  Dataset data;
  FitOptions options;
  double wanted, jax;  // milliseconds per step: our target, and the time of a JAX program
};

FitOptions Shooting() {
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.polish = 0;
  options.draws = 5;
  options.batch = 0;
  options.steps = kForever;
  options.patience = 0;
  return options;
}

Dataset VanDerPol() {
  const std::vector<double> times = RegularTimes(0, 7, 50);
  const std::vector<double> start = {-1.5, 2.5};
  return {.channels = {"x1", "x2"},
          .trajectories = {{"", times, WithNoise(SolveSystem("vdp", start, times), 0.1, 7), {}}}};
}

// Returns the first frames of the training sequences of a MoCap subject, or data of their shape.
Dataset Mocap(const std::string& subject, std::size_t sequences, std::size_t frames) {
  const char* folder = std::getenv("GPODE_DATA");
  if (folder == nullptr) return WalkingData(sequences, frames);
  const Archive archive = ReadNpz(fmt::format("{}/mocap/mocap{}.npz", folder, subject));
  const Array& train = archive.at("train");
  const std::size_t length = train.shape.at(1), channels = train.shape.at(2);
  frames = std::min(frames, length);
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

std::string only;  // what the names of tasks must contain

std::vector<Task> Tasks() {
  FitOptions mocap = Shooting();
  mocap.observation = Observation::kPca;
  mocap.states = 5;
  mocap.inducing = 100;
  std::vector<Task> tasks = {{"VDP, shooting", VanDerPol(), Shooting(), 0.15, 0.29},
                             {"MoCap 09 short, shooting", Mocap("09", 6, 50), mocap, 0.3, 1.0},
                             {"MoCap 35 long, shooting", Mocap("35", 16, 300), mocap, 0.8, 3.5}};
  std::erase_if(tasks, [](const Task& t) { return t.name.find(only) == std::string::npos; });
  return tasks;
}

struct Timing {
  double step = INFINITY;  // seconds
  double evaluations = 0;
  std::size_t segments = 0;
};

// Measures steps 61 to 105 of a run, as train_bench does on the CPU: one block of the device, with
// the transfer of the parameters there and back. Of several runs, the fastest counts.
Timing Measure(const Task& task) {
  Timing timing;
  for (int round = 0; round < 3; ++round) {
    Trainer trainer(task.data, task.options);
    trainer.UseDevice(Device::kCuda);
    trainer.LimitBlocks(50);
    for (int i = 0; i < 60; ++i) trainer.Step();
    trainer.LimitBlocks(45);
    double evaluations = 0;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < 45; ++i) evaluations += static_cast<double>(trainer.Step().evaluations);
    timing.step = std::min(timing.step, Seconds(start) / 45);
    timing.evaluations = evaluations / 45;
  }
  for (const Trajectory& t : task.data.trajectories) timing.segments += t.times.size() - 1;
  return timing;
}

void PrintSteps() {
  fmt::print(
      "| training step | draws x segments | evaluations | GPU, single | wanted | JAX | GPU, double "
      "| "
      "wanted |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (Task task : Tasks()) {
    Timing timing[2];
    for (const bool single : {true, false}) {
      task.options.precision = single ? FeaturePrecision::kFloat : FeaturePrecision::kDouble;
      timing[single] = Measure(task);
    }
    fmt::print("| {} | {} | {:.0f} | {:.3f} ms | {} | {} | {:.3f} ms | {} |\n", task.name,
               timing[1].segments * task.options.draws, timing[1].evaluations, 1e3 * timing[1].step,
               task.wanted, task.jax, 1e3 * timing[0].step, 2 * task.wanted);
    std::fflush(stdout);
  }
}

// The operations of one step in the two kernels that evaluate fields. Counts are those of the
// loops in device/features.h and device/kernels/reverse.h, with D states, M inducing points and F
// features.
struct Operations {
  double single, special, full;  // single-precision, special-function and double-precision
};

Operations IntegrateOperations(const FitOptions& o, double d, double evaluations) {
  const bool is_single = o.precision == FeaturePrecision::kFloat;
  const double features = evaluations * d * static_cast<double>(o.features);
  const double points = evaluations * d * static_cast<double>(o.inducing);
  // Features: phase, taking off whole turns, value, slope. Points: distance, 2^t, value, slope.
  Operations operations{0, 0, points * (1 + d + 3 + (is_single ? 10 : 13) + 2 + d)};
  if (is_single) {
    operations.single = features * (d + 5 + 2 + d);
    operations.special = features * 2;
  } else {
    operations.full += features * (d + 20 + 2 + d);
  }
  return operations;
}

Operations SumsOperations(const FitOptions& o, double d, double evaluations) {
  const bool is_single = o.precision == FeaturePrecision::kFloat;
  return {0, 0,
          evaluations * d * static_cast<double>(o.inducing) *
              (2 * d + 3 + (is_single ? 10 : 13) + 2 + 2 * d)};
}

void PrintKernels() {
  // Instructions per second of an H200 at its boost clock of 1.98 GHz, on 132 multiprocessors: 128
  // in single precision, 64 in double precision and 16 special functions in each cycle.
  constexpr double kCycles = 132 * 1.98e9;
  for (Task task : Tasks()) {
    for (const bool single : {true, false}) {
      task.options.precision = single ? FeaturePrecision::kFloat : FeaturePrecision::kDouble;
      Trainer trainer(task.data, task.options);
      trainer.UseDevice(Device::kCuda);
      double evaluations = 0;
      trainer.LimitBlocks(50);
      for (int i = 0; i < 60; ++i) {
        evaluations = static_cast<double>(trainer.Step().evaluations);
      }
      const auto times = trainer.TimeKernels(30);
      const auto d = static_cast<double>(trainer.start().map.dim());
      double all = 0;
      for (const device::KernelTime& t : times) all += t.seconds;
      fmt::print("\n{}, {} precision: {:.3f} ms in all kernels, one after the other\n\n", task.name,
                 single ? "single" : "double", 1e3 * all);
      fmt::print(
          "| kernel | time | single | special functions | double |\n"
          "| --- | --- | --- | --- | --- |\n");
      for (const device::KernelTime& t : times) {
        Operations o{};
        if (t.kernel == "Integrate") o = IntegrateOperations(task.options, d, evaluations);
        if (t.kernel == "Sums") o = SumsOperations(task.options, d, evaluations * 6 / 7);
        const auto share = [&](double operations, double per_cycle) {
          return operations == 0 ? std::string()
                                 : fmt::format("{:.0f} %", 100 * operations /
                                                               (kCycles * per_cycle) / t.seconds);
        };
        fmt::print("| {} | {:.1f} us | {} | {} | {} |\n", t.kernel, 1e6 * t.seconds,
                   share(o.single, 128), share(o.special, 16), share(o.full, 64));
      }
      std::fflush(stdout);
    }
  }
}

void PrintAgreement() {
  fmt::print(
      "\n| training | precision | largest relative difference of the bound in 100 steps | "
      "evaluations, CPU | GPU |\n| --- | --- | --- | --- | --- |\n");
  for (Task task : Tasks()) {
    const std::size_t steps = 100;
    task.options.steps = 1000;
    for (const bool single : {true, false}) {
      task.options.precision = single ? FeaturePrecision::kFloat : FeaturePrecision::kDouble;
      Trainer cpu(task.data, task.options), gpu(task.data, task.options);
      gpu.UseDevice(Device::kCuda);
      double largest = 0;
      std::size_t evaluations[2] = {0, 0};
      for (std::size_t i = 0; i < steps; ++i) {
        const Progress a = cpu.Step(), b = gpu.Step();
        largest = std::max(largest, std::fabs(a.bound - b.bound) / std::fabs(a.bound));
        evaluations[0] += a.evaluations;
        evaluations[1] += b.evaluations;
      }
      fmt::print("| {} | {} | {:.1e} | {} | {} |\n", task.name, single ? "single" : "double",
                 largest, evaluations[0], evaluations[1]);
      std::fflush(stdout);
    }
  }
}

// Whole runs of 1000 steps. Residual and noise are means over channels of their standard
// deviations, in units of the channel's.
void PrintRuns() {
  fmt::print(
      "\n| run of 1000 steps | device | precision | time | bound | residual | noise |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (Task task : Tasks()) {
    task.options.steps = 1000;
    for (const Device device : {Device::kCuda, Device::kCpu}) {
      for (const bool single : {false, true}) {
        if (device == Device::kCpu && single) continue;
        task.options.precision = single ? FeaturePrecision::kFloat : FeaturePrecision::kDouble;
        const Clock::time_point start = Clock::now();
        double bound = 0;
        FitControl control{.report = [&](const Progress& p) { return bound = p.bound, true; }};
        control.device = device;
        const TrainedModel trained = Train(task.data, task.options, control);
        const double seconds = Seconds(start);
        const FitQuality quality = AssessFit(trained, {.draws = 32});
        double residual = 0, noise = 0;
        for (const ChannelFit& c : quality.channels) {
          residual += c.residual / c.spread / static_cast<double>(quality.channels.size());
          noise += c.noise / c.spread / static_cast<double>(quality.channels.size());
        }
        fmt::print("| {} | {} | {} | {:.2f} s | {:.1f} | {:.4g} | {:.4g} |\n", task.name,
                   device == Device::kCpu ? "CPU" : "GPU", single ? "single" : "double", seconds,
                   bound, residual, noise);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace
}  // namespace gpode

int main(int argc, char** argv) {
  using namespace gpode;
  if (const std::string reason = device::WhyNoGpu(); !reason.empty()) {
    fmt::print("device_bench: skipped: {}\n", reason);
    return 0;
  }
  std::vector<std::string> parts(argv + 1, argv + argc);
  for (const std::string& part : parts) {
    if (part.starts_with("only=")) only = part.substr(5);
  }
  std::erase_if(parts, [](const std::string& part) { return part.starts_with("only="); });
  if (parts.empty()) parts = {"steps", "kernels", "agreement"};
  fmt::print("\n{}, {}\n\n", device::GpuName(), internal::CpuName());
  for (const std::string& part : parts) {
    if (part == "steps") PrintSteps();
    if (part == "kernels") PrintKernels();
    if (part == "agreement") PrintAgreement();
    if (part == "runs") PrintRuns();
  }
  return 0;
}
