// The cells of one row of a CSV file, and the header, which names the columns.
//
// Thread safety: any thread may call these functions, if no other one uses the same TextRecords.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
#include "io/text_records.h"

namespace gpode::internal {

inline constexpr std::size_t kMostColumns = 16384;

struct CsvCell {
  std::string_view text;  // the trimmed text, or that between the quotes if it is quoted
  const char* at;         // where the cell begins in the record
  const char* stop;       // the separator after it, or the end of the record
};

// Returns the cell that begins at `at`. The text of a quoted cell lies in `scratch`.
CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch);

// The role of a column is the index of its channel or, if it is not a channel, one of these values.
enum CsvRole : int { kTimeColumn = -1, kTrajectoryColumn = -2, kOtherColumn = -3 };

struct CsvHeader {
  char separator;
  std::vector<std::string> names;     // one per column
  std::vector<int> roles;             // one per column
  std::vector<std::string> channels;  // the channels to read
  std::string time_name;
};

// Reads the header from the current record.
CsvHeader ReadHeader(const TextRecords& record, const ReadOptions& options);

}  // namespace gpode::internal
