// The cells of one row of a CSV file.
//
// Thread safety: any thread may call these functions, if no other one uses the same TextRecords.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/text_records.h"

namespace gpode::internal {

inline constexpr std::size_t kMostColumns = 16384;

struct CsvCell {
  std::string_view text;  // the trimmed text or, in a quoted cell, the text between the quotes
  const char* at;         // where the cell begins in the record
  const char* stop;       // the last separator after it, or the end of the record
};

// Returns the cell that begins at `at`. The text of a quoted cell lies in `scratch`. The separator
// ' ' stands for any number of spaces and tabs.
CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch);

// Returns the last of the spaces and tabs that begin at `at`, or `end` if the text ends with them.
const char* LastBlank(const char* at, const char* end);

}  // namespace gpode::internal
