#include "gpode/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "gpode/error.h"
#include "io/amc.h"
#include "io/csv.h"
#include "io/files.h"
#include "io/npz_dataset.h"
#include "io/number_text.h"
#include "io/reading.h"

namespace gpode {
namespace {

using internal::ListOf;
using internal::NameOf;
using internal::ThrowAt;

bool IsMotionCapture(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return internal::SameWord(extension, ".amc") || internal::SameWord(extension, ".asf");
}

// Recognises NumPy's files by their first bytes, whatever their names. A pipe is taken as text: its
// first bytes cannot be read a second time.
bool IsNumpy(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, 6> bytes{};
  const std::size_t count = internal::FileReader(path).Read(bytes);
  return internal::IsNumpyData(std::as_bytes(std::span(bytes).first(count)));
}

Dataset ReadOne(const std::filesystem::path& path, const ReadOptions& options) {
  if (IsNumpy(path)) return internal::ReadNumpyFile(path, options);
  internal::TextRecords records(path, internal::Quoting::kDoubled);
  return internal::ParseCsv(&records, options);
}

void Append(Dataset more, const std::filesystem::path& path, const std::filesystem::path& first,
            Dataset* data) {
  if (data->trajectories.empty()) data->channels = more.channels, data->time_name = more.time_name;
  if (more.channels != data->channels) {
    if (!std::is_permutation(more.channels.begin(), more.channels.end(), data->channels.begin(),
                             data->channels.end())) {
      ThrowAt(path.string(),
              fmt::format("channels {} found, must be those of {}: {}", ListOf(more.channels),
                          first.string(), ListOf(data->channels)));
    }
    internal::SelectChannels(data->channels, path.string(), &more);
  }
  std::move(more.trajectories.begin(), more.trajectories.end(),
            std::back_inserter(data->trajectories));
}

// Puts the file's name before the names of its trajectories, since several files may have
// trajectories of the same name.
void NameByFile(const std::filesystem::path& path, Dataset* data) {
  for (Trajectory& trajectory : data->trajectories) {
    if (trajectory.name != NameOf(path)) {
      trajectory.name = fmt::format("{}/{}", NameOf(path), trajectory.name);
    }
  }
}

}  // namespace

Dataset ReadDataset(std::span<const std::filesystem::path> files, const ReadOptions& options) {
  internal::CheckReadOptions(options);
  if (files.empty()) ThrowInput("ReadDataset", "files", "is empty, must name at least one");
  const auto motion = std::count_if(files.begin(), files.end(), IsMotionCapture);
  if (motion == std::ssize(files)) return ReadAmc(files, options);
  if (motion > 0) {
    const auto other = std::find_if_not(files.begin(), files.end(), IsMotionCapture);
    ThrowAt(other->string(), "is not motion capture, must be .amc or .asf as the other files are");
  }
  Dataset data;
  for (const std::filesystem::path& path : files) {
    Dataset one = ReadOne(path, options);
    if (files.size() > 1) NameByFile(path, &one);
    Append(std::move(one), path, files[0], &data);
  }
  internal::CheckReadData(data, internal::NameFiles(files), options);
  return data;
}

}  // namespace gpode
