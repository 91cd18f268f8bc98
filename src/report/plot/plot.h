// Pictures of a trained model, one function per kind.
//
// Everything that a picture depends on is a value here: the command line turns its words into these
// values (tools/gpode/plot_input.h) and reports what is wrong with them.
//
// Thread safety: plain values and functions; those that forecast start their own threads.
//
//   Canvas canvas(...);
//   PlotForecast(input, &canvas);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpode/posterior.h"
#include "gpode/training.h"
#include "report/draw/canvas.h"
#include "report/draw/figure.h"
#include "report/pit.h"

namespace gpode::report {

// The plane of two states that phase and field plots show.
struct PlaneOptions {
  struct Range {
    double from = 0, to = 1;
  };

  Eigen::Index first = 0, second = 1;  // the two states
  std::optional<Vector> held = {};     // (D), the others; default: the middle of the data
  std::optional<Range> x_range = {}, y_range = {};  // of the axes; default: the data
};

struct PlotOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;                     // 0: as many as the machine has
  std::optional<Origin> start = {};            // of forecasts; each kind has a default of its own
  std::optional<std::size_t> trajectory = {};  // only this one; default: all, or the first
  double width_cm = 8.5;

  // Forecasts.
  std::vector<Eigen::Index> channels = {};  // default: the first few
  std::optional<double> until = {};         // default: half of the trajectory's span further
  std::size_t shown_draws = 0;
  bool noise = false;  // bands of observations instead of bands of the system

  // Phase and field plots.
  PlaneOptions plane = {};
  std::size_t arrows = 15;  // along each axis

  // Training: the seconds at each step of the history, to plot over time instead of steps.
  std::vector<double> seconds = {};
};

struct PlotInput {
  PlotOptions options;
  TrainedModel trained;
  Posterior posterior;
  Dataset test = {};  // no trajectories if there is no test data
  std::vector<std::size_t> continued =
      {};  // per test trajectory: which of the model's it continues

  const Model& model() const { return trained.model; }
  // Returns the options of forecasts, which start at options.start or else at `otherwise`.
  ForecastOptions Forecasts(Origin otherwise) const;
};

// Returns the training trajectories to show: options.trajectory or all of them.
std::vector<std::size_t> ChosenTrajectories(const PlotInput& input);
// Returns the observations of a training trajectory, or null if the model file has no data.
const Trajectory* ObservationsOf(const PlotInput& input, std::size_t trajectory);

// Default heights in cm.
double ForecastHeight(const PlotInput& input);
double PhaseHeight(const PlotInput& input);
double TrainingHeight(const PlotInput& input);
double CalibrationHeight(const PlotInput& input);

void PlotForecast(const PlotInput& input, Canvas* canvas);
void PlotPhase(const PlotInput& input, Canvas* canvas);
void PlotField(const PlotInput& input, Canvas* canvas);
void PlotTraining(const PlotInput& input, Canvas* canvas);  // the history must not be empty

// Returns the PIT values of the test data or, if there are none, of the training data.
PitValues CalibrationValues(const PlotInput& input);
// Draws the PIT values, at least one; `widened` says whether the bands are (gpode/widening.h).
void PlotCalibration(const PitValues& values, bool widened, Canvas* canvas);

}  // namespace gpode::report
