// What the pictures of gpode plot are made from, and one function for each kind.
//
// Thread safety: plain values and functions; those that forecast start their own threads.
//
//   Canvas canvas(...);
//   PlotForecast(input, &canvas);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "canvas.h"
#include "commands.h"
#include "figure.h"
#include "gpode/training.h"
#include "model_input.h"

namespace gpode::tool {

struct PlotArguments {
  std::string model, out, kind;
  std::optional<std::string> test, trajectory, at, window, start;
  std::vector<std::string> channels, states;
  std::optional<double> until, after;
  std::string over = "steps";  // or seconds
  std::size_t draws = 128, shown = 0, arrows = 15;
  bool noise = false;
  double width = 8.5, height = 0;  // cm; 0: as the kind needs
  double font_size = 7.5;
  ReadOptions read = {.part = "test", .allow_empty_channels = true};
  Common common;
};

struct PlotInput {
  const PlotArguments& arguments;
  TrainedModel trained;
  Posterior posterior;
  Dataset test;  // without trajectories if there is none

  const Model& model() const { return trained.model; }
  // Forecasts start where --start says, or there.
  ForecastOptions Options(Origin otherwise) const;
};

PlotInput LoadPlotInput(const PlotArguments& arguments);

// The training trajectories that were asked for: --trajectory or all of them.
std::vector<std::size_t> ChosenTrajectories(const PlotInput& input);
// Observations of a training trajectory; none if the model file has no data.
const Trajectory* SeenOf(const PlotInput& input, std::size_t trajectory);
// Which of the model's trajectories a test trajectory goes on with: the one of its name, the only
// one, the one in its place, or --trajectory.
std::size_t TrainedTrajectory(const PlotInput& input, std::size_t test);

// Heights in cm when none is given.
double ForecastHeight(const PlotInput& input);
double PhaseHeight(const PlotInput& input);
double TrainingHeight(const PlotInput& input);
double CalibrationHeight(const PlotInput& input);

void PlotForecast(const PlotInput& input, Canvas* canvas);
void PlotPhase(const PlotInput& input, Canvas* canvas);
void PlotField(const PlotInput& input, Canvas* canvas);
void PlotTraining(const PlotInput& input, Canvas* canvas);
void PlotCalibration(const PlotInput& input, Canvas* canvas);

}  // namespace gpode::tool
