// Data sets from files and tables into files: CSV and TSV, NumPy's .npz and .npy, ASF/AMC motion
// capture. docs/formats.md says what each format may look like.
//
//   file                    by                        trajectories
//   .csv, .tsv, .txt, ...   anything not below        one, or one per value of a column
//   .npz, .npy              its first bytes           one, or one per first index
//   .amc (with one .asf)    the name's end            one
//
// Several files are several trajectories of one data set. They must have the same channels; those
// of CSV files may stand in another order.
//
// Whatever the bytes are, reading returns a data set that passes CheckDataset or throws an
// InputError of one line: "FILE:LINE:COLUMN: what was found, what would be right" for text,
// "FILE: ..." where no line is to blame. LINE and COLUMN count from 1; COLUMN counts characters, so
// that an editor finds the place. CSV is read in blocks: memory stays below twice that of the
// numbers.
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

struct ReadOptions {
  // Columns of CSV files. Empty: the one named "time" or "t", and the one named "trajectory" if
  // there is one, in upper or lower case. A given name must be there exactly as given.
  std::string time_column = {};
  std::string trajectory_column = {};
  // Take only these, in this order; empty: all. Columns of CSV files that are not taken may hold
  // anything.
  std::vector<std::string> channels = {};

  char separator = 0;  // of CSV: ',', ';' or '\t'; 0: what the header uses
  char decimal = 0;    // of CSV: '.' or ','; 0: what the first number with either uses

  // Which data of an archive with several, as the paper's: "train" takes train_ts and train_ys.
  std::string part = "train";

  double frame_rate = 120;  // of motion capture, per second
  std::size_t every = 1;    // take every so many frames of motion capture, from the first

  // What the data are to be good for. Fitting needs two rows per trajectory, and something seen in
  // every channel; for a forecast's test one row of one channel will do.
  std::size_t fewest_rows = 1;
  bool allow_empty_channels = false;
};

// One file or several: CSV and NumPy files, or motion capture with at most one .asf among them.
// A trajectory is named after its file, without folder and ending; where a CSV file names
// trajectories itself, by that name, with "FILE/" before it if there are several files.
Dataset ReadDataset(std::span<const std::filesystem::path> files, const ReadOptions& options = {});

Dataset ReadCsv(const std::filesystem::path& path, const ReadOptions& options = {});
// `source_name` stands for the file in messages.
Dataset ReadCsvText(std::string_view text, std::string_view source_name,
                    const ReadOptions& options = {});

// An archive with `times` and `values` or one of the paper's; or an .npy table of times and values.
Dataset ReadNumpyDataset(const std::filesystem::path& path, const ReadOptions& options = {});
Dataset ReadNumpyDataset(std::span<const std::byte> bytes, std::string_view source_name,
                         const ReadOptions& options = {});

// Motion: one trajectory per .amc file, channels "BONE.DOF" ("lfemur.rx") by the skeleton in the
// .asf file; without one "BONE.1", "BONE.2", ... Angles and lengths stay as the file has them.
Dataset ReadAmc(std::span<const std::filesystem::path> files, const ReadOptions& options = {});
// `skeleton` may be empty: no .asf.
Dataset ReadAmcText(std::string_view motion, std::string_view motion_name,
                    std::string_view skeleton, std::string_view skeleton_name,
                    const ReadOptions& options = {});

// A column of a table: numbers or, if there are none, words.
struct Column {
  std::string name;
  std::vector<double> numbers = {};
  std::vector<std::string> words = {};

  std::size_t size() const { return numbers.empty() ? words.size() : numbers.size(); }
};

// `trajectory` where there are several or the only one has a name, `time`, then the channels.
std::vector<Column> ColumnsOf(const Dataset& data);

// NumPy's archive where the name ends in .npz, else CSV. Trajectories of an archive that are
// shorter than others are filled up with NaN; their names are lost.
void WriteDataset(const std::filesystem::path& path, const Dataset& data);

// A header, then one line per row, separated by commas. Numbers have the fewest digits that read
// back to the same bits; NaN is an empty field. Names and words are quoted where they need it.
// All columns must have the same length. A file appears complete or not at all; a stream that
// cannot be written is an InputError, too.
void WriteCsv(const std::filesystem::path& path, std::span<const Column> columns);
void WriteCsv(std::ostream& out, std::span<const Column> columns);

}  // namespace gpode
