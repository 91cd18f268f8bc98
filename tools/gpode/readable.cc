#include "readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>

#include "io/files.h"

namespace gpode::tool {
namespace {

std::string NameOf(std::string_view path) {
  return path == "-" ? "standard output" : std::string(path);
}

void CheckNames(std::string_view path, std::span<const std::string> names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    internal::ThrowAt(NameOf(path), fmt::format("would have two columns {}, which nothing could "
                                                "tell apart; nothing is written",
                                                internal::Quote(name)));
  }
}

void CheckNumber(std::string_view path, std::string_view column, double value) {
  if (!std::isinf(value)) return;
  internal::ThrowAt(NameOf(path),
                    fmt::format("column {} would have the value {}, which cannot be read again; "
                                "nothing is written",
                                internal::Quote(column), value));
}

}  // namespace

void CheckReadable(std::string_view path, const Dataset& data) {
  std::vector<std::string> names = {"time"};
  if (data.trajectories.size() > 1) names.emplace_back("trajectory");
  names.insert(names.end(), data.channels.begin(), data.channels.end());
  CheckNames(path, names);
  for (const Trajectory& t : data.trajectories) {
    const auto repeats = std::adjacent_find(t.times.begin(), t.times.end(),
                                            [](double a, double b) { return !(a < b); });
    if (repeats != t.times.end()) {
      internal::ThrowAt(NameOf(path), fmt::format("would have the time {} twice, must increase; "
                                                  "nothing is written",
                                                  *repeats));
    }
    for (Eigen::Index c = 0; c < t.values.cols(); ++c) {
      for (double value : t.values.col(c)) {
        CheckNumber(path, data.channels[static_cast<std::size_t>(c)], value);
      }
    }
  }
}

void CheckReadable(std::string_view path, std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(column.name);
    for (double value : column.numbers) CheckNumber(path, column.name, value);
  }
  CheckNames(path, names);
}

bool AreSameFile(const std::string& one, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(one, other, error)) return true;
  const auto whole = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  return whole(one) == whole(other);
}

}  // namespace gpode::tool
