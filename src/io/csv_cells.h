// The cells of a CSV record, and the header that names its columns.
//
// Thread safety: all functions may be called from any thread with records of their own.
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
  std::string_view text;  // trimmed, or without its quotes if it is quoted
  const char* at;         // its begin in the record
  const char* stop;       // the separator after it, or the end of the record
};

// Returns the cell that begins at `at`. The text of a quoted cell lies in `scratch`.
CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch);

// The role of a column: the index of its channel, or one of these.
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
