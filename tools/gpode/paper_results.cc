#include "paper_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "data/files.h"

namespace gpode::tool {
namespace {

using Json = nlohmann::json;

struct Method {
  const char *name, *title;
  Colour colour;
  bool dashed;
  MarkShape shape;
};
constexpr Method kMethods[] = {
    {"gpode", "GPODE", kBlue, false, MarkShape::kDot},
    {"shooting", "GPODE-shooting", kVermillion, false, MarkShape::kDiamond},
    {"gpode-hmc", "GPODE (HMC)", kBlue, true, MarkShape::kTriangle},
    {"npode", "npODE", kGreen, false, MarkShape::kSquare},
    {"npode-shooting", "npODE-shooting", kGreen, true, MarkShape::kDiamond},
    {"neural", "NeuralODE", kOrange, false, MarkShape::kTriangle},
    {"neural-shooting", "NeuralODE-shooting", kOrange, true, MarkShape::kDiamond},
    {"neural-vi", "Bayesian NeuralODE (VI)", kSkyBlue, false, MarkShape::kSquare},
    {"neural-vi-shooting", "Bayesian NeuralODE-shooting (VI)", kSkyBlue, true, MarkShape::kDiamond},
    {"neural-hmc", "Bayesian NeuralODE (HMC)", kPurple, false, MarkShape::kDot}};

std::size_t OrderOf(const std::string& model) {
  const auto found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                  [&](const Method& m) { return model == m.name; });
  return static_cast<std::size_t>(found - std::begin(kMethods));
}

[[noreturn]] void Damaged(const std::string& file, const std::string& what) {
  internal::ThrowAt(file, what + ", must be a result of gpode reproduce");
}

// Numbers that are not finite are null or words.
double NumberOf(const Json& value, const std::string& name, const std::string& file) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null() || value == "nan") return NAN;
  if (value == "inf") return HUGE_VAL;
  if (value == "-inf") return -HUGE_VAL;
  Damaged(file, fmt::format("{} is no number", name));
}

// What an object has by that name; null if nothing.
Json Member(const Json& object, const char* name) {
  return object.is_object() ? object.value(name, Json()) : Json();
}

std::vector<double> NumbersOf(const Json& values, const std::string& name,
                              const std::string& file) {
  if (!values.is_array()) Damaged(file, fmt::format("{} is no list", name));
  std::vector<double> numbers;
  for (const Json& value : values) numbers.push_back(NumberOf(value, name, file));
  return numbers;
}

void ReadHistory(const Json& history, const std::string& file, PaperRun* run) {
  if (history.is_null()) return;
  run->seconds = NumbersOf(Member(history, "seconds"), "history.seconds", file);
  run->steps = NumbersOf(Member(history, "step"), "history.step", file);
  run->bounds = NumbersOf(Member(history, "bound"), "history.bound", file);
  if (run->steps.size() != run->seconds.size() || run->bounds.size() != run->seconds.size()) {
    Damaged(file, "history has lists of several lengths");
  }
}

PaperRun ReadRun(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  const Json result = Json::parse(text, text + bytes.size(), nullptr, false);
  if (!result.is_object()) Damaged(file, "is not JSON");
  const Json model = Member(result, "model"), seed = Member(result, "seed");
  if (!model.is_string() || !seed.is_number_integer()) Damaged(file, "names no model and seed");
  PaperRun run{.model = model.get<std::string>(), .seed = seed.get<std::uint64_t>()};
  if (Member(result, "failed") != true) {
    const Json scores = Member(result, "scores");
    run.mnll = NumberOf(Member(scores, "mnll"), "scores.mnll", file);
    run.mse = NumberOf(Member(scores, "mse"), "scores.mse", file);
  }
  ReadHistory(Member(result, "history"), file, &run);
  const std::filesystem::path beside = std::filesystem::path(path).replace_extension(".gpode");
  if (std::filesystem::exists(beside)) run.file = beside;
  return run;
}

// What a folder holds, in the order of names; nothing if there is no such folder.
std::vector<std::filesystem::path> EntriesOf(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::vector<PaperRun> ReadRuns(const std::filesystem::path& results, const std::string& task) {
  std::vector<PaperRun> runs;
  for (const std::filesystem::path& path : EntriesOf(results / task)) {
    if (path.extension() == ".json") runs.push_back(ReadRun(path));
  }
  std::sort(runs.begin(), runs.end(), [](const PaperRun& a, const PaperRun& b) {
    return std::tuple(OrderOf(a.model), a.model, a.seed) <
           std::tuple(OrderOf(b.model), b.model, b.seed);
  });
  return runs;
}

std::vector<std::string> TasksOf(const std::filesystem::path& results) {
  std::vector<std::string> tasks;
  for (const std::filesystem::path& path : EntriesOf(results)) {
    if (std::filesystem::is_directory(path)) tasks.push_back(path.filename().string());
  }
  return tasks;
}

std::vector<std::string> MethodsOf(const std::vector<PaperRun>& runs) {
  std::set<std::pair<std::size_t, std::string>> ordered;
  for (const PaperRun& run : runs) ordered.insert({OrderOf(run.model), run.model});
  std::vector<std::string> methods;
  for (const auto& [order, model] : ordered) methods.push_back(model);
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
  const std::size_t i = OrderOf(model);
  if (i == std::size(kMethods)) return {model, {.colour = kGrey, .width = 1}, MarkShape::kDot};
  const Method& method = kMethods[i];
  Stroke stroke{.colour = method.colour, .width = 1};
  if (method.dashed) stroke.dashes = {3, 1.5};
  return {method.title, stroke, method.shape};
}

}  // namespace gpode::tool
