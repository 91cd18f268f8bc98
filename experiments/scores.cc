// The scores of docs/results.md; `gpode_scores` without arguments says how.
#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/error.h"
#include "table.h"

namespace gpode::experiments {
namespace {

constexpr const char* kUsage =
    "usage: gpode_scores paper | long | fresh | mocap FOLDER  [options]\n\n"
    "  paper   the paper's Van der Pol and FitzHugh-Nagumo tasks\n"
    "  long    Van der Pol series of length 25, 40 and 55, shooting\n"
    "  fresh   three systems, 60 points, fresh noise of 8 % of the spread\n"
    "  mocap   motion capture; FOLDER holds mocap09.npz, mocap35.npz and mocap39.npz; 1,000 "
    "steps\n\n"
    "  --runs N         seeds of training per task (default 5; fresh: noise draws, default 20)\n"
    "  --bound NAME     vanilla, shooting or both\n"
    "  --steps N        of training, instead of the default\n"
    "  --only TEXT      rows whose name contains TEXT\n"
    "  --from STATE     forecasts start from the initial (default) or the latest state\n\n"
    "Every row is a mean over runs with its standard error; runs go in parallel.\n";

struct Arguments {
  std::vector<std::string> words;
  std::string bound, only, from = "initial";
  std::size_t runs = 0, steps = 0;
};

std::size_t Number(std::string_view option, std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    ThrowInput("gpode_scores", option, fmt::format("is '{}', must be a positive number", text));
  }
  return value;
}

Arguments Parse(const std::vector<std::string>& given) {
  Arguments a;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].starts_with("--")) {
      a.words.push_back(given[i]);
      continue;
    }
    const std::string& option = given[i];
    if (i + 1 == given.size()) ThrowInput("gpode_scores", option, "has nothing after it");
    const std::string& value = given[++i];
    if (option == "--runs") {
      a.runs = Number(option, value);
    } else if (option == "--steps") {
      a.steps = Number(option, value);
    } else if (option == "--bound") {
      a.bound = value;
    } else if (option == "--from" && (value == "initial" || value == "latest")) {
      a.from = value;
    } else if (option == "--only") {
      a.only = value;
    } else {
      ThrowInput("gpode_scores", option, fmt::format("{} is unknown", value));
    }
  }
  return a;
}

std::vector<BoundKind> Bounds(const std::string& name) {
  if (name == "vanilla") return {BoundKind::kVanilla};
  if (name == "shooting") return {BoundKind::kShooting};
  if (name == "both") return {BoundKind::kVanilla, BoundKind::kShooting};
  ThrowInput("gpode_scores", "--bound",
             fmt::format("is '{}', must be vanilla, shooting or both", name));
}

std::vector<Row> Rows(const Arguments& a) {
  const std::string& command = a.words[0];
  if (command == "paper") return PaperRows();
  if (command == "long") return LongRows();
  if (command == "fresh") return FreshRows(a.runs > 0 ? a.runs : 20);
  if (command == "mocap" && a.words.size() > 1) return MocapRows(a.words[1]);
  return {};
}

int Main(const std::vector<std::string>& given) {
  const Arguments a = Parse(given);
  std::vector<Row> rows;
  if (!a.words.empty()) rows = Rows(a);
  if (rows.empty()) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  std::erase_if(rows, [&](const Row& row) { return row.name.find(a.only) == std::string::npos; });
  const std::string& command = a.words[0];
  RunOptions options{.steps = a.steps,
                     .from = a.from == "latest" ? Origin::kLatestState : Origin::kInitialState};
  options.bounds = Bounds(!a.bound.empty() ? a.bound : command == "long" ? "shooting" : "both");
  options.seeds = command == "fresh" ? 1 : a.runs > 0 ? a.runs : 5;
  PrintTable(rows, options);
  return 0;
}

}  // namespace
}  // namespace gpode::experiments

int main(int argc, char** argv) {
  try {
    return gpode::experiments::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
