// Runs of `gpode reproduce` for the paper's figures, and the style of each method.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   for (const PaperRun& run : RunsOfTask("reproduce", "vdp-regular")) ... StyleOf(run.model).title
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/draw/canvas.h"

namespace gpode::experiments {

struct PaperRun {
  std::string model;
  std::uint64_t seed = 0;
  double mnll = NAN, mse = NAN;  // not finite if the run failed
  // The history of training. The three lists are equally long, and empty if it was not recorded.
  std::vector<double> seconds = {}, steps = {}, bounds = {};
  std::filesystem::path file = {};  // the model's file; empty if there is none
};

// Returns all runs of a task (experiments/run_file.h), ordered by method and seed; none if there is
// no such folder.
std::vector<PaperRun> RunsOfTask(const std::filesystem::path& results, const std::string& task);

// Returns the methods of the runs, except those given as settings, each once and in the order of
// the tables.
std::vector<std::string> MethodsOf(const std::vector<PaperRun>& runs);

// Returns, for every method, the first of its runs that has a model file.
std::vector<PaperRun> FirstModels(const std::vector<PaperRun>& runs);

// The style of a method, the same in all figures. A family of methods shares a colour and its
// members differ by dashes, except that GPODE with and without shooting have a colour each. Methods
// given as settings (experiments/methods.h) are grey.
struct MethodStyle {
  std::string title;
  report::Stroke stroke;
  report::MarkShape shape;
};
MethodStyle StyleOf(const std::string& model);

}  // namespace gpode::experiments
