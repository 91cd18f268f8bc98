#include "data/paper_tasks.h"
#include "gpode/simulate.h"
#include "tasks.h"

namespace gpode::experiments {
namespace {

Row FromPaper(const PaperTask& paper) {
  Task task{.data = paper.data,
            .tests = {{{}, paper.test_times, paper.test_values}},
            .noise_variance = std::vector<double>(2, paper.noise_variance),
            .options = {}};
  return {paper.name, {task}};
}

struct FreshSystem {
  std::string name;
  std::vector<double> start;
  double span;
};

// 60 noisy points; the forecast is half the span again, against the truth.
Task FreshTask(const FreshSystem& system, std::uint64_t seed) {
  const Simulation s = Simulate({.system = system.name,
                                 .start = system.start,
                                 .span = system.span,
                                 .points = 60,
                                 .noise_share = 0.08,
                                 .seed = seed});
  const std::vector<double> later =
      RegularTimes(system.span * (1 + 1.0 / 60), 1.5 * system.span, 30);
  return {.data = s.data,
          .tests = {{{}, later, SolveSystem(system.name, system.start, later)}},
          .noise_variance = {s.noise_variance.begin(), s.noise_variance.end()},
          .options = {}};
}

}  // namespace

std::vector<Row> PaperRows() {
  return {FromPaper(VanDerPolRegular()), FromPaper(VanDerPolIrregular()),
          FromPaper(FitzHughNagumoGap())};
}

std::vector<Row> LongRows() {
  std::vector<Row> rows;
  for (std::size_t length : {25, 40, 55}) {
    for (double variance : {0.01, 0.05, 0.1}) {
      rows.push_back(FromPaper(LongVanDerPol(length, variance)));
    }
  }
  return rows;
}

std::vector<Row> FreshRows(std::size_t draws) {
  constexpr std::uint64_t kFirstSeed = 1000;
  const std::vector<FreshSystem> systems = {
      {"vdp", {-1.5, 2.5}, 7}, {"fhn", {-1, 1}, 5}, {"lotka-volterra", {1, 1}, 6}};
  std::vector<Row> rows;
  for (const FreshSystem& system : systems) {
    rows.push_back({system.name, {}});
    for (std::size_t i = 0; i < draws; ++i) {
      rows.back().tasks.push_back(FreshTask(system, kFirstSeed + i));
    }
  }
  return rows;
}

}  // namespace gpode::experiments
