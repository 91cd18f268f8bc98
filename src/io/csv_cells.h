// Cells of a CSV record and the header that names them.
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
  std::string_view text;  // trimmed unless quoted; then without its quotes
  const char* at;         // where it begins in the record
  const char* stop;       // the separator after it, or the record's end
};

// The cell that begins at `at`; doubled quotes are undone in `scratch`, which the text may then
// lie in.
CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch);

// What becomes of a column: its channel's number, or one of these.
enum CsvRole : int { kTimeColumn = -1, kTrajectoryColumn = -2, kOtherColumn = -3 };

struct CsvHeader {
  char separator;
  std::vector<std::string> names;     // of all columns
  std::vector<int> roles;             // of all columns
  std::vector<std::string> channels;  // that are taken
  std::string time_name;
};

// From the record at hand.
CsvHeader ReadHeader(const TextRecords& record, const ReadOptions& options);

}  // namespace gpode::internal
