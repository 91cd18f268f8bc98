// Runs of `gpode reproduce` as the paper's figures want them, and how methods look in all figures.
//
// Thread safety: plain values and functions.
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
  double mnll = NAN, mse = NAN;  // not finite where the run failed
  // The course of training, where it was kept: all of one length.
  std::vector<double> seconds = {}, steps = {}, bounds = {};
  std::filesystem::path file = {};  // of the model; empty: there is none
};

// All runs of a task (experiments/run_file.h), ordered by method and seed; none if there is no such
// folder.
std::vector<PaperRun> RunsOfTask(const std::filesystem::path& results, const std::string& task);

// The methods of these runs, each once, in the order of the tables.
std::vector<std::string> MethodsOf(const std::vector<PaperRun>& runs);

// Of every method the first run that has a model.
std::vector<PaperRun> FirstModels(const std::vector<PaperRun>& runs);

// The same in all figures. Colours are those of families, dashes tell their members apart, except
// that GPODE with and without shooting have a colour each.
struct MethodStyle {
  std::string title;
  report::Stroke stroke;
  report::MarkShape shape;
};
MethodStyle StyleOf(const std::string& model);

}  // namespace gpode::experiments
