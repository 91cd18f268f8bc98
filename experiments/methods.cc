#include "experiments/methods.h"

#include <algorithm>

namespace gpode::experiments {
namespace {

// The efficiency of the two bounds is compared without the phases that mix them.
void SetGpode(TaskKind kind, FitOptions* options) {
  options->bound = BoundKind::kVanilla;
  if (kind == TaskKind::kEfficiency) options->approach = 0;
}

void SetShooting(TaskKind kind, FitOptions* options) {
  options->bound = BoundKind::kShooting;
  if (kind == TaskKind::kEfficiency) options->polish = 0;
}

std::vector<std::string> NamesFor(TaskKind kind) {
  switch (kind) {
    case TaskKind::kSimulated:  // the paper has no shooting here
      return {"neural-hmc", "neural", "npode", "gpode", "shooting"};
    case TaskKind::kLong:
    case TaskKind::kMocap:
      return {"neural-vi", "neural", "npode", "gpode", "shooting"};
    case TaskKind::kEfficiency:
    case TaskKind::kFresh:
      break;
  }
  return {"gpode", "shooting"};
}

}  // namespace

const std::vector<MethodInfo>& AllMethods() {
  static const std::vector<MethodInfo> methods = {{"gpode", "GPODE", 1, SetGpode},
                                                  {"shooting", "GPODE-shooting", 2, SetShooting}};
  return methods;
}

const MethodInfo* FindMethod(std::string_view name) {
  const std::vector<MethodInfo>& all = AllMethods();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const MethodInfo& m) { return m.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> PaperMethods(TaskKind kind) {
  std::vector<std::string> names = NamesFor(kind);
  std::erase_if(names, [](const std::string& name) { return FindMethod(name) == nullptr; });
  return names;
}

}  // namespace gpode::experiments
