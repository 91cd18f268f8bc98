#include "io/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "gpode/error.h"
#include "io/files.h"

namespace gpode::internal {

std::string NameOf(const std::filesystem::path& path) { return path.stem().string(); }

std::string NameFiles(std::span<const std::filesystem::path> files) {
  GPODE_CHECK(!files.empty());
  const std::string first = files[0].string();
  return files.size() == 1 ? first : fmt::format("{} and {} more", first, files.size() - 1);
}

std::string ListOf(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    list += (i > 0 ? ", " : "") + Quote(names[i], 40);
  }
  if (names.size() > kMost) list += fmt::format(" and {} more", names.size() - kMost);
  return list;
}

void CheckReadOptions(const ReadOptions& options, std::string_view where) {
  const auto one_of = [&](std::string_view name, char value, std::string_view allowed,
                          std::string_view right) {
    if (value == 0 || allowed.find(value) != std::string_view::npos) return;
    ThrowInput(where, name, fmt::format("is {}, must be {}", Quote({&value, 1}), right));
  };
  one_of("separator", options.separator, ",;\t", "a comma, a semicolon or a tab");
  one_of("decimal", options.decimal, ".,", "a point or a comma");
  CheckPositive(where, "frame_rate", options.frame_rate);
  if (options.every == 0) ThrowInput(where, "every", "is 0, must be at least 1");
  std::unordered_set<std::string_view> seen;
  for (const std::string& channel : options.channels) {
    if (seen.insert(channel).second) continue;
    ThrowInput(where, "channels", fmt::format("has {} twice, must differ", Quote(channel)));
  }
}

void SelectChannels(std::span<const std::string> channels, std::string_view file, Dataset* data) {
  std::vector<Eigen::Index> columns;
  for (const std::string& channel : channels) {
    const auto found = std::find(data->channels.begin(), data->channels.end(), channel);
    if (found == data->channels.end()) {
      ThrowAt(file, fmt::format("channels {} found, one must be {}", ListOf(data->channels),
                                Quote(channel, 40)));
    }
    columns.push_back(found - data->channels.begin());
  }
  for (Trajectory& trajectory : data->trajectories) {
    trajectory.values = Matrix(trajectory.values(Eigen::all, columns));
  }
  data->channels.assign(channels.begin(), channels.end());
}

namespace {

void CheckRows(const Dataset& data, std::string_view file, std::size_t fewest) {
  for (const Trajectory& trajectory : data.trajectories) {
    const std::size_t rows = trajectory.times.size();
    if (rows >= fewest) continue;
    ThrowAt(file, fmt::format("trajectory {} has {} row{}, must have at least {}",
                              Quote(trajectory.name, 40), rows, rows == 1 ? "" : "s", fewest));
  }
}

bool HasValue(const Dataset& data, Eigen::Index channel) {
  return std::any_of(data.trajectories.begin(), data.trajectories.end(), [&](const Trajectory& t) {
    for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
      const double value = t.values(i, channel);
      if (value == value) return true;
    }
    return false;
  });
}

}  // namespace

void CheckReadData(const Dataset& data, std::string_view file, const ReadOptions& options) {
  CheckRows(data, file, options.fewest_rows);
  for (std::size_t c = 0; c < data.channels.size() && !options.allow_empty_channels; ++c) {
    if (HasValue(data, static_cast<Eigen::Index>(c))) continue;
    ThrowAt(file, fmt::format("channel {} has no value, must have at least one",
                              Quote(data.channels[c], 40)));
  }
  if (data.observed() == 0) ThrowAt(file, "has no value in any channel, must have at least one");
  NamingFile(file, [&] { CheckDataset(data); });
}

}  // namespace gpode::internal
