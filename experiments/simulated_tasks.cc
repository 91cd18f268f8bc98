#include "experiments/paper_tasks.h"
#include "experiments/tasks.h"
#include "gpode/error.h"
#include "gpode/simulate.h"
#include "io/number_text.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kEfficiencySteps = 15000;  // the paper's number of steps
constexpr std::uint64_t kFirstFreshSeed = 1000;

Task FromPaper(const PaperTask& paper, std::uint64_t seed) {
  return {.data = paper.data,
          .tests = {{{}, paper.test_times, paper.test_values}},
          .noise_variance = std::vector<double>(2, paper.noise_variance),
          .fit_seed = seed};
}

// Returns the task long-LENGTH-VARIANCE.
PaperTask LongTask(const std::string& name) {
  const std::size_t first = name.find('-'), second = name.rfind('-');
  return LongVanDerPol(
      static_cast<std::size_t>(*internal::ToNumber(name.substr(first + 1, second - first - 1))),
      *internal::ToNumber(name.substr(second + 1)));
}

struct FreshSystem {
  std::string name;
  std::vector<double> start;
  double span;
};

// Returns a task with 60 noisy observations. The test data are the truth over the next half of the
// span. All runs train with the same seed; only the noise differs.
Task FreshTask(const FreshSystem& system, std::uint64_t seed) {
  const Simulation s = Simulate({.system = system.name,
                                 .start = system.start,
                                 .span = system.span,
                                 .points = 60,
                                 .noise_share = 0.08,
                                 .seed = kFirstFreshSeed + seed - 1});
  const std::vector<double> later =
      RegularTimes(system.span * (1 + 1.0 / 60), 1.5 * system.span, 30);
  return {.data = s.data,
          .tests = {{{}, later, SolveSystem(system.name, system.start, later)}},
          .noise_variance = {s.noise_variance.begin(), s.noise_variance.end()}};
}

Task FreshTask(const std::string& name, std::uint64_t seed) {
  if (name == "fresh-vdp") return FreshTask({"vdp", {-1.5, 2.5}, 7}, seed);
  if (name == "fresh-fhn") return FreshTask({"fhn", {-1, 1}, 5}, seed);
  return FreshTask({"lotka-volterra", {1, 1}, 6}, seed);
}

Task EfficiencyTask(std::uint64_t seed) {
  Task task = FromPaper(LongVanDerPol(25, 0.01), seed);
  task.options.steps = kEfficiencySteps;
  task.options.patience = 0;  // no early stopping
  return task;
}

}  // namespace

Task MakeSimulatedTask(const TaskInfo& info, std::uint64_t seed) {
  if (info.kind == TaskKind::kFresh) return FreshTask(info.name, seed);
  if (info.kind == TaskKind::kEfficiency) return EfficiencyTask(seed);
  if (info.kind == TaskKind::kLong) return FromPaper(LongTask(info.name), seed);
  if (info.name == "vdp-regular") return FromPaper(VanDerPolRegular(), seed);
  if (info.name == "vdp-irregular") return FromPaper(VanDerPolIrregular(), seed);
  return FromPaper(FitzHughNagumoGap(), seed);
}

}  // namespace gpode::experiments
