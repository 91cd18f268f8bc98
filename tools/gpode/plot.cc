// Implements `gpode plot`, which draws figures of a model for papers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "arguments.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "output.h"
#include "plot_input.h"
#include "plot_insight.h"
#include "report/model_view.h"
#include "result_json.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

using report::Canvas;
using report::PlotInput;

constexpr double kPointsPerCm = 72 / 2.54;

LostDraws DrawCalibration(const PlotArguments& a, const PlotInput& input, Canvas* canvas) {
  const PitValues values = report::CalibrationValues(input);
  if (values.with_noise.empty() && values.missed > 0) {
    throw ForecastFailed(fmt::format("plot: none of {} could be forecast: too many draws are lost",
                                     report::Pluralise(values.missed, "value", "values")));
  }
  if (values.with_noise.empty()) {
    internal::ThrowAt(a.test.value_or(a.model),
                      "holds no observation to compare with, must hold some");
  }
  report::PlotCalibration(values, !input.model().widening.IsZero(), canvas);
  return {};
}

LostDraws DrawForecast(const PlotArguments&, const PlotInput& input, Canvas* canvas) {
  return report::PlotForecast(input, canvas);
}

template <void (*plot)(const PlotInput&, Canvas*)>
LostDraws Draw(const PlotArguments&, const PlotInput& input, Canvas* canvas) {
  plot(input, canvas);
  return {};
}

struct Kind {
  const char* name;
  void (*set_options)(const PlotArguments&, PlotInput*);
  double (*height)(const PlotInput&);
  LostDraws (*draw)(const PlotArguments&, const PlotInput&, Canvas*);
};
constexpr Kind kKinds[] = {
    {"forecast", SetForecast, report::ForecastHeight, DrawForecast},
    {"phase", SetPlane, report::PhaseHeight, Draw<report::PlotPhase>},
    {"field", SetPlane, report::PhaseHeight, Draw<report::PlotField>},
    {"training", SetTraining, report::TrainingHeight, Draw<report::PlotTraining>},
    {"calibration", SetCalibration, report::CalibrationHeight, DrawCalibration},
    {"dynamics", SetDynamics, DynamicsHeight, DrawDynamics},
    {"basins", SetDynamics, DynamicsHeight, DrawBasins},
    {"bifurcation", SetBifurcation, WideHeight, DrawBifurcation},
    {"difference", SetDifference, WideHeight, DrawDifference},
    {"design", SetDesign, WideHeight, DrawDesign}};

const Kind& KindOf(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind;
  }
  ThrowInput("plot", "--kind", "is missing; see gpode plot --help");
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

// Draws the picture and returns the draws that its forecast has lost. If the canvas is too small,
// throws an InputError that names --width or --height.
LostDraws DrawPicture(const Kind& kind, const PlotArguments& a, const PlotInput& input,
                      Canvas* canvas) {
  try {
    return kind.draw(a, input, canvas);
  } catch (const report::CanvasTooSmall& error) {
    ThrowInput("plot", error.across ? "--width" : "--height",
               "leaves no room beside the labels, must be larger, or --font-size smaller");
  }
}

void Run(const PlotArguments& a) {
  const Kind& kind = KindOf(a.kind);
  const std::optional<report::Format> format = report::FormatOf(a.out);
  if (!format) Refuse({"plot", "--output"}, a.out, "a name that ends in .svg, .png or .pdf");
  std::vector<std::string> inputs = InputsOf(a.model);
  if (a.test) inputs.push_back(*a.test);
  if (!a.inputs.from.empty()) inputs.push_back(a.inputs.from);
  if (a.other) inputs.push_back(*a.other);
  CheckOutput(a.out, inputs);
  PlotInput input = LoadPlotInput(a);
  kind.set_options(a, &input);
  const double height = a.height > 0 ? a.height : kind.height(input);
  Canvas canvas(*format, {kPointsPerCm * a.width, kPointsPerCm * height, a.font_size});
  const LostDraws lost = DrawPicture(kind, a, input, &canvas);
  canvas.Save(a.out);
  if (a.common.json) {
    nlohmann::ordered_json about = {{"file", a.out},
                                    {"model", a.model},
                                    {"kind", a.kind},
                                    {"width_cm", a.width},
                                    {"height_cm", height}};
    AddLost(lost, &about);
    PrintJson(about.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return CheckLostDraws("plot", lost);
  }
  if (a.common.quiet) return CheckLostDraws("plot", lost);
  const bool has_bands = a.kind == "forecast" || a.kind == "calibration";
  PrintLine(fmt::format("{}: {} of {}{}, {:.3g} cm by {:.3g} cm", a.out, a.kind, a.model,
                        has_bands && !input.model().widening.IsZero()
                            ? ", bands" + report::WideningNote(input.model()).substr(1)
                            : "",
                        a.width, height));
  CheckLostDraws("plot", lost);
}

void AddWords(CLI::App* command, PlotArguments* a) {
  AddList(command, "--channels", "A,B,...", &a->channels,
          "forecast: channels to show (default: the first four)");
  AddTime(command, "--after", &a->after, "use only test points after this time or date");
  AddTime(
      command, "--until", &a->until,
      "forecast: end of the forecast, a time or date (default: after half the span of the data)");
  AddText(command, "--trajectory", "NAME", &a->trajectory,
          "use only this trajectory, by its name or its number from 1 (default: all; forecast: "
          "the first)");
  AddList(command, "--states", "A,B", &a->states,
          "phase, field: states to show (default: the first two)");
  AddText(command, "--at", "S=X,...", &a->at,
          "phase, field: values of the other states, inputs and time (default: the middle of the "
          "data); dynamics, basins, bifurcation: values of inputs");
  AddText(command, "--window", "S=A:B,...", &a->window,
          "phase, field, dynamics, basins, difference: ranges of the axes (default: those of the "
          "data)");
  AddText(command, "--sweep", "U=A:B:COUNT", &a->sweep,
          "bifurcation: values of an input over which the dynamics are drawn");
  AddText(command, "--other", "MODEL", &a->other,
          "difference: model file whose field is subtracted");
}

void AddOptions(CLI::App* command, PlotArguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  command->add_option("TEST", a->test, "forecast, calibration: test data");
  AddChoice(command, "--kind", &a->kind, KindNames(), "kind of plot")->required();
  command->add_option("-o,--output", a->out, "file of the plot: .svg, .png or .pdf")
      ->required()
      ->type_name("FILE");
  AddWords(command, a);
  AddChoice(command, "--over", &a->over, {"steps", "seconds"},
            "training: horizontal axis (default: steps)");
  AddWord(
      command, "--start", "latest|initial",
      [a](const Place& place, const std::string& word) {
        if (word != "latest" && word != "initial") Refuse(place, word, "one of latest, initial");
        a->start = word;
      },
      "start of forecasts: the latest learnt state or the initial one (default: latest; "
      "calibration: initial)");
  command->add_flag("--noise", a->noise,
                    "forecast: bands of observations, which include the noise");
  AddRaw(command, &a->raw);
  AddInputOptions(command, &a->inputs);
  AddCount(command, "--draws", &a->draws, {1, 100'000}, "draws of the vector field (default: 128)");
  AddCount(command, "--shown", &a->shown, {0, 1000}, "forecast: draws to show (default: 0)");
  AddCount(command, "--arrows", &a->arrows, {2, 100},
           "field: arrows along each axis (default: 15)");
  AddNumber(command, "--width", &a->width, {.least = 3, .most = 60}, "width in cm (default: 8.5)");
  AddNumber(command, "--height", &a->height, {.least = 3, .most = 60},
            "height in cm (default: depends on the kind)");
  AddNumber(command, "--font-size", &a->font_size, {.least = 3, .most = 40},
            "font size in points (default: 7.5)");
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
  AddReadOptions(command, &a->read, {"--channels", "--inputs", "--after", "--until"});
}

}  // namespace

void AddPlot(CLI::App& app) {
  auto arguments = std::make_shared<PlotArguments>();
  CLI::App* command = app.add_subcommand("plot", "Draw figures of a model for a paper");
  AddOptions(command, arguments.get());
  AddExamples(command,
              {"gpode plot vdp.gpode vdp.truth.csv --kind forecast -o forecast.pdf",
               "gpode plot vdp.gpode --kind phase --states x1,x2 -o phase.svg",
               "gpode plot vdp.gpode --kind training --width 12 -o training.png",
               "gpode plot vdp.gpode --kind basins -o basins.pdf",
               "gpode plot room.gpode --kind bifurcation --sweep heat=0:1:21 -o sweep.pdf"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
