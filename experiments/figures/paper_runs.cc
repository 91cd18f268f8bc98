#include "experiments/figures/paper_runs.h"

#include <algorithm>
#include <utility>

#include "experiments/methods.h"
#include "experiments/run_file.h"
#include "gpode/error.h"

namespace gpode::experiments {
namespace {

using namespace report;

struct Look {
  const char* name;
  Colour colour;
  bool dashed;
  MarkShape shape;
};
constexpr Look kLooks[] = {{"gpode", kBlue, false, MarkShape::kDot},
                           {"shooting", kVermillion, false, MarkShape::kDiamond},
                           {"gpode-hmc", kBlue, true, MarkShape::kTriangle},
                           {"npode", kGreen, false, MarkShape::kSquare},
                           {"npode-shooting", kGreen, true, MarkShape::kDiamond},
                           {"neural", kOrange, false, MarkShape::kTriangle},
                           {"neural-shooting", kOrange, true, MarkShape::kDiamond},
                           {"neural-vi", kSkyBlue, false, MarkShape::kSquare},
                           {"neural-vi-shooting", kSkyBlue, true, MarkShape::kDiamond},
                           {"neural-hmc", kPurple, false, MarkShape::kDot}};

PaperRun ToPaperRun(const std::filesystem::path& results, const RunRecord& record) {
  PaperRun run{.model = record.method,
               .seed = record.seed,
               .seconds = record.history.seconds,
               .steps = record.history.step,
               .bounds = record.history.bound};
  if (record.scores) run.mnll = record.scores->mnll, run.mse = record.scores->mse;
  std::filesystem::path beside = RunPath(results, record.task, record.method, record.seed);
  beside.replace_extension(".gpode");
  if (std::filesystem::exists(beside)) run.file = beside;
  return run;
}

}  // namespace

std::vector<PaperRun> RunsOfTask(const std::filesystem::path& results, const std::string& task) {
  std::vector<PaperRun> runs;
  for (const RunRecord& record : ReadTaskRuns(results, task)) {
    runs.push_back(ToPaperRun(results, record));
  }
  return runs;
}

std::vector<std::string> MethodsOf(const std::vector<PaperRun>& runs) {
  std::vector<std::string> methods;
  for (const MethodInfo& method : AllMethods()) {
    const auto same = [&](const PaperRun& run) { return run.model == method.name; };
    if (std::any_of(runs.begin(), runs.end(), same)) methods.push_back(method.name);
  }
  return methods;
}

std::vector<PaperRun> FirstModels(const std::vector<PaperRun>& runs) {
  std::vector<PaperRun> first;
  for (const PaperRun& run : runs) {
    const bool known = !first.empty() && first.back().model == run.model;
    if (!known && !run.file.empty()) first.push_back(run);
  }
  return first;
}

MethodStyle StyleOf(const std::string& model) {
  const auto look = std::find_if(std::begin(kLooks), std::end(kLooks),
                                 [&](const Look& l) { return model == l.name; });
  const std::optional<MethodInfo> method = FindMethod(model);
  // Methods given as settings, such as "default", all look alike.
  if (look == std::end(kLooks)) return {model, {.colour = kGrey, .width = 1}, MarkShape::kSquare};
  GPODE_CHECK(method.has_value());
  Stroke stroke{.colour = look->colour, .width = 1};
  if (look->dashed) stroke.dashes = {3, 1.5};
  return {method->title, stroke, look->shape};
}

}  // namespace gpode::experiments
