// The scores of docs/results.md.
//
//   gpode_scores paper DATA [RUNS]   the paper's Van der Pol and FitzHugh-Nagumo tasks; DATA holds
//   vdp/ and fhn/ gpode_scores fresh [DRAWS]       coverage on fresh noise: three systems, 60
//   points, noise 8 % of the spread
//
// Runs go in parallel, one per thread; every row is a mean over runs with its standard error.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpode/forecast.h"
#include "gpode/gpode.h"
#include "gpode/model.h"
#include "support/simulated.h"

namespace gpode {
namespace {

struct Task {
  std::string name;
  Dataset data;
  std::vector<double> test_times;
  Matrix test_values;
};

struct Column {
  double sum = 0, squares = 0, worst = -INFINITY;
  int count = 0;

  void Add(double v) {
    sum += v;
    squares += v * v;
    worst = std::max(worst, v);
    ++count;
  }
  std::string Text() const {
    const double mean = sum / count;
    const double spread =
        std::sqrt(std::max(squares / count - mean * mean, 0.0) / std::max(count - 1, 1));
    return fmt::format("{:.3f} ± {:.3f}", mean, spread);
  }
};

Matrix FirstSequence(const Array& a) {
  return Eigen::Map<const Matrix>(a.values.data(), static_cast<Eigen::Index>(a.shape.at(1)),
                                  static_cast<Eigen::Index>(a.shape.at(2)));
}

// One of the paper's archives. The initial state sits one gap before the first observation.
Task FromArchive(const std::string& name, const std::string& file, const std::string& test,
                 std::size_t first) {
  const Archive archive = ReadNpz(file);
  const std::vector<double>& times = archive.at("train_ts").values;
  Task task{.name = name, .data = {}, .test_times = {}, .test_values = {}};
  task.data.channels = {"x1", "x2"};
  task.data.trajectories = {
      {"", times, FirstSequence(archive.at("train_ys")), times[0] - (times[1] - times[0])}};
  const std::vector<double>& all = archive.at(test + "_ts").values;
  task.test_times.assign(all.begin() + first, all.end());
  const Matrix values = FirstSequence(archive.at(test + "_ys"));
  task.test_values = values.bottomRows(values.rows() - static_cast<Eigen::Index>(first));
  return task;
}

// 60 noisy points; the forecast is half the span again, against the truth.
Task FreshDraw(const std::string& system, const std::vector<double>& start, double span,
               std::uint64_t seed) {
  using namespace testing_support;
  const std::vector<double> times = Regular(0, span, 60);
  Task task{.name = system,
            .data = {},
            .test_times = Regular(span * (1 + 1.0 / 60), 1.5 * span, 30),
            .test_values = {}};
  task.data.channels = {"x1", "x2"};
  task.data.trajectories = {{"", times, WithNoise(Simulate(system, start, times), 0.08, seed), {}}};
  task.test_values = Simulate(system, start, task.test_times);
  return task;
}

Scores Run(const Task& task, BoundKind bound, std::uint64_t seed) {
  FitOptions options;
  options.bound = bound;
  options.seed = seed;
  options.threads = 1;
  const Model model = Fit(task.data, options);
  const Forecast forecast =
      ForecastTrajectory(model, 0, task.test_times, {.draws = 128, .seed = seed, .threads = 1});
  return Score(forecast, model.noise_variance, task.test_values);
}

// One row: the scores of all (task, seed) pairs.
void PrintRow(const std::string& name, BoundKind bound, const std::vector<Task>& tasks,
              const std::vector<std::uint64_t>& seeds) {
  std::vector<Scores> scores(tasks.size() * seeds.size());
  ThreadPool pool;
  pool.For(scores.size(), [&](std::size_t i) {
    scores[i] = Run(tasks[i / seeds.size()], bound, seeds[i % seeds.size()]);
  });
  Column mnll, mse, half, ninety;
  std::size_t diverged = 0;
  for (const Scores& s : scores) {
    mnll.Add(s.mnll);
    mse.Add(s.mse);
    half.Add(s.coverage_50);
    ninety.Add(s.coverage_90);
    diverged += s.diverged;
  }
  fmt::print("| {} | {} | {} | {:.3f} | {} | {:.2f} | {:.2f} | {} |\n", name,
             bound == BoundKind::kVanilla ? "vanilla" : "shooting", mnll.Text(), mnll.worst,
             mse.Text(), half.sum / half.count, ninety.sum / ninety.count, diverged);
  std::fflush(stdout);
}

void PrintHead() {
  fmt::print("| task | bound | MNLL | worst | MSE | 50 % bands | 90 % bands | diverged draws |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void Paper(const std::string& folder, std::uint64_t runs) {
  const std::vector<Task> tasks = {
      FromArchive("VDP regular", folder + "/vdp/vdp_uniform.npz", "test", 50),
      FromArchive("VDP irregular", folder + "/vdp/vdp_nonuniform.npz", "test", 0),
      FromArchive("FHN", folder + "/fhn/fhn_interpolation_small.npz", "interpolation", 0)};
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) seeds.push_back(seed);
  PrintHead();
  for (const Task& task : tasks) {
    for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
      PrintRow(task.name, bound, {task}, seeds);
    }
  }
}

void Fresh(std::uint64_t draws) {
  struct System {
    std::string name;
    std::vector<double> start;
    double span;
  };
  const std::vector<System> systems = {
      {"vdp", {-1.5, 2.5}, 7}, {"fhn", {-1, 1}, 5}, {"lotka-volterra", {1, 1}, 6}};
  PrintHead();
  for (const System& system : systems) {
    std::vector<Task> tasks;
    for (std::uint64_t i = 0; i < draws; ++i) {
      tasks.push_back(FreshDraw(system.name, system.start, system.span, 1000 + i));
    }
    for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
      PrintRow(system.name, bound, tasks, {1});
    }
  }
}

int Main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "paper" && argc > 2) {
    Paper(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5);
  } else if (command == "fresh") {
    Fresh(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20);
  } else {
    fmt::print(stderr, "usage: gpode_scores paper DATA [RUNS] | gpode_scores fresh [DRAWS]\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace gpode

int main(int argc, char** argv) {
  try {
    return gpode::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpode_scores: {}\n", error.what());
    return 2;
  }
}
