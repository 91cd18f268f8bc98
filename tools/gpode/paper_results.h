// What `gpode reproduce` left behind, and how its methods look in all figures.
//
// A run is RESULTS/TASK/MODEL-SEED.json, with MODEL-SEED.gpode beside it where training came to an
// end; docs/formats.md lists what is inside. A file that is no result is an InputError of one line
// that begins with its path.
//
// Thread safety: plain values and functions.
//
//   for (const PaperRun& run : ReadRuns("reproduce", "vdp-regular")) ... StyleOf(run.model).title
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "canvas.h"

namespace gpode::tool {

struct PaperRun {
  std::string model;
  std::uint64_t seed = 0;
  double mnll = NAN, mse = NAN;  // not finite where the run failed
  // The course of training, where it was kept: all of one length.
  std::vector<double> seconds = {}, steps = {}, bounds = {};
  std::filesystem::path file = {};  // of the model; empty: there is none
};

// All runs of a task, ordered by method and seed; none if there is no such folder.
std::vector<PaperRun> ReadRuns(const std::filesystem::path& results, const std::string& task);

// Tasks with results, in the order of their names.
std::vector<std::string> TasksOf(const std::filesystem::path& results);

// The methods of these runs, each once, in their order.
std::vector<std::string> MethodsOf(const std::vector<PaperRun>& runs);

// Of every method the first run that has a model.
std::vector<PaperRun> FirstModels(const std::vector<PaperRun>& runs);

// The same in all figures. Colours are those of families, dashes tell their members apart, except
// that GPODE with and without shooting have a colour each. A method that is not known is grey.
struct MethodStyle {
  std::string title;
  Stroke stroke;
  MarkShape shape;
};
MethodStyle StyleOf(const std::string& model);

}  // namespace gpode::tool
