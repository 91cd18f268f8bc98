// Plots of a trained model, one function for each kind.
//
// A plot depends only on its PlotInput. The command line turns its arguments into one
// (tools/gpode/plot_input.h) and reports errors in them.
//
// Thread safety: any thread may call these functions with its own canvas. Functions that make
// forecasts start their own threads.
//
//   Canvas canvas(...);
//   PlotForecast(input, &canvas);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpode/pit.h"
#include "gpode/posterior.h"
#include "gpode/training.h"
#include "report/draw/canvas.h"
#include "report/draw/figure.h"

namespace gpode::report {

// The plane of two states that phase and field plots show.
struct PlaneOptions {
  struct Range {
    double from = 0, to = 1;
  };

  Eigen::Index first = 0, second = 1;  // the two states
  // (D): the values at which the other states are held; by default the middle of the data.
  std::optional<Vector> held = {};
  std::optional<Range> x_range = {}, y_range = {};  // the axes; by default the data's ranges
};

struct PlotOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;           // 0: as many as the machine has
  std::optional<Origin> start = {};  // where forecasts start; the default depends on the plot
  // The only trajectory to show; by default all or, in a forecast plot, the first.
  std::optional<std::size_t> trajectory = {};
  double width_cm = 8.5;

  // Options of forecast plots.
  std::vector<Eigen::Index> channels = {};  // by default the first few
  // The end of the forecast; by default the end of the test data or, without test data, half of the
  // trajectory's length after the end of the trajectory.
  std::optional<double> until = {};
  std::size_t shown_draws = 0;
  bool noise = false;  // if true, bands include the observation noise

  // Options of phase and field plots.
  PlaneOptions plane = {};
  std::size_t arrows = 15;  // number of arrows along each axis

  // An option of training plots: the seconds at each step of the history, to plot over time instead
  // of steps.
  std::vector<double> seconds = {};
};

struct PlotInput {
  PlotOptions options;
  TrainedModel trained;
  Posterior posterior;
  Dataset test = {};  // no trajectories if there is no test data
  // For each test trajectory, the index of the model's trajectory that it continues.
  std::vector<std::size_t> continued = {};

  const Model& model() const { return trained.model; }
  // Returns the options of forecasts, which start at options.start or else at `otherwise`.
  ForecastOptions Forecasts(Origin otherwise) const;
};

// Returns the training trajectories to show: options.trajectory or all of them.
std::vector<std::size_t> ChosenTrajectories(const PlotInput& input);
// Returns the observations of a training trajectory, or null if the model file has no data.
const Trajectory* ObservationsOf(const PlotInput& input, std::size_t trajectory);

// Each of these functions returns the default height of a plot in cm.
double ForecastHeight(const PlotInput& input);
double PhaseHeight(const PlotInput& input);
double TrainingHeight(const PlotInput& input);
double CalibrationHeight(const PlotInput& input);

// Returns the draws that the forecast has lost.
LostDraws PlotForecast(const PlotInput& input, Canvas* canvas);
void PlotPhase(const PlotInput& input, Canvas* canvas);
void PlotField(const PlotInput& input, Canvas* canvas);
void PlotTraining(const PlotInput& input, Canvas* canvas);  // the history must not be empty

// Returns the PIT values of the test data or, if there are none, of the training data.
PitValues CalibrationValues(const PlotInput& input);
// Draws the PIT values, at least one. `widened` is true if the model's bands are widened
// (gpode/widening.h), which the legend then says.
void PlotCalibration(const PitValues& values, bool widened, Canvas* canvas);

}  // namespace gpode::report
