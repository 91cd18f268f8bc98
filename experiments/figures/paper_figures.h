// The paper's figures (Hegde et al. 2022, section 4), and those of calibration, from the results of
// `gpode reproduce`.
//
//   vector-fields-TASK.svg  van der Pol and FitzHugh-Nagumo: the true vector field and every
//                           method's, with standard deviation, data, and forecast of the test times
//   efficiency.svg          the bound against wall-clock time and steps
//   sequence-length.svg     MNLL and MSE against the length of the series, for every noise variance
//   calibration-horizon.svg coverage of bands by horizon, for every group of calibration tasks
//   calibration-ranks-N.svg ranks of truths drawn from the prior; N counts the methods
//   mocap-TASK.svg          a test sequence in principal components, and six channels over time
//
// Figures are 180 mm wide, the width of two columns of text. They use only the vector field and the
// forecasts of a Posterior, so that every kind of model can be drawn. If a method has several runs,
// figures of vector fields and trajectories show the first one.
//
// A file that cannot be read leads to an InputError of one line that begins with the file's path.
//
// Thread safety: any thread may call these functions; they share no state that changes. Forecasts
// start threads of their own and give the same bits for any number of them.
//
//   for (const auto& path : WritePaperFigures("reproduce", "data", "reproduce/figures")) ...
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/figures/paper_runs.h"
#include "gpode/forecast.h"
#include "report/draw/canvas.h"
#include "report/draw/figure.h"

namespace gpode::experiments {

// Writes every figure that has results, and returns the paths of the files. `results` is the folder
// of `gpode reproduce --out`. `data` is the folder of motion capture (experiments/mocap.h), without
// which its figures are left out. The folder `out` is created if necessary.
std::vector<std::filesystem::path> WritePaperFigures(const std::filesystem::path& results,
                                                     const std::filesystem::path& data,
                                                     const std::filesystem::path& out);

// A figure and the name of its file.
struct PaperFigure {
  std::string name;
  std::unique_ptr<report::Canvas> canvas;
};
using PaperFigures = std::vector<PaperFigure>;

// Each of these functions returns its figures, or none if there are no results.
PaperFigures DrawVectorFields(const std::filesystem::path& results);
PaperFigures DrawEfficiency(const std::filesystem::path& results);
PaperFigures DrawSequenceLength(const std::filesystem::path& results);
PaperFigures DrawCalibration(const std::filesystem::path& results);
PaperFigures DrawMocap(const std::filesystem::path& results, const std::filesystem::path& data);

// Returns a legend key: a line of the given width whose parts have the colours of the runs'
// methods.
report::Key ColoursKey(const std::vector<PaperRun>& runs, double width, double opacity);

// Writes at the bottom of a panel how many draws are lost, if any: they diverged or ran out of
// steps. The mean ends where the first of these draws ends.
void NoteDiverged(const Forecast& forecast, const report::Panel& panel, report::Canvas* canvas);

// Returns a canvas 180 mm wide.
std::unique_ptr<report::Canvas> PaperCanvas(double height_mm);

}  // namespace gpode::experiments
