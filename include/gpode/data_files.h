// Readers and writers of data sets and tables: CSV and TSV, NumPy's .npz and .npy, ASF/AMC motion
// capture. docs/formats.md describes the formats.
//
//   file                    recognised by             trajectories
//   .csv, .tsv, .txt, ...   being none of the below   one, or one per value of a column
//   .npz, .npy              its first bytes           one, or one per first index of the array
//   .amc (with one .asf)    its extension             one
//
// Several files become several trajectories of one data set. They must have the same channels; CSV
// files may have them in a different order.
//
// Whatever the bytes are, reading returns a data set that passes CheckDataset or throws an
// InputError whose message is one line: "FILE:LINE:COLUMN: what was found, what is accepted" for
// text, "FILE: ..." where no single line is wrong. LINE and COLUMN count from 1; COLUMN counts
// characters, as editors do. CSV files are read in blocks, so that reading takes less than twice
// the memory that the numbers themselves need.
//
// Thread safety: all functions may be called from any thread.
//
//   Dataset data = ReadCsv("lynx.csv");
//   WriteCsv("copy.csv", ColumnsOf(data));
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/dataset.h"

namespace gpode {

// The treatment of rows of a trajectory that have equal times.
enum class DuplicateTimes { kRefuse, kAverage, kFirst, kLast };

// The form in which times are written.
enum class TimeFormat {
  kFound,         // numbers, dates or times of day, whichever the column holds
  kNumber,        // plain numbers, even if they look like epoch seconds
  kEpochSeconds,  // seconds since 1970-01-01T00:00:00Z
  kEpochMilliseconds,
};

struct ReadOptions {
  // The columns of a CSV file that hold the times and the trajectories' names; several names are
  // separated by commas: "Date,Time". A given name must match exactly. If time_column is empty, the
  // reader looks for the time: "time" or "t", a name such as "Year" or "timestamp", the only column
  // with dates, or the only sorted one. If trajectory_column is empty, it is the column
  // "trajectory", in upper or lower case, if there is one.
  std::string time_column = {};
  std::string trajectory_column = {};
  // The channels to read, in this order; if empty, all columns with numbers. A pattern such as
  // "y*" or "sensor?" stands for all names that match it. Other columns of a CSV file may hold
  // anything.
  std::vector<std::string> channels = {};
  // Columns that hold measured inputs (gpode/inputs.h). They do not become channels. All rows of a
  // file are samples of the inputs, even rows whose observations the options below leave out. If
  // missing inputs are allowed, a file that lacks one of these columns gives a data set without
  // inputs.
  std::vector<std::string> inputs = {};
  bool allow_missing_inputs = false;

  // CSV: ',', ';', '\t' or ' ' for any number of spaces and tabs; 0: the one that the file uses.
  char separator = 0;
  // CSV: the decimal mark, '.' or ','. If it is 0, the first number with a mark decides; if commas
  // separate cells, the mark is then '.'.
  char decimal = 0;
  // CSV: further markers of missing values, in addition to those in docs/formats.md. A marker that
  // is a number stands for every cell of that value.
  std::vector<std::string> missing = {};
  std::size_t skip = 0;  // CSV: number of lines to skip before the header
  bool header = true;    // CSV: false if the first line is a row; columns are then c1, c2, ...
  double dt = 0;         // CSV: the time between rows of a file without a time column; 0: unknown
  // CSV in long format, one value per row: the columns with the channel's name and with its value.
  // Both are empty for other files.
  std::string long_name = {}, long_value = {};
  DuplicateTimes duplicates = DuplicateTimes::kRefuse;

  TimeFormat time_format = TimeFormat::kFound;
  DateOrder date_order = DateOrder::kFound;
  // The unit in which dates become times, such as "hours". If empty, the reader chooses one.
  std::string time_unit = {};
  // The calendar of earlier data, such as those of a model. If has_fixed_calendar is true, dates
  // become numbers by this calendar. Dates are then an error if the calendar is not set.
  Calendar calendar = {};
  bool has_fixed_calendar = false;

  // An .npz archive may hold several data sets, as those of the paper do. `part` selects one of
  // them: "train" reads the arrays train_ts and train_ys.
  std::string part = "train";

  double frame_rate = 120;  // motion capture: frames per second

  // The rows to keep. They are later than `after` and not later than `until`, which are numbers or
  // dates; an empty text means no limit. Of these rows, the first of each trajectory is kept, and
  // then every n-th, n = `every`. `only` names the trajectories to keep, or patterns of names;
  // empty: all.
  std::string after = {}, until = {};
  std::size_t every = 1;
  std::vector<std::string> only = {};

  // CSV: if not 0, a random sample of about this many rows is kept. It consists of windows of up to
  // 100 consecutive rows, which become trajectories of their own. The memory needed does not depend
  // on the size of the file, and the same file always gives the same sample. This option cannot be
  // combined with the options above that choose rows.
  std::size_t sample_rows = 0;

  // If true, the options come from earlier data. If they name a column that a file does not have,
  // the reader finds that column as if it had not been named.
  bool names_are_hints = false;

  // Requirements on the data: the least number of rows of a trajectory, and whether a channel may
  // be without any value. Fitting needs at least two rows and values in every channel; for test
  // data, one row with one value is enough.
  std::size_t fewest_rows = 1;
  bool allow_empty_channels = false;
};

// Reads one or more files: CSV and NumPy files, or motion capture with at most one .asf among them.
// A trajectory is named after its file, without folder and extension. A CSV file may name its
// trajectories itself; their names then begin with "FILE/" if there are several files. The path "-"
// is standard input. Files compressed by gzip are decompressed, except NumPy files, which must not
// be compressed. `notes`, if given, gets one line for everything that was left out, filled or
// reordered.
Dataset ReadDataset(std::span<const std::filesystem::path> files, const ReadOptions& options = {},
                    std::vector<std::string>* notes = nullptr);

Dataset ReadCsv(const std::filesystem::path& path, const ReadOptions& options = {},
                std::vector<std::string>* notes = nullptr);
// Reads CSV from memory; messages begin with `source_name` instead of a path.
Dataset ReadCsvText(std::string_view text, std::string_view source_name,
                    const ReadOptions& options = {}, std::vector<std::string>* notes = nullptr);

// Reads an archive with `times` and `values`, one of the paper's archives, or an .npy table whose
// first column holds the times.
Dataset ReadNumpyDataset(const std::filesystem::path& path, const ReadOptions& options = {});
Dataset ReadNumpyDataset(std::span<const std::byte> bytes, std::string_view source_name,
                         const ReadOptions& options = {});

// Reads motion capture, one trajectory per .amc file. Channels are named "BONE.DOF" ("lfemur.rx")
// after the skeleton in the .asf file; without one they are "BONE.1", "BONE.2", ... Angles and
// lengths keep the file's units.
Dataset ReadAmc(std::span<const std::filesystem::path> files, const ReadOptions& options = {});
// Reads motion capture from memory. An empty `skeleton` means that there is no .asf file.
Dataset ReadAmcText(std::string_view motion, std::string_view motion_name,
                    std::string_view skeleton, std::string_view skeleton_name,
                    const ReadOptions& options = {});

// One column of a table. It holds numbers or, if `numbers` is empty, words.
struct Column {
  std::string name;
  std::vector<double> numbers = {};
  std::vector<std::string> words = {};

  std::size_t size() const { return numbers.empty() ? words.size() : numbers.size(); }
};

// Returns the data set as a table with the columns `trajectory` (left out if there is only one
// trajectory and it has no name), `time`, and one for each channel. Times that stand for dates are
// dates.
std::vector<Column> ColumnsOf(const Dataset& data);

// Writes an .npz archive if the path ends in .npz, and CSV otherwise. An archive does not hold the
// names of trajectories, and shorter trajectories are padded with NaN.
void WriteDataset(const std::filesystem::path& path, const Dataset& data);

// Writes a header, then one line per row, with commas between the cells. Numbers have the fewest
// digits that read back to the same bits; NaN is an empty cell. Names and words are quoted where
// necessary. All columns must have the same length. A file is replaced in one piece or not at all.
// Throws an InputError if the file or the stream cannot be written.
void WriteCsv(const std::filesystem::path& path, std::span<const Column> columns);
void WriteCsv(std::ostream& out, std::span<const Column> columns);

}  // namespace gpode
