#include "plot_insight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.h"
#include "gpode/analysis.h"
#include "gpode/compare.h"
#include "gpode/design.h"
#include "gpode/error.h"
#include "gpode/held_inputs.h"
#include "gpode/simulate.h"
#include "model_input.h"
#include "region.h"
#include "report/model_view.h"
#include "report/plot/compare_plot.h"
#include "report/plot/design_plot.h"
#include "report/plot/dynamics_plot.h"

namespace gpode::tool {
namespace {

using report::PlotInput;

constexpr std::size_t kSweepDraws = 32, kBatch = 3, kCandidates = 40, kTargets = 20;

// The inputs of a sweep: the values of one input, and all inputs at each of them.
struct SweepValues {
  std::string name;
  std::vector<double> values;
  Matrix inputs = {};  // (n, U)
};

HeldInputs Held(const PlotArguments& a, const Posterior& posterior) {
  HeldInputs held(posterior);
  if (!a.at) return held;
  const Place place{"plot", "--at"};
  for (const auto& [name, value] : ParseAssignments(place, *a.at)) {
    if (held.Set(name, ParseNumber({"plot", "--at " + name}, value, kSaneNumber))) continue;
    if (held.names().empty()) {
      ThrowInput("plot", "--at", "needs a model with inputs, which this one has not");
    }
    Refuse(place, *a.at, fmt::format("values of inputs: {}", fmt::join(held.names(), ", ")));
  }
  return held;
}

AnalysisOptions OptionsOf(const PlotArguments& a, const PlotInput& input) {
  AnalysisOptions options{
      .draws = a.draws, .seed = a.common.seed, .threads = a.common.threads, .basin_cells = 0};
  options.exponent_draws = 0;
  if (a.window) {
    options.box = ParseRegion({"plot", "--window"}, *a.window, input.posterior, input.trained.data);
  }
  const HeldInputs held = Held(a, input.posterior);
  if (!held.names().empty()) {
    options.inputs = held.Inputs(held.values().transpose()).row(0).transpose();
  }
  return options;
}

SweepValues ParseSweep(const PlotArguments& a, const PlotInput& input) {
  const Place place{"plot", "--sweep"};
  if (!a.sweep) ThrowInput("plot", "--sweep", "is missing, must be an input, as u=FROM:TO:COUNT");
  HeldInputs held = Held(a, input.posterior);
  const std::vector<Assignment> words = ParseAssignments(place, *a.sweep);
  if (words.size() != 1) Refuse(place, *a.sweep, "one input, as u=FROM:TO:COUNT");
  const auto& [name, range] = words.front();
  if (!held.Set(name, 0)) {
    if (held.names().empty()) {
      ThrowInput("plot", "--sweep", "needs a model with inputs, which this one has not");
    }
    Refuse(place, *a.sweep, fmt::format("values of inputs: {}", fmt::join(held.names(), ", ")));
  }
  const Range values = ParseRange(place, range);
  SweepValues sweep{.name = name, .values = RegularTimes(values.from, values.to, values.count)};
  Matrix rows(static_cast<Eigen::Index>(values.count), held.values().size());
  for (std::size_t i = 0; i < values.count; ++i) {
    held.Set(name, sweep.values[i]);
    rows.row(static_cast<Eigen::Index>(i)) = held.values().transpose();
  }
  sweep.inputs = held.Inputs(rows);
  return sweep;
}

LostDraws DrawAnalysis(const PlotArguments& a, const PlotInput& input, std::size_t basin_cells,
                       report::Canvas* canvas) {
  AnalysisOptions options = OptionsOf(a, input);
  options.basin_cells = basin_cells;
  const Analysis analysis = AnalysePosterior(input.posterior, input.trained.data, options);
  report::PlotDynamics(
      {analysis, input.posterior, ObservedStates(input.posterior, input.trained.data)}, canvas);
  return {};
}

}  // namespace

void SetDynamics(const PlotArguments& a, PlotInput* input) {
  if (input->posterior.dim() < 2) {
    ThrowInput("plot", "--kind",
               fmt::format("is {}, which needs a model of at least two states", a.kind));
  }
  OptionsOf(a, *input);
}

void SetBifurcation(const PlotArguments& a, PlotInput* input) { ParseSweep(a, *input); }

void SetDifference(const PlotArguments& a, PlotInput* input) {
  if (!a.other) ThrowInput("plot", "--other", "is missing, must be a model file to compare with");
  if (input->posterior.dim() > 2) {
    ThrowInput("plot", "--kind", "is difference, which needs models of one or two states");
  }
}

void SetDesign(const PlotArguments& a, PlotInput* input) {
  if (!input->model().inputs.empty()) {
    ThrowInput("plot", "--kind", "is design, which needs a model without measured inputs");
  }
  if (!a.trajectory) return;
  input->options.trajectory =
      FindTrajectory({"plot", "--trajectory"}, *a.trajectory, input->trained);
}

double DynamicsHeight(const PlotInput& input) { return 0.9 * input.options.width_cm; }
double WideHeight(const PlotInput& input) { return 0.6 * input.options.width_cm; }

LostDraws DrawDynamics(const PlotArguments& a, const PlotInput& input, report::Canvas* canvas) {
  return DrawAnalysis(a, input, 0, canvas);
}

LostDraws DrawBasins(const PlotArguments& a, const PlotInput& input, report::Canvas* canvas) {
  if (input.posterior.dim() != 2) {
    ThrowInput("plot", "--kind", "is basins, which needs a model of two states");
  }
  return DrawAnalysis(a, input, AnalysisOptions{}.basin_cells, canvas);
}

LostDraws DrawBifurcation(const PlotArguments& a, const PlotInput& input, report::Canvas* canvas) {
  const SweepValues values = ParseSweep(a, input);
  AnalysisOptions options = OptionsOf(a, input);
  options.draws = std::min(options.draws, kSweepDraws);
  const std::vector<Analysis> sweep =
      SweepInputs(input.posterior, input.trained.data, values.inputs, options);
  report::PlotSweep(values.name, values.values, sweep, canvas);
  return {};
}

LostDraws DrawDifference(const PlotArguments& a, const PlotInput& input, report::Canvas* canvas) {
  const TrainedModel other = LoadTrainedModel(*a.other);
  CompareOptions options;
  options.seed = a.common.seed;
  options.threads = a.common.threads;
  options.draws = std::max<std::size_t>(2, a.draws);
  if (a.window) {
    options.box = ParseRegion({"plot", "--window"}, *a.window, input.posterior, input.trained.data);
  }
  report::PlotDifference(CompareFields(input.posterior, input.trained.data, Posterior(other.model),
                                       other.data, options),
                         canvas);
  return {};
}

LostDraws DrawDesign(const PlotArguments& a, const PlotInput& input, report::Canvas* canvas) {
  const std::size_t n = input.options.trajectory.value_or(0);
  const double start = input.model().start_times[n], end = input.model().end_times[n];
  const double until = input.options.until.value_or(end + 0.5 * (end > start ? end - start : 1));
  if (!(until > end)) {
    ThrowInput("plot", "--until",
               fmt::format("is {}, must be after {}, where the data end",
                           ShowTime(until, input.trained.data.calendar),
                           ShowTime(end, input.trained.data.calendar)));
  }
  const Design design = DesignMeasurements(input.posterior, input.trained.data,
                                           {.times = RegularTimes(end, until, kCandidates),
                                            .targets = RegularTimes(end, until, kTargets),
                                            .trajectory = n,
                                            .batch = kBatch,
                                            .draws = std::max(a.draws, DesignOptions{}.draws),
                                            .seed = a.common.seed,
                                            .threads = a.common.threads});
  report::PlotDesign(design, ObservedStates(input.posterior, input.trained.data),
                     report::TimeOf(input.trained.data).Label(), canvas);
  return {};
}

}  // namespace gpode::tool
