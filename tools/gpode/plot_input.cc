#include "plot_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arguments.h"
#include "future_inputs.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "report/model_view.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

using report::PlaneOptions;
using report::PlotInput;

Dataset ReadTest(const PlotArguments& a, const TrainedModel& trained) {
  if (!a.test) return {};
  Dataset all = ReadTestData({*a.test}, TestOptions(trained, a.read), a.common.quiet);
  LeaveOutTrainingRows(trained, *a.test, a.common.quiet, &all);
  std::optional<double> after;
  if (a.after) after = ParseTime({"plot", "--after"}, *a.after, trained.data.calendar);
  if (!KeepRowsAfter(after, &all)) {
    internal::ThrowAt(*a.test, "holds no row after --after, must hold some");
  }
  return all;
}

// Gives the model the inputs of the test data and of --inputs-from.
void ExtendInputs(const PlotArguments& a, const Dataset& test, TrainedModel* trained) {
  const FutureInputs inputs("plot", a.inputs, *trained);
  std::vector<InputSamples> own(trained->model.start_times.size());
  for (std::size_t n = 0; n < test.trajectories.size(); ++n) {
    if (test.trajectories[n].inputs.empty() || test.trajectories[n].times.empty()) continue;
    const std::size_t k = a.trajectory
                              ? FindTrajectory({"plot", "--trajectory"}, *a.trajectory, *trained)
                              : MatchTrajectory(test, n, *trained, *a.test);
    own[k] = test.trajectories[n].inputs;
  }
  inputs.Extend(own, &trained->model);
  if (!a.until) return;
  const std::size_t shown =
      a.trajectory ? FindTrajectory({"plot", "--trajectory"}, *a.trajectory, *trained) : 0;
  inputs.CheckReach(trained->model, shown,
                    ParseTime({"plot", "--until"}, *a.until, trained->data.calendar));
}

void SetTrajectory(const PlotArguments& a, PlotInput* input) {
  if (!a.trajectory) return;
  input->options.trajectory =
      FindTrajectory({"plot", "--trajectory"}, *a.trajectory, input->trained);
}

// Finds, for each test trajectory, the model's trajectory that it continues.
void MatchTests(const PlotArguments& a, PlotInput* input) {
  for (std::size_t n = 0; n < input->test.trajectories.size(); ++n) {
    if (input->test.trajectories[n].times.empty()) {
      input->continued.push_back(0);  // never used: there are no test points to show
    } else {
      input->continued.push_back(input->options.trajectory
                                     ? *input->options.trajectory
                                     : MatchTrajectory(input->test, n, input->trained, *a.test));
    }
  }
}

void ChooseStates(const PlotArguments& a, const std::vector<std::string>& names,
                  PlaneOptions* plane) {
  const Place place{"plot", "--states"};
  if (names.size() < 2) {
    ThrowInput("plot", "--kind",
               fmt::format("is {}, which needs a model of at least two states", a.kind));
  }
  if (a.states.empty()) return;
  const std::string word = fmt::format("{}", fmt::join(a.states, ","));
  if (a.states.size() != 2 || a.states[0] == a.states[1]) {
    Refuse(place, word, "two different states");
  }
  plane->first = static_cast<Eigen::Index>(FindState(place, word, a.states[0], names));
  plane->second = static_cast<Eigen::Index>(FindState(place, word, a.states[1], names));
}

void HoldStates(const PlotArguments& a, const Model& model, const std::vector<std::string>& names,
                HeldInputs* inputs, PlaneOptions* plane) {
  if (!a.at) return;
  const Place place{"plot", "--at"};
  Vector held = model.coordinates.state_offset;
  for (const auto& [name, value] : ParseAssignments(place, *a.at)) {
    const bool is_state = std::ranges::find(names, name) != names.end();
    if (!is_state && inputs->Set(name, ParseNumber(place, value))) continue;
    held[static_cast<Eigen::Index>(FindState(place, *a.at, name, names))] =
        ParseNumber(place, value);
  }
  plane->held = held;
}

void HoldOthers(const PlotArguments& a, const Posterior& posterior,
                const std::vector<std::string>& names, PlaneOptions* plane) {
  HeldInputs inputs(posterior);
  HoldStates(a, posterior.model(), names, &inputs, plane);
  if (inputs.names().empty()) return;
  plane->inputs = inputs.Inputs(inputs.values().transpose());
  for (std::size_t i = 0; i < inputs.names().size(); ++i) {
    plane->input_texts.push_back(fmt::format("{} = {:.3g}", inputs.names()[i],
                                             inputs.values()[static_cast<Eigen::Index>(i)]));
  }
}

void SetWindow(const PlotArguments& a, const std::vector<std::string>& names, PlaneOptions* plane) {
  if (!a.window) return;
  const Place place{"plot", "--window"};
  const std::string &x = names[static_cast<std::size_t>(plane->first)],
                    &y = names[static_cast<std::size_t>(plane->second)];
  const auto refuse = [&] {
    Refuse(place, *a.window, fmt::format("{}=FROM:TO,{}=FROM:TO with FROM below TO", x, y));
  };
  for (const auto& [name, range] : ParseAssignments(place, *a.window)) {
    const std::size_t colon = range.find(':');
    if ((name != x && name != y) || colon == std::string::npos) refuse();
    const PlaneOptions::Range found{ParseNumber(place, range.substr(0, colon)),
                                    ParseNumber(place, range.substr(colon + 1))};
    if (!(found.from < found.to)) refuse();
    (name == x ? plane->x_range : plane->y_range) = found;
  }
}

}  // namespace

PlotInput LoadPlotInput(const PlotArguments& a) {
  TrainedModel trained = LoadForBands(a.model, a.raw);
  Dataset test = ReadTest(a, trained);
  ExtendInputs(a, test, &trained);
  Posterior posterior(trained.model);
  std::optional<double> until;
  if (a.until) until = ParseTime({"plot", "--until"}, *a.until, trained.data.calendar);
  PlotInput input{.options = {.draws = a.draws,
                              .seed = a.common.seed,
                              .threads = a.common.threads,
                              .width_cm = a.width,
                              .until = until,
                              .shown_draws = a.shown,
                              .noise = a.noise,
                              .arrows = a.arrows},
                  .trained = std::move(trained),
                  .posterior = std::move(posterior)};
  input.test = std::move(test);
  if (a.start) input.options.start = ParseOrigin(*a.start);
  return input;
}

void SetForecast(const PlotArguments& a, PlotInput* input) {
  const std::vector<std::string>& known = input->model().channels;
  for (const std::string& name : a.channels) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      Refuse({"plot", "--channels"}, name, fmt::format("one of {}", fmt::join(known, ", ")));
    }
    input->options.channels.push_back(found - known.begin());
  }
  SetTrajectory(a, input);
  MatchTests(a, input);
  const double start = input->model().start_times[input->options.trajectory.value_or(0)];
  const std::optional<double>& until = input->options.until;
  const Calendar& calendar = input->trained.data.calendar;
  if (until && !(*until > start)) {
    ThrowInput("plot", "--until",
               fmt::format("is {}, must be after {}, where the trajectory begins",
                           ShowTime(*until, calendar), ShowTime(start, calendar)));
  }
}

void SetPlane(const PlotArguments& a, PlotInput* input) {
  const std::vector<std::string> names = report::StateNames(input->model());
  PlaneOptions* const plane = &input->options.plane;
  ChooseStates(a, names, plane);
  HoldOthers(a, input->posterior, names, plane);
  SetTrajectory(a, input);
  SetWindow(a, names, plane);
}

void SetTraining(const PlotArguments& a, PlotInput* input) {
  if (input->trained.history.empty()) {
    internal::ThrowAt(a.model, input->model().IsSampled()
                                   ? "has a sampled posterior, which has no training history"
                                   : "has no training history");
  }
  if (a.over != "seconds") return;
  const std::optional<report::Timing> timing = ReadTiming(a.model);
  if (timing) input->options.seconds = report::SecondsAt(*timing, input->trained.history);
  if (input->options.seconds.empty()) {
    ThrowInput("plot", "--over",
               fmt::format("is seconds, must be steps: {} does not say how long training took",
                           SidecarPath(a.model)));
  }
}

void SetCalibration(const PlotArguments& a, PlotInput* input) {
  SetTrajectory(a, input);
  MatchTests(a, input);
}

}  // namespace gpode::tool
