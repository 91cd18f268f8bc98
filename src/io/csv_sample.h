// The first rows of a CSV file, from which the reader finds out what its columns hold.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"

namespace gpode::internal {

inline constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
inline constexpr std::size_t kSampleRows = 1000;

// The first lines of a file as text.
struct CsvBeginning {
  std::string text;
  bool is_whole = false;  // true if the text is the whole file
};

// Rows as cells, without blank lines and comments.
struct CsvSample {
  std::vector<std::vector<std::string>> rows;  // the first one may be the header
  std::string comment;  // the last comment before the first row, without #; empty if there is none
};
CsvSample TakeSample(const CsvBeginning& beginning, char separator, std::size_t skip);

enum class ColumnKind {
  kEmpty,  // only missing values
  kNumber,
  kDate,   // dates, with or without times of day
  kClock,  // times of day
  kText,
};

struct ColumnFacts {
  ColumnKind kind = ColumnKind::kEmpty;
  std::size_t values = 0;  // cells that are not missing
  // The value of the first row, if it is a number and no other row has a value.
  std::optional<double> only_first;
  // The numbers of a column of numbers, in order, if no cell is missing; otherwise empty.
  std::vector<double> numbers;

  // Returns true if the numbers rise, or fall, from each row to the next.
  bool IsSorted() const;
};

// Returns the facts about `column` in row `first_row` of the sample and all later rows.
ColumnFacts FactsOf(const CsvSample& sample, std::size_t first_row, std::size_t column,
                    char separator, const ReadOptions& options);

// Returns true if the cell's text is a marker of a missing value.
bool IsMissingCell(std::string_view text, const ReadOptions& options);
// Returns the number in a cell, with either decimal mark if the separator allows it.
std::optional<double> CellNumber(std::string_view text, char separator, const ReadOptions& options);

}  // namespace gpode::internal
