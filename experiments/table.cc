#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numbers>

#include "gpode/parallel.h"
#include "gpode/scores.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kDraws = 128;

// Mean and standard error of what the runs gave.
struct Column {
  std::vector<double> values;

  double Mean() const {
    double sum = 0;
    for (double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }
  double Worst() const { return *std::max_element(values.begin(), values.end()); }
  std::string Text() const {
    const double mean = Mean(), n = static_cast<double>(values.size());
    double squares = 0;
    for (double v : values) squares += (v - mean) * (v - mean);
    if (!std::isfinite(squares)) return fmt::format("{:.3f}", mean);
    return fmt::format("{:.3f} ± {:.3f}", mean, n > 1 ? std::sqrt(squares / (n * (n - 1))) : 0.0);
  }
};

// With the learnt noise, and with the noise calibrated on validation data, where there are any.
struct RunScores {
  Scores learnt, calibrated;
};

struct Run {
  const Task* task;
  BoundKind bound;
  std::uint64_t seed;
  RunScores scores = {};
};

struct Line {
  std::string name;
  std::size_t first, count;  // its runs
  std::size_t left;          // to do
};

RunScores ScoresOf(const Task& task, BoundKind bound, std::uint64_t seed, const RunOptions& run) {
  FitOptions options = task.options;
  options.bound = bound;
  options.seed = seed;
  options.threads = 1;
  if (run.steps > 0) options.steps = run.steps;
  const Model model = Fit(task.data, options);
  const ForecastOptions draws{.draws = kDraws, .seed = seed, .threads = 1, .from = run.from};
  const auto follow = [&](const TestSequence& test) {
    return test.start_values.empty()
               ? ForecastTrajectory(model, 0, test.times, draws)
               : ForecastFrom(model, test.start_values, test.times[0], test.times, draws);
  };
  std::vector<Forecast> validation;
  std::vector<Matrix> seen;
  for (const TestSequence& sequence : task.validation) {
    validation.push_back(follow(sequence));
    seen.push_back(sequence.values);
  }
  const Vector calibrated = CalibratedNoise(model.noise_variance, validation, seen);
  std::vector<Scores> learnt_noise, calibrated_noise;
  for (const TestSequence& test : task.tests) {
    const Forecast forecast = follow(test);
    learnt_noise.push_back(Score(forecast, model.noise_variance, test.values, 1));
    if (!validation.empty()) {
      calibrated_noise.push_back(Score(forecast, calibrated, test.values, 1));
    }
  }
  return {Pool(learnt_noise), Pool(calibrated_noise)};
}

// The MNLL of the truth itself with the true noise; NaN where that is not known.
double Floor(const Task& task) {
  double sum = 0;
  for (double v : task.noise_variance) sum += 0.5 * std::log(2 * std::numbers::pi * v);
  return sum / static_cast<double>(task.noise_variance.size());
}

void PrintHead() {
  fmt::print(
      "| task | bound | MNLL | worst | floor | above it | MSE | CRPS | 50 % bands | 90 % bands | "
      "95 % bands | 90 % with noise | diverged draws |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void PrintLine(const std::string& name, std::span<const Run> runs, Scores RunScores::*which) {
  Column mnll, floor, mse, crps, half, ninety, ninety_five, noisy;
  std::size_t diverged = 0;
  for (const Run& run : runs) {
    const Scores& scores = run.scores.*which;
    mnll.values.push_back(scores.mnll);
    floor.values.push_back(Floor(*run.task));
    mse.values.push_back(scores.mse);
    crps.values.push_back(scores.crps);
    half.values.push_back(scores.coverage_50);
    ninety.values.push_back(scores.coverage_90);
    ninety_five.values.push_back(scores.coverage_95);
    noisy.values.push_back(scores.predictive_90);
    diverged += scores.diverged;
  }
  const auto known = [](double v) { return std::isnan(v) ? "" : fmt::format("{:.3f}", v); };
  fmt::print(
      "| {} | {} | {} | {:.3f} | {} | {} | {} | {:.3f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} "
      "|\n",
      name, runs[0].bound == BoundKind::kVanilla ? "vanilla" : "shooting", mnll.Text(),
      mnll.Worst(), known(floor.Mean()), known(mnll.Mean() - floor.Mean()), mse.Text(), crps.Mean(),
      half.Mean(), ninety.Mean(), ninety_five.Mean(), noisy.Mean(), diverged);
  std::fflush(stdout);
}

}  // namespace

void PrintTable(const std::vector<Row>& rows, const RunOptions& options) {
  std::vector<Run> runs;
  std::vector<Line> lines;
  std::vector<std::size_t> line_of;
  for (const Row& row : rows) {
    for (BoundKind bound : options.bounds) {
      const std::size_t count = row.tasks.size() * options.seeds;
      lines.push_back({row.name, runs.size(), count, count});
      for (const Task& task : row.tasks) {
        for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
          runs.push_back({&task, bound, seed});
          line_of.push_back(lines.size() - 1);
        }
      }
    }
  }
  PrintHead();
  std::mutex mutex;
  std::size_t printed = 0;
  ThreadPool pool;
  pool.For(runs.size(), [&](std::size_t i) {
    const RunScores scores = ScoresOf(*runs[i].task, runs[i].bound, runs[i].seed, options);
    const std::lock_guard lock(mutex);
    runs[i].scores = scores;
    --lines[line_of[i]].left;
    for (; printed < lines.size() && lines[printed].left == 0; ++printed) {
      const Line& line = lines[printed];
      const std::span<const Run> own = std::span(runs).subspan(line.first, line.count);
      PrintLine(line.name, own, &RunScores::learnt);
      if (!own[0].task->validation.empty()) {
        PrintLine(line.name + ", noise calibrated", own, &RunScores::calibrated);
      }
    }
  });
}

}  // namespace gpode::experiments
