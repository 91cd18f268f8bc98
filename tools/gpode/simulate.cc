// Implements `gpode simulate`, which makes noisy data of a known system, and its true solution.
#include "gpode/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "gpode/error.h"
#include "gpode/systems.h"
#include "io/files.h"
#include "output.h"
#include "readable.h"
#include "report/model_view.h"
#include "result_json.h"

namespace gpode::tool {
namespace {

struct Arguments {
  SimulationOptions simulation;
  std::optional<std::string> from;  // "x1=1,x2=0"
  std::string out, truth;
  double truth_until = 0;  // the end of the true solution; 0 stands for the end of the data
  CommonOptions common;
};

std::string DefaultTruth(const std::string& out) {
  const std::filesystem::path path(out);
  std::filesystem::path truth = path;
  truth.replace_filename(path.stem().string() + ".truth" + path.extension().string());
  return truth.string();
}

// Returns the start that a word such as "x1=1,x2=0" gives: the values of all states, in the
// system's order.
std::vector<double> StatesByName(const std::string& word, const SystemInfo& info) {
  const Place place{"simulate", "--from"};
  const std::vector<Assignment> given = ParseAssignments(place, word);
  std::vector<double> start;
  for (const std::string& name : info.state_names) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const Assignment& a) { return a.first == name; });
    if (found == given.end() || given.size() != info.dim) {
      Refuse(place, word,
             fmt::format("values of all states of {}: {}", info.name,
                         fmt::join(info.state_names, ", ")));
    }
    start.push_back(ParseNumber({"simulate", "--from " + name}, found->second, kSaneNumber));
  }
  return start;
}

// Returns the solution at the times of the data and, with the same spacing, up to `until`.
Dataset TruthOf(const Simulation& simulation, const Arguments& arguments, double until) {
  Dataset truth = simulation.data;
  for (std::size_t n = 0; n < truth.trajectories.size(); ++n) {
    Trajectory& t = truth.trajectories[n];
    t.values = simulation.truth[n];
    const double gap =
        t.times.back() / static_cast<double>(std::max<std::size_t>(1, t.times.size() - 1));
    if (!(until > t.times.back()) || !(gap > 0)) continue;
    const auto more = static_cast<std::size_t>((until - t.times.back()) / gap + 1e-9);
    for (std::size_t i = 1; i <= more; ++i) {
      t.times.push_back(simulation.data.trajectories[n].times.back() +
                        gap * static_cast<double>(i));
    }
    t.values = SolveSystem(arguments.simulation.system, simulation.start(n), t.times);
    if (arguments.simulation.counts > 0) t.values *= arguments.simulation.counts;
  }
  return truth;
}

void CheckSystem(const std::string& name) {
  const std::vector<std::string> known = SystemNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  Refuse({"simulate", "SYSTEM"}, name, fmt::format("one of {}", fmt::join(known, ", ")));
}

void CheckNoise(const SimulationOptions& options, std::size_t dim) {
  const std::size_t given = options.noise_variance.size();
  if (given > 0 && options.noise_share > 0) {
    ThrowInput("simulate", "--noise-share", "cannot be combined with --noise");
  }
  if (given > 1 && given != dim) {
    ThrowInput(
        "simulate", "--noise",
        fmt::format("has {} values, must have one, or one for each of {} states", given, dim));
  }
}

// Returns what the observations add to the states, "noise variance 0.05, 0.05".
std::string DescribeNoise(const SimulationOptions& options, const Simulation& simulation) {
  if (options.counts > 0) {
    return fmt::format("{} counts of mean {:g} times the state",
                       options.dispersion > 0 ? "negative binomial" : "Poisson", options.counts);
  }
  std::vector<std::string> noise;
  for (double v : simulation.noise_variance) noise.push_back(fmt::format("{:.3g}", v));
  return fmt::format("noise variance {}", fmt::join(noise, ", "));
}

// Throws if the data or the true solution, which may extend further in time, do not fit in memory.
void CheckSize(const Arguments& a, double span, std::size_t dim) {
  const SimulationOptions& options = a.simulation;
  const double series = static_cast<double>(options.trajectories) * static_cast<double>(dim);
  const auto points = static_cast<double>(options.points);
  CheckAmount({"simulate", "--points"}, points * series, "trajectories and states");
  CheckAmount({"simulate", "--truth-until"}, points * series * std::max(1.0, a.truth_until / span),
              "points per time, trajectories and states");
}

void CheckFiles(const Arguments& a) {
  CheckTable(a.out);
  if (a.truth.empty()) return;
  CheckTable(a.truth);
  if (a.out != "-" && AreSameFile(a.truth, a.out))
    Refuse({"simulate", "--truth"}, a.truth, "another file than that of the data");
}

void Run(Arguments arguments) {
  SimulationOptions& options = arguments.simulation;
  CheckSystem(options.system);
  const SystemInfo info = DescribeSystem(options.system);
  options.seed = arguments.common.seed;
  if (arguments.from) options.start = StatesByName(*arguments.from, info);
  CheckNoise(options, info.dim);
  const double span = options.span > 0 ? options.span : info.default_span;
  CheckSize(arguments, span, info.dim);
  if (arguments.truth_until > 0 && arguments.truth_until < span) {
    ThrowInput("simulate", "--truth-until",
               fmt::format("is {}, must be at least the span of the data, {}",
                           arguments.truth_until, span));
  }
  if (arguments.truth.empty() && arguments.out != "-")
    arguments.truth = DefaultTruth(arguments.out);
  CheckFiles(arguments);
  Simulation simulation = Simulate(options);
  if (options.trajectories == 1) simulation.data.trajectories[0].name.clear();
  CheckReadable(arguments.out, simulation.data);
  if (!arguments.truth.empty()) {
    WriteResult(arguments.truth, TruthOf(simulation, arguments, arguments.truth_until));
  }
  const bool json = arguments.common.json;
  if (arguments.out != "-" || !json) WriteResult(arguments.out, simulation.data);
  if (json) {
    nlohmann::ordered_json about = {
        {"system", options.system},
        {"trajectories", options.trajectories},
        {"span", span},
        {"noise_variance",
         std::vector<double>(simulation.noise_variance.begin(), simulation.noise_variance.end())},
        {"seed", options.seed}};
    if (!arguments.truth.empty()) about["truth"] = arguments.truth;
    return PrintResultJson(arguments.out, ColumnsOf(simulation.data), std::move(about));
  }
  if (arguments.common.quiet) return;
  const std::string said = fmt::format(
      "{}: {} of {} ({}), {} on [0, {:g}], {}, seed {}",
      arguments.out == "-" ? "standard output" : arguments.out,
      report::Pluralise(options.trajectories, "trajectory", "trajectories"), info.title,
      fmt::join(info.state_names, ", "), report::Pluralise(options.points, "time", "times"), span,
      DescribeNoise(options, simulation), options.seed);
  arguments.out == "-" ? PrintRemark(said) : PrintLine(said);
  if (!arguments.truth.empty() && arguments.out != "-") {
    const std::string until =
        arguments.truth_until > 0 ? fmt::format(" up to {:g}", arguments.truth_until) : "";
    PrintLine(fmt::format("{}: the true solution{}", arguments.truth, until));
  }
}

void AddOptions(CLI::App* command, Arguments* a) {
  SimulationOptions& s = a->simulation;
  command->add_option("SYSTEM", s.system, fmt::format("one of {}", fmt::join(SystemNames(), ", ")))
      ->required();
  AddName(command, "-o,--output", "FILE", &a->out,
          "data file: .csv, .npz, or - for standard output")
      ->required();
  AddCount(command, "--points", &s.points, {2, 100'000'000}, "times per trajectory (default: 50)");
  AddNumber(command, "--span", &s.span, kPositiveNumber,
            "last time; the first is 0 (default: depends on the system)");
  AddSwitch(command, "--irregular", &s.irregular, "random times instead of equally spaced ones");
  AddWord(
      command, "--noise", "V,...",
      [a](const Place& place, const std::string& word) {
        a->simulation.noise_variance = ParseNumbers(place, word, {.least = 0});
      },
      "noise variance: one, or one per state (default: 0)");
  AddNumber(command, "--noise-share", &s.noise_share, {.least = 0},
            "noise relative to the spread of each state, such as 0.08, instead of --noise");
  AddNumber(command, "--counts", &s.counts, kPositiveNumber,
            "Poisson counts in place of noise: their mean is this number times the state");
  AddNumber(command, "--dispersion", &s.dispersion, kPositiveNumber,
            "negative binomial counts: variance m + dispersion m^2 for the mean m");
  AddNumber(command, "--outliers", &s.outliers, {.least = 0, .most = 1},
            "share of values that are off by ten times the state's spread (default: 0)");
  AddCount(command, "--trajectories", &s.trajectories, {1, 10'000'000},
           "number of trajectories, with starts around the first one's (default: 1)");
  AddNumber(command, "--start-spread", &s.start_spread, {.least = 0},
            "spread of the starts relative to the spread of each state (default: 0.5)");
  AddWord(
      command, "--from", "S=X,...", [a](const Place&, const std::string& word) { a->from = word; },
      "start, as in x1=-1.5,x2=2.5 (default: depends on the system)");
  AddNumber(command, "--missing", &s.missing, {.least = 0, .most = 0.999},
            "share of values that are missing (default: 0)");
  AddName(command, "--truth", "FILE", &a->truth,
          "file of the true solution, without noise and gaps (default: NAME.truth.csv)");
  AddNumber(command, "--truth-until", &a->truth_until, kPositiveNumber,
            "last time of the true solution, for scoring forecasts");
  AddSeed(command, &a->common, "noise, times, starts and gaps");
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
}

}  // namespace

void AddSimulate(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("simulate", "Simulate noisy data of a known system");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode simulate vdp --noise 0.05 -o vdp.csv --truth-until 14",
                        "gpode simulate lotka-volterra --trajectories 5 --irregular --missing 0.2 "
                        "--noise-share 0.08 -o lv.csv",
                        "gpode simulate lorenz63 --points 500 --span 10 -o -"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
