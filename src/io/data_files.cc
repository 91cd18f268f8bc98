#include "gpode/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "gpode/error.h"
#include "io/amc.h"
#include "io/csv.h"
#include "io/files.h"
#include "io/foreign_formats.h"
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

void RefuseSample(const std::filesystem::path& path, const ReadOptions& options) {
  if (options.sample_rows == 0) return;
  ThrowAt(internal::ShowPath(path), "is not CSV, must be CSV for a sample of rows (--sample-rows)");
}

// Reads one file. NumPy's files are recognised by their first bytes, whatever their names.
Dataset ReadOne(const std::filesystem::path& path, const ReadOptions& options,
                std::vector<std::string>* notes) {
  auto file = std::make_unique<internal::FileReader>(path);
  const std::string_view beginning = file->Beginning();
  internal::RefuseForeignFormat(beginning, path);
  if (internal::IsNumpyData(std::as_bytes(std::span(beginning)))) {
    std::error_code error;
    if (file->IsCompressed() || !std::filesystem::is_regular_file(path, error)) {
      ThrowAt(internal::ShowPath(path),
              "is a NumPy file in a pipe or compressed by gzip, must be a file as NumPy writes it");
    }
    RefuseSample(path, options);
    return internal::ReadNumpyFile(path, options);
  }
  internal::TextRecords records(std::move(file), internal::ShowPath(path),
                                internal::Quoting::kDoubled);
  return internal::ParseCsv(&records, options, notes);
}

void Append(Dataset more, const std::filesystem::path& path, const std::filesystem::path& first,
            Dataset* data) {
  if (data->trajectories.empty()) {
    data->channels = more.channels;
    data->time_name = more.time_name;
    data->calendar = more.calendar;
  }
  if (more.calendar.IsSet() != data->calendar.IsSet()) {
    ThrowAt(
        path.string(),
        fmt::format("has {}, must have {} like {}", more.calendar.IsSet() ? "dates" : "no dates",
                    more.calendar.IsSet() ? "times as numbers" : "dates", first.string()));
  }
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

// Appends the notes `own` about a file to `notes`, each with this prefix.
void AddNotes(const std::vector<std::string>& own, const std::string& prefix,
              std::vector<std::string>* notes) {
  for (const std::string& note : own) notes->push_back(prefix + note);
}

}  // namespace

Dataset ReadDataset(std::span<const std::filesystem::path> files, const ReadOptions& options,
                    std::vector<std::string>* notes) {
  internal::CheckReadOptions(options);
  if (files.empty()) ThrowInput("ReadDataset", "files", "is empty, must name at least one");
  const auto motion = std::count_if(files.begin(), files.end(), IsMotionCapture);
  if (motion == std::ssize(files)) {
    RefuseSample(files.front(), options);
    return ReadAmc(files, options);
  }
  if (motion > 0) {
    const auto other = std::find_if_not(files.begin(), files.end(), IsMotionCapture);
    ThrowAt(other->string(), "is not motion capture, must be .amc or .asf as the other files are");
  }
  Dataset data;
  std::vector<std::string> found;
  ReadOptions of_each = options;  // each file has the same share of a sample
  of_each.sample_rows = (options.sample_rows + files.size() - 1) / files.size();
  for (const std::filesystem::path& path : files) {
    std::vector<std::string> own;
    Dataset one = ReadOne(path, of_each, &own);
    AddNotes(own, files.size() > 1 ? NameOf(path) + ": " : "", &found);
    if (files.size() > 1) NameByFile(path, &one);
    Append(std::move(one), path, files[0], &data);
  }
  internal::FinishReading(internal::NameFiles(files), options, &data, &found);
  if (notes != nullptr) notes->insert(notes->end(), found.begin(), found.end());
  return data;
}

}  // namespace gpode
