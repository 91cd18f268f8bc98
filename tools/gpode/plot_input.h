// The arguments of `gpode plot`, and their translation into the options of plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "future_inputs.h"
#include "report/plot/plot.h"

namespace gpode::tool {

struct PlotArguments {
  std::string model, out, kind;
  std::optional<std::string> test, trajectory, at, window, start, sweep, other;
  std::vector<std::string> channels, states;
  std::optional<std::string> until, after;
  std::string over = "steps";  // the horizontal axis of a training plot: steps or seconds
  std::size_t draws = 128, shown = 0, arrows = 15;
  bool noise = false, raw = false;
  double width = 8.5, height = 0;  // in cm; 0 stands for the default height of the kind of plot
  double font_size = 7.5;
  InputArguments inputs;
  ReadChanges read;
  CommonOptions common;
};

// Reads the model and the test data, and sets the options that all kinds of plot share.
report::PlotInput LoadPlotInput(const PlotArguments& arguments);

// Each sets the options of one kind of plot; throws an InputError that names the option.
void SetForecast(const PlotArguments& arguments, report::PlotInput* input);
void SetPlane(const PlotArguments& arguments, report::PlotInput* input);
void SetTraining(const PlotArguments& arguments, report::PlotInput* input);
void SetCalibration(const PlotArguments& arguments, report::PlotInput* input);

}  // namespace gpode::tool
