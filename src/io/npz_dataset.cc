#include "io/npz_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/npz.h"
#include "io/files.h"
#include "io/reading.h"
#include "io/struct_arrays.h"
#include "io/utf8.h"

namespace gpode {
namespace internal {
namespace {

constexpr std::string_view kZip = "PK", kNpy = "\x93NUMPY";
// The time between frames of the paper's motion capture archives, which hold no times.
constexpr double kFrameSpacing = 0.01;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The names of the arrays of an archive that hold the data; `times` is empty in archives without
// times.
struct SourceNames {
  std::string times, values;
};

// The arrays of an archive that hold the data, with their names. `times` is nullptr in archives
// without times.
struct Source {
  std::string times_name, values_name;
  const Array* times = nullptr;
  const Array* values = nullptr;
};

SourceNames ChooseArrays(const std::vector<std::string>& names, const std::string& part,
                         std::string_view file) {
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const SourceNames& pair :
       {SourceNames{"times", "values"}, SourceNames{part + "_ts", part + "_ys"}}) {
    if (has(pair.times) && has(pair.values)) return pair;
  }
  if (has(part)) return {"", part};
  if (has("model/channels")) ThrowAt(file, "is a model file, must be data");
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  ThrowAt(file,
          fmt::format("arrays {} found, must be 'times' and 'values', or '{}_ts' and '{}_ys', "
                      "or '{}'; see --part",
                      sorted.empty() ? "none" : ListOf(sorted), part, part, part));
}

Source FindSource(const Archive& archive, const SourceNames& names) {
  return {names.times, names.values,
          names.times.empty() ? nullptr : &archive.find(names.times)->second,
          &archive.find(names.values)->second};
}

struct Shape {
  std::size_t trajectories = 1, rows, channels = 1;
};

std::string Show(const std::vector<std::size_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

Shape ShapeOf(const Source& source, std::string_view file) {
  const std::vector<std::size_t>& shape = source.values->shape;
  const std::string where = fmt::format("{}: entry '{}'", file, source.values_name);
  if (source.values->size() == 0)
    ThrowAt(where, fmt::format("shape {} found, is empty", Show(shape)));
  if (shape.size() == 3) return {shape[0], shape[1], shape[2]};
  if (shape.size() == 2) return {1, shape[0], shape[1]};
  if (shape.size() == 1) return {1, shape[0], 1};
  ThrowAt(where, fmt::format("shape {} found, must be (times, channels) or (trajectories, times, "
                             "channels)",
                             Show(shape)));
}

void CheckTimes(const Source& source, const Shape& shape, std::string_view file) {
  const std::vector<std::size_t>& found = source.times->shape;
  if (found == std::vector{shape.rows} || found == std::vector{shape.trajectories, shape.rows}) {
    return;
  }
  ThrowAt(
      fmt::format("{}: entry '{}'", file, source.times_name),
      fmt::format("shape {} found, must be ({}) or ({}, {}) as '{}' is {}", Show(found), shape.rows,
                  shape.trajectories, shape.rows, source.values_name, Show(source.values->shape)));
}

std::vector<double> TimesOf(const Source& source, const Shape& shape, std::size_t trajectory) {
  std::vector<double> times(shape.rows);
  if (source.times == nullptr) {
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i] = kFrameSpacing * static_cast<double>(i);
    return times;
  }
  const std::size_t offset = source.times->shape.size() == 2 ? trajectory * shape.rows : 0;
  std::copy_n(source.times->values.begin() + static_cast<std::ptrdiff_t>(offset), shape.rows,
              times.begin());
  // The times of shorter trajectories are padded with NaN.
  while (!times.empty() && std::isnan(times.back())) times.pop_back();
  return times;
}

std::vector<std::string> ChannelNames(const Archive& archive, std::size_t count,
                                      std::string_view file) {
  std::vector<std::string> names;
  MemberReader(archive, "", file)("channels", names);
  if (!archive.contains("channels")) {
    for (std::size_t c = 0; c < count; ++c) names.push_back(fmt::format("x{}", c + 1));
  }
  const std::string where = fmt::format("{}: entry 'channels'", file);
  if (names.size() != count) {
    ThrowAt(where, fmt::format("{} names found, must be {}", names.size(), count));
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin != sorted.end()) {
    ThrowAt(where, fmt::format("{} found twice, names must differ", Quote(*twin, 40)));
  }
  for (const std::string& name : names) {
    if (!name.empty() && IsPrintableUtf8(name)) continue;
    ThrowAt(where, fmt::format("name {} found, must be printable UTF-8", Quote(name, 40)));
  }
  return names;
}

// Reads the arrays that hold the data. Others may be large, and are not unpacked.
Dataset FromArchive(std::span<const std::byte> bytes, std::string_view file,
                    const ReadOptions& options) {
  const SourceNames names = ChooseArrays(NpzNames(bytes, file), options.part, file);
  const Archive archive = ReadNpz(bytes, file, [&](std::string_view name) {
    return name == names.times || name == names.values || name == "channels";
  });
  const Source source = FindSource(archive, names);
  const Shape shape = ShapeOf(source, file);
  if (source.times != nullptr) CheckTimes(source, shape, file);
  Dataset data{.channels = ChannelNames(archive, shape.channels, file), .trajectories = {}};
  for (std::size_t n = 0; n < shape.trajectories; ++n) {
    Trajectory& t = data.trajectories.emplace_back();
    t.name = shape.trajectories == 1 ? NameOf(file) : std::to_string(n + 1);
    t.times = TimesOf(source, shape, n);
    t.values = Eigen::Map<const Matrix>(
        source.values->values.data() + n * shape.rows * shape.channels,
        static_cast<Eigen::Index>(t.times.size()), static_cast<Eigen::Index>(shape.channels));
  }
  return data;
}

// Reads a table with the times in the first column and channels in the others.
Dataset FromTable(const Array& table, std::string_view file) {
  if (table.shape.size() != 2 || table.shape[1] < 2 || table.size() == 0) {
    ThrowAt(file,
            fmt::format("shape {} found, must be (times, 1 + channels), with the times in the "
                        "first column",
                        Show(table.shape)));
  }
  const Eigen::Map<const Matrix> all(table.values.data(), static_cast<Eigen::Index>(table.shape[0]),
                                     static_cast<Eigen::Index>(table.shape[1]));
  Dataset data{.channels = ChannelNames({}, table.shape[1] - 1, file), .trajectories = {}};
  Trajectory& t = data.trajectories.emplace_back();
  t.name = NameOf(file);
  t.times.assign(all.col(0).begin(), all.col(0).end());
  t.values = all.rightCols(all.cols() - 1);
  return data;
}

Dataset FromBytes(std::span<const std::byte> bytes, std::string_view file,
                  const ReadOptions& options) {
  Dataset data = AsText(bytes).starts_with(kNpy) ? FromTable(ReadNpy(bytes, file), file)
                                                 : FromArchive(bytes, file, options);
  if (!options.channels.empty()) {
    SelectChannels(ColumnsToRead(options, data.channels), file, &data);
  }
  return data;
}

}  // namespace

bool IsNumpyData(std::span<const std::byte> beginning) {
  const std::string_view text = AsText(beginning);
  return text.starts_with(kNpy) || (text.starts_with(kZip) && text.size() > 3 && text[2] < ' ');
}

Dataset ReadNumpyFile(const std::filesystem::path& path, const ReadOptions& options) {
  return ParseFile(path, [&](std::span<const std::byte> bytes, std::string_view file) {
    return FromBytes(bytes, file, options);
  });
}

}  // namespace internal

Dataset ReadNumpyDataset(std::span<const std::byte> bytes, std::string_view source_name,
                         const ReadOptions& options) {
  internal::CheckReadOptions(options);
  Dataset data = internal::FromBytes(bytes, source_name, options);
  internal::FinishReading(source_name, options, &data, nullptr);
  return data;
}

Dataset ReadNumpyDataset(const std::filesystem::path& path, const ReadOptions& options) {
  internal::CheckReadOptions(options);
  Dataset data = internal::ReadNumpyFile(path, options);
  internal::FinishReading(path.string(), options, &data, nullptr);
  return data;
}

}  // namespace gpode
