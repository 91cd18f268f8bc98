// Implements `gpode analyse`, which finds fixed points, oscillations, basins and Lyapunov exponents
// of a model. The work is done in src/analyse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "draw_progress.h"
#include "future_inputs.h"
#include "gpode/analysis.h"
#include "gpode/error.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "picture.h"
#include "region.h"
#include "report/insight_json.h"
#include "report/model_view.h"
#include "report/plot/dynamics_plot.h"
#include "report/state_text.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

struct Arguments {
  std::string model, out;
  PictureArguments picture;
  std::optional<std::string> region, at, sweep;
  std::size_t draws = 0;  // 0: 128, or 32 in a sweep
  double level = 0.9;
  bool no_basins = false;
  CommonOptions common;
};

// Returns the median with its band, "6.66 (6.51 to 6.79)".
std::string Show(const QuantityBand& band) {
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", band.median, band.lower, band.upper);
}

std::string DescribeType(const PointSummary& point) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < point.types.size(); ++t) {
    if (point.types[t] < 0.005) continue;
    parts.push_back(fmt::format("{} {:.2f}", Name(static_cast<FixedPointType>(t)), point.types[t]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void PrintPoints(const Analysis& a) {
  if (a.points.empty()) {
    Print("fixed points: none in the region has a probability of 0.05 or more\n");
    return;
  }
  Print("fixed points (probability; place with {:g} % bands)\n", 100 * a.level);
  for (std::size_t g = 0; g < a.points.size(); ++g) {
    const PointSummary& point = a.points[g];
    std::vector<std::string> places;
    for (std::size_t d = 0; d < a.states.size(); ++d) {
      places.push_back(fmt::format("{} = {}", a.states[d], Show(point.place[d])));
    }
    Print("  {}  {:.2f}  {}\n", g + 1, point.probability, fmt::join(places, ", "));
    Print("           {}; stable {:.2f}; leading eigenvalue {}", DescribeType(point), point.stable,
          Show(point.real[0]));
    if (point.imaginary[0].median != 0) Print(" +- {:.4g}i", point.imaginary[0].median);
    Print("{}\n", point.outside_data ? "; OUTSIDE THE DATA" : "");
  }
  if (a.checked < 0.995 && a.states.size() < 4) {
    Print("  the search could not be checked completely in {:.0f} % of the draws\n",
          100 * (1 - a.checked));
  }
}

void PrintOscillation(const Analysis& a) {
  const OscillationSummary& o = a.oscillation;
  Print("oscillates: probability {:.2f} (a limit cycle attracts: {:.2f})\n", o.probability,
        o.cycle_probability);
  if (!std::isnan(o.period.median)) {
    std::vector<std::string> amplitudes;
    for (std::size_t d = 0; d < a.states.size(); ++d) {
      amplitudes.push_back(fmt::format("{} {}", a.states[d], Show(o.amplitude[d])));
    }
    Print("  period {}; amplitude {}\n", Show(o.period), fmt::join(amplitudes, ", "));
  }
  if (!std::isnan(o.multiplier.median)) {
    Print("  largest Floquet multiplier {}\n", Show(o.multiplier));
  }
  Print(
      "ends of solutions from the last state of the data: fixed point {:.2f}, limit cycle {:.2f}, "
      "leaves {:.2f}, keeps moving {:.2f}\n",
      a.fates[0], a.fates[1], a.fates[2], a.fates[3]);
}

void PrintExponents(const Analysis& a) {
  const ExponentSummary& e = a.exponents;
  if (e.exponents.empty()) return;
  std::vector<std::string> all;
  for (const QuantityBand& band : e.exponents) all.push_back(Show(band));
  Print("Lyapunov exponents ({}): {}\n", report::Pluralise(e.draws, "draw", "draws"),
        fmt::join(all, ", "));
  if (e.time_error > 0) {
    Print("  standard error of the largest from the length of time: {:.2g}\n", e.time_error);
  }
  if (e.positive > 0) {
    Print("  chaotic: probability {:.2f}; forecasts are useful for about {}\n", e.positive,
          Show(e.horizon));
  }
}

void PrintEnergy(const Analysis& a) {
  const EnergySummary& e = a.energy;
  if (e.draws == 0) return;
  Print("energy ({}; zero at {}): {} at the start of the data, {} at the end\n",
        e.IsConserved() ? "conserved" : fmt::format("lost at the rate {}", Show(e.loss)),
        report::StateText(a.states, e.zero), Show(e.first), Show(e.last));
  Print("  drift over the data {}\n", Show(e.drift));
}

// Runs the command for one model.
class Analyst {
 public:
  explicit Analyst(const Arguments& a)
      : a_(a), trained_(LoadTrainedModel(a.model)), posterior_(trained_.model), held_(posterior_) {
    HoldInputs();
    if (a.region) {
      options_.box = ParseRegion({"analyse", "--region"}, *a.region, posterior_, trained_.data);
    }
    options_.draws = a.draws > 0 ? a.draws : a.sweep ? 32 : 128;
    options_.seed = a.common.seed;
    options_.threads = a.common.threads;
    options_.level = a.level;
    if (a.no_basins || (a.picture.file.empty() && a.out.empty() && !a.common.json)) {
      options_.basin_cells = 0;
    }
    if (held_.names().empty()) return;
    options_.inputs = held_.Inputs(held_.values().transpose()).row(0).transpose();
  }

  void Run() {
    if (!a_.picture.file.empty() && !a_.sweep && posterior_.dim() < 2) {
      ThrowInput("analyse", "--plot", "needs a model of two states or more, or --sweep");
    }
    if (a_.sweep) return RunSweep();
    const Analysis analysis = [&] {
      DrawProgress progress(a_.common.quiet, "draws analysed");
      options_.report = progress.Callback();
      return AnalysePosterior(posterior_, trained_.data, options_);
    }();
    CheckAny(analysis.draws);
    nlohmann::ordered_json json = {{"model", a_.model}, {"seed", a_.common.seed}};
    json.update(report::AnalysisJson(analysis));
    Save(json);
    if (!a_.common.json) PrintText(analysis);
    DrawPicture("analyse", a_.picture, [&](report::Canvas* canvas) {
      report::PlotDynamics({analysis, posterior_, ObservedStates(posterior_, trained_.data)},
                           canvas);
    });
    if (analysis.draws < analysis.asked) throw Interrupted();
  }

 private:
  void HoldInputs() {
    if (!a_.at) return;
    const Place place{"analyse", "--at"};
    for (const auto& [name, value] : ParseAssignments(place, *a_.at)) {
      if (held_.Set(name, ParseNumber({"analyse", "--at " + name}, value, kSaneNumber))) continue;
      RefuseInput(place, *a_.at);
    }
  }

  [[noreturn]] void RefuseInput(const Place& place, const std::string& word) const {
    if (held_.names().empty()) {
      ThrowInput(place.command, place.option, "needs a model with inputs, which this one has not");
    }
    Refuse(place, word, fmt::format("values of inputs: {}", fmt::join(held_.names(), ", ")));
  }

  // Analyses the model at each value of one input.
  void RunSweep() {
    const Place place{"analyse", "--sweep"};
    const std::vector<Assignment> words = ParseAssignments(place, *a_.sweep);
    if (words.size() != 1) Refuse(place, *a_.sweep, "one input, as u=FROM:TO:COUNT");
    const auto& [name, range] = words.front();
    if (!held_.Set(name, 0)) RefuseInput(place, *a_.sweep);
    const Range values = ParseRange(place, range);
    std::vector<double> list;
    Matrix rows(static_cast<Eigen::Index>(values.count), held_.values().size());
    for (std::size_t i = 0; i < values.count; ++i) {
      const double share =
          values.count > 1 ? static_cast<double>(i) / static_cast<double>(values.count - 1) : 0;
      list.push_back(values.from + share * (values.to - values.from));
      held_.Set(name, list.back());
      rows.row(static_cast<Eigen::Index>(i)) = held_.values().transpose();
    }
    const std::vector<Analysis> sweep = [&] {
      DrawProgress progress(a_.common.quiet, "draws analysed");
      options_.report = progress.Callback();
      return SweepInputs(posterior_, trained_.data, held_.Inputs(rows), options_);
    }();
    CheckAny(sweep.size());
    nlohmann::ordered_json json = {{"model", a_.model}, {"seed", a_.common.seed}};
    json.update(report::SweepJson(name, list, sweep));
    Save(json);
    if (!a_.common.json) PrintSweep(name, list, sweep);
    DrawPicture("analyse", a_.picture,
                [&](report::Canvas* canvas) { report::PlotSweep(name, list, sweep, canvas); });
    if (sweep.size() < list.size()) throw Interrupted();
  }

  static void CheckAny(std::size_t done) {
    if (done == 0) throw Interrupted();
  }

  void Save(const nlohmann::ordered_json& json) const {
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (a_.common.json) WriteToStandardOutput(text);
    if (!a_.out.empty()) internal::WriteFile(a_.out, std::as_bytes(std::span(text)));
  }

  void PrintText(const Analysis& a) const {
    std::vector<std::string> ranges;
    for (std::size_t d = 0; d < a.states.size(); ++d) {
      const auto k = static_cast<Eigen::Index>(d);
      ranges.push_back(
          fmt::format("{} {:.4g} to {:.4g}", a.states[d], a.box.lower[k], a.box.upper[k]));
    }
    Print("{}: {}{}, seed {}; region {}\n", a_.model, report::Pluralise(a.draws, "draw", "draws"),
          a.draws < a.asked ? fmt::format(" of {}", a.asked) : "", a_.common.seed,
          fmt::join(ranges, ", "));
    for (std::size_t i = 0; i < held_.names().size(); ++i) {
      Print("held: {} = {:.6g}\n", held_.names()[i], held_.values()[static_cast<Eigen::Index>(i)]);
    }
    PrintPoints(a);
    PrintOscillation(a);
    PrintExponents(a);
    PrintEnergy(a);
  }

  void PrintSweep(const std::string& name, const std::vector<double>& values,
                  const std::vector<Analysis>& sweep) const {
    Print("{}: {} of each value, seed {}\n", a_.model,
          report::Pluralise(options_.draws, "draw", "draws"), a_.common.seed);
    Print("  {:>10}  {:>12}  {:>12}  {:>10}  {:>10}\n", name, "fixed points", "one stable",
          "oscillates", "period");
    for (std::size_t i = 0; i < sweep.size(); ++i) {
      double count = 0, stable = 0;
      for (std::size_t k = 0; k < sweep[i].counts.size(); ++k) {
        count += static_cast<double>(k) * sweep[i].counts[k];
      }
      for (const PointSummary& point : sweep[i].points) {
        stable = std::max(stable, point.probability * point.stable);
      }
      const OscillationSummary& o = sweep[i].oscillation;
      Print("  {:>10.4g}  {:>12.2f}  {:>12.2f}  {:>10.2f}  {:>10}\n", values[i], count, stable,
            o.probability,
            std::isnan(o.period.median) ? "" : fmt::format("{:.4g}", o.period.median));
    }
  }

  const Arguments& a_;
  TrainedModel trained_;
  Posterior posterior_;
  HeldInputs held_;
  AnalysisOptions options_;
};

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddText(command, "--region", "S=A:B,...", &a->region,
          "ranges of the states to search (default: those of the data, enlarged by 1.3)");
  AddText(command, "--at", "U=X,...", &a->at,
          "values at which inputs are held (default: their means)");
  AddText(command, "--sweep", "U=A:B:COUNT", &a->sweep,
          "analyse at each of these values of an input");
  AddCount(command, "--draws", &a->draws, {1, 100'000},
           "draws of the vector field (default: 128; 32 with --sweep)");
  AddNumber(command, "--level", &a->level, {.least = 0, .most = 1, .above = true},
            "probability of the bands (default: 0.9)");
  AddSwitch(command, "--no-basins", &a->no_basins, "leave out the basins of attraction");
  AddName(command, "-o,--output", "FILE", &a->out, "file for the results as JSON");
  AddPictureOptions(command, &a->picture);
  AddJson(command, &a->common);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
}

void Run(const Arguments& a) {
  const std::vector<std::string> inputs = InputsOf(a.model);
  CheckSecondOutput(a.out, OutputKind::kJson, inputs);
  CheckPicture("analyse", a.picture, inputs);
  Analyst(a).Run();
}

}  // namespace

void AddAnalyse(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "analyse", "Find fixed points, oscillations, basins and Lyapunov exponents of a model");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode analyse vdp.gpode", "gpode analyse vdp.gpode --plot dynamics.png",
                        "gpode analyse room.gpode --at heat=1 --json",
                        "gpode analyse room.gpode --sweep heat=0:1:11 --plot sweep.svg"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
