// The layout of a CSV file: its separator, its header, and the role of each column, found from the
// options and from the first rows.
//
// Thread safety: any thread may call these functions, if no other one uses the same TextRecords.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpode/data_files.h"
#include "io/csv_sample.h"
#include "io/text_records.h"

namespace gpode::internal {

// The role of a column is the index of its channel or, if it is not a channel, one of these values.
enum CsvRole : int {
  kTimeColumn = -1,  // times as numbers
  kTrajectoryColumn = -2,
  kOtherColumn = -3,
  kTimeText = -4,    // times, or parts of them, as text
  kNameColumn = -5,  // the channel's name in long format
};

enum class CsvTime {
  kNumbers,
  kDates,   // the texts of the time columns, joined by spaces, are dates
  kClocks,  // times of day or durations, which become seconds
  kRows,    // there is no time column: rows are dt apart
};

struct CsvLayout {
  char separator = ',';
  bool has_header = true;
  bool is_long = false;
  std::vector<std::string> names;     // one per column; empty for columns without a name
  std::vector<int> roles;             // one per column
  std::vector<std::string> channels;  // the channels to read; in long format, the value column
  std::string time_name;

  CsvTime time = CsvTime::kNumbers;
  std::vector<std::size_t> time_columns, trajectory_columns;
  double epoch_unit = 0;  // seconds per unit of epoch times; 0 for other numbers
  DateOrder order = DateOrder::kFound;
  double dt = 0;
};

// Finds the layout from the first record, which is the current one, and the beginning of the file.
// Adds to `notes` what was left out.
CsvLayout FindLayout(const TextRecords& record, const CsvBeginning& beginning,
                     const ReadOptions& options, std::vector<std::string>* notes);

}  // namespace gpode::internal
