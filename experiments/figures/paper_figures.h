// The paper's figures (Hegde et al. 2022, section 4) from the results of `gpode reproduce`.
//
//   vector-fields-TASK.svg  van der Pol and FitzHugh-Nagumo: the true field and every method's,
//   with
//                           its standard deviation, data, and the forecast over the test's times
//   efficiency.svg          the bound against wall-clock time and steps
//   sequence-length.svg     MNLL and MSE against the series' length, for every noise
//   mocap-TASK.svg          a test sequence in principal components, and six channels over time
//
// They are as wide as two columns of text, 180 mm. Nothing depends on the kind of a model: all that
// is asked of it are its Posterior's field and forecasts. Of several runs of one method, figures of
// fields and trajectories show the first.
//
// What cannot be read is an InputError of one line that begins with the file's path.
//
// Thread safety: plain functions; forecasts start their own threads, and give the same bits for any
// number of them.
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

// Draws every figure for which the results are there; returns the files. `results` is the folder of
// `gpode reproduce --out`, `data` that of the motion capture (experiments/mocap.h);
// without them their figures are left out. `out` is made if it is not there.
std::vector<std::filesystem::path> WritePaperFigures(const std::filesystem::path& results,
                                                     const std::filesystem::path& data,
                                                     const std::filesystem::path& out);

// Each returns one canvas for every figure, with the name of its file; none without results.
struct PaperFigure {
  std::string name;
  std::unique_ptr<report::Canvas> canvas;
};
using PaperFigures = std::vector<PaperFigure>;

PaperFigures DrawVectorFields(const std::filesystem::path& results);
PaperFigures DrawEfficiency(const std::filesystem::path& results);
PaperFigures DrawSequenceLength(const std::filesystem::path& results);
PaperFigures DrawMocap(const std::filesystem::path& results, const std::filesystem::path& data);

// A legend's key: a line of that width in the colours of these runs' methods, one after the other.
report::Key ColoursKey(const std::vector<PaperRun>& runs, double width, double opacity);

// Says at the bottom of a panel how many draws ran away, if any: the mean ends where the
// first of them did.
void NoteDiverged(const Forecast& forecast, const report::Panel& panel, report::Canvas* canvas);

// A canvas of 180 mm.
std::unique_ptr<report::Canvas> PaperCanvas(double height_mm);

}  // namespace gpode::experiments
