#include "io/csv_sample.h"

#include <algorithm>
#include <functional>

#include "data/dates.h"
#include "io/csv_cells.h"
#include "io/number_text.h"
#include "io/text_records.h"

namespace gpode::internal {
namespace {

std::vector<std::string> CellsOf(const TextRecords& record, char separator) {
  std::vector<std::string> cells;
  std::string scratch;
  const std::string_view text = record.text();
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;; ++at) {
    const CsvCell cell = TakeCell(record, at, separator, &scratch);
    cells.emplace_back(Trimmed(cell.text));
    at = cell.stop;
    if (at == end || cells.size() > kMostColumns) return cells;
  }
}

void AddRows(const CsvBeginning& beginning, char separator, std::size_t skip, CsvSample* sample) {
  TextRecords records(beginning.text, "", Quoting::kDoubled);
  for (std::size_t i = 0; i < skip; ++i) records.SkipLine();
  while (sample->rows.size() <= kSampleRows && records.Next()) {
    const std::string_view text = Trimmed(records.text());
    if (text.empty()) continue;
    if (text[0] != '#') {
      sample->rows.push_back(CellsOf(records, separator));
    } else if (sample->rows.empty()) {
      sample->comment = text.substr(text.find_first_not_of('#') == std::string_view::npos
                                        ? text.size()
                                        : text.find_first_not_of('#'));
    }
  }
}

}  // namespace

CsvSample TakeSample(const CsvBeginning& beginning, char separator, std::size_t skip) {
  CsvSample sample;
  try {
    AddRows(beginning, separator, skip, &sample);
  } catch (const InputError&) {
    // The reader of the rows will find the same error. The rows before it are a sample as well.
  }
  // The last row may be cut.
  if (!beginning.is_whole && !sample.rows.empty() && sample.rows.size() <= kSampleRows) {
    sample.rows.pop_back();
  }
  return sample;
}

bool ColumnFacts::IsSorted() const {
  const auto all_pairs = [&](auto holds) {
    return std::adjacent_find(numbers.begin(), numbers.end(), std::not_fn(holds)) == numbers.end();
  };
  return numbers.size() > 1 && (all_pairs(std::less<>()) || all_pairs(std::greater<>()));
}

std::optional<double> CellNumber(std::string_view text, char separator,
                                 const ReadOptions& options) {
  const bool may_have_comma = options.decimal == ',' || (options.decimal == 0 && separator != ',');
  if (may_have_comma && text.find(',') != std::string_view::npos) {
    std::string with_point(text);
    with_point[text.find(',')] = '.';
    return ToNumber(with_point);
  }
  return ToNumber(text);
}

bool IsMissingCell(std::string_view text, const ReadOptions& options) {
  return IsMissing(text) ||
         std::find(options.missing.begin(), options.missing.end(), text) != options.missing.end();
}

ColumnFacts FactsOf(const CsvSample& sample, std::size_t first_row, std::size_t column,
                    char separator, const ReadOptions& options) {
  ColumnFacts facts;
  std::size_t numbers = 0, dates = 0, clocks = 0, missing = 0;
  bool any_later = false;
  for (std::size_t row = first_row; row < sample.rows.size(); ++row) {
    const std::vector<std::string>& cells = sample.rows[row];
    if (column >= cells.size() || IsMissingCell(cells[column], options)) {
      ++missing;
      continue;
    }
    any_later |= row > first_row;
    const std::string& text = cells[column];
    ++facts.values;
    if (const auto number = CellNumber(text, separator, options)) {
      ++numbers;
      facts.numbers.push_back(*number);
      continue;
    }
    const auto date = ParseDateText(text, DateOrder::kFound);
    dates += date && date->has_date ? 1 : 0;
    clocks += ParseClock(text) ? 1 : 0;
  }
  if (numbers == 1 && facts.values == 1 && !any_later && missing > 0) {
    facts.only_first = facts.numbers.front();
  }
  if (facts.values == 0) return facts;
  if (2 * numbers >= facts.values) {
    facts.kind = ColumnKind::kNumber;
    if (missing > 0 || numbers < facts.values) facts.numbers.clear();
    return facts;
  }
  facts.numbers.clear();
  const bool mostly_dates = 2 * dates > facts.values, mostly_clocks = 2 * clocks > facts.values;
  // 18.00.00 could be a date, but not if the column also has 00.00.00.
  facts.kind = mostly_dates && !(mostly_clocks && clocks > dates) ? ColumnKind::kDate
               : mostly_clocks                                    ? ColumnKind::kClock
                                                                  : ColumnKind::kText;
  return facts;
}

}  // namespace gpode::internal
