#include "io/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "io/formula_guard.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/utf8.h"

namespace gpode::internal {
namespace {

const char* SkipBlanks(const char* at, const char* end, char separator) {
  while (at != end && (*at == ' ' || (*at == '\t' && separator != '\t'))) ++at;
  return at;
}

CsvCell TakeQuoted(const TextRecords& record, const char* at, char separator,
                   std::string* scratch) {
  const char* const end = record.text().data() + record.text().size();
  const char* from = at + 1;
  scratch->clear();
  for (;;) {
    const char* const quote = std::find(from, end, '"');
    if (quote == end) record.Fail(at, "a quote is never closed, must end with \"");
    scratch->append(from, quote);
    from = quote + 1;
    if (from == end || *from != '"') break;
    *scratch += '"';
    ++from;
  }
  from = SkipBlanks(from, end, separator);
  if (from != end && *from != separator) {
    record.Fail(from, fmt::format("{} found after a closing quote, must be a separator",
                                  Quote({from, std::find(from, end, separator)}, 40)));
  }
  return {WithoutFormulaGuard(*scratch), at, from};
}

}  // namespace

CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch) {
  const char* const end = record.text().data() + record.text().size();
  const char* const first = SkipBlanks(at, end, separator);
  if (first != end && *first == '"') return TakeQuoted(record, first, separator, scratch);
  const char* const stop = std::find(first, end, separator);
  return {Trimmed({first, stop}), first, stop};
}

namespace {

struct HeaderCell {
  std::string name;
  const char* at;
};

// Joins the lines of a quoted name; spreadsheets break long names into several lines.
std::string JoinNameLines(std::string_view name) {
  std::string line;
  bool broken = false;
  for (char c : name) {
    const bool breaks = c == '\n' || c == '\r' || c == '\t';
    broken |= breaks;
    if (breaks || (broken && c == ' ')) continue;
    if (broken) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (!line.empty()) line += ' ';
    }
    broken = false;
    line += c;
  }
  return std::string(Trimmed(line));
}

std::vector<HeaderCell> SplitHeader(const TextRecords& record, char separator) {
  std::vector<HeaderCell> cells;
  std::string scratch;
  const char* at = record.text().data();
  const char* const end = at + record.text().size();
  for (;; ++at) {
    const CsvCell cell = TakeCell(record, at, separator, &scratch);
    const bool quoted = cell.at != end && *cell.at == '"';
    cells.push_back({quoted ? JoinNameLines(cell.text) : std::string(cell.text), cell.at});
    at = cell.stop;
    if (at == end) return cells;
    if (cells.size() == kMostColumns) {
      record.Fail(at,
                  fmt::format("more than {0} columns found, must be at most {0}", kMostColumns));
    }
  }
}

bool IsTime(std::string_view name, const ReadOptions& options) {
  if (!options.time_column.empty()) return name == options.time_column;
  return SameWord(name, "time") || SameWord(name, "t");
}

// Returns true for names such as "time [ms]" and "t (s)", but not for "T [K]", a temperature.
bool IsTimeWithUnit(std::string_view name, const ReadOptions& options) {
  if (!options.time_column.empty() || name.empty()) return false;
  const std::size_t open = name.find_first_of("[(");
  if (open == std::string_view::npos) return false;
  if (name.back() != (name[open] == '[' ? ']' : ')')) return false;
  const std::string_view word = Trimmed(name.substr(0, open));
  return SameWord(word, "time") || word == "t";
}

bool HasTime(const std::vector<HeaderCell>& cells, const ReadOptions& options) {
  return std::any_of(cells.begin(), cells.end(), [&](const HeaderCell& cell) {
    return IsTime(cell.name, options) || IsTimeWithUnit(cell.name, options);
  });
}

bool IsTrajectory(std::string_view name, const ReadOptions& options) {
  if (!options.trajectory_column.empty()) return name == options.trajectory_column;
  return SameWord(name, "trajectory");
}

// Returns the separator with which the header has a time column; otherwise the most frequent one.
char FindSeparator(const TextRecords& record, const ReadOptions& options) {
  const std::string_view text = record.text();
  char best = ',';
  std::ptrdiff_t most = 0;
  for (char separator : {'\t', ';', ','}) {
    const std::ptrdiff_t count = std::count(text.begin(), text.end(), separator);
    if (count > most) {
      best = separator;
      most = count;
    }
  }
  for (char separator : {'\t', ';', ','}) {
    if (text.find(separator) == std::string_view::npos) continue;
    try {
      if (HasTime(SplitHeader(record, separator), options)) return separator;
    } catch (const InputError&) {  // the quotes are wrong for this separator
    }
  }
  return best;
}

void CheckNames(const TextRecords& record, const std::vector<HeaderCell>& cells) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [name, at] = cells[i];
    if (name.empty()) {
      record.Fail(at, fmt::format("column {} has no name, must have one", i + 1));
    }
    if (!IsPrintableUtf8(name)) {
      record.Fail(at, fmt::format("name {} found, must be printable UTF-8", Quote(name, 40)));
    }
    if (!seen.insert(name).second) {
      record.Fail(at, fmt::format("a second column {} found, names must differ", Quote(name, 40)));
    }
  }
}

[[noreturn]] void FailColumn(const TextRecords& record, const std::vector<HeaderCell>& cells,
                             std::string_view wanted) {
  std::vector<std::string> names;
  for (const HeaderCell& cell : cells) names.push_back(cell.name);
  record.Fail(record.text().data(), fmt::format("columns {} found, {}", ListOf(names), wanted));
}

std::size_t FindTime(const TextRecords& record, const std::vector<HeaderCell>& cells,
                     const ReadOptions& options) {
  std::size_t time = cells.size();
  const bool plain = std::any_of(cells.begin(), cells.end(), [&](const HeaderCell& cell) {
    return IsTime(cell.name, options);
  });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!(plain ? IsTime : IsTimeWithUnit)(cells[i].name, options)) continue;
    if (time < cells.size()) {
      record.Fail(cells[i].at, fmt::format("columns {} and {} could both be the time; choose one "
                                           "with --time",
                                           Quote(cells[time].name), Quote(cells[i].name)));
    }
    time = i;
  }
  if (time == cells.size()) {
    FailColumn(record, cells,
               options.time_column.empty()
                   ? "none is named 'time' or 't'; name the time column with --time"
                   : fmt::format("none is the time column {}", Quote(options.time_column)));
  }
  return time;
}

// Returns the role of a column that is neither time nor trajectory. If the options name channels,
// these are numbered in the order of the options, and all other columns are ignored.
int ChannelRole(std::string_view name, const ReadOptions& options, CsvHeader* header) {
  if (options.channels.empty()) {
    header->channels.emplace_back(name);
    return static_cast<int>(header->channels.size()) - 1;
  }
  const auto found = std::find(options.channels.begin(), options.channels.end(), name);
  if (found == options.channels.end()) return kOtherColumn;
  return static_cast<int>(found - options.channels.begin());
}

void AssignRoles(const TextRecords& record, const std::vector<HeaderCell>& cells,
                 const ReadOptions& options, CsvHeader* header) {
  const std::size_t time = FindTime(record, cells, options);
  header->time_name = cells[time].name;
  bool has_trajectory = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    header->names.push_back(cells[i].name);
    const bool trajectory = i != time && !has_trajectory && IsTrajectory(cells[i].name, options);
    has_trajectory |= trajectory;
    header->roles.push_back(i == time    ? static_cast<int>(kTimeColumn)
                            : trajectory ? static_cast<int>(kTrajectoryColumn)
                                         : ChannelRole(cells[i].name, options, header));
  }
  if (!options.trajectory_column.empty() && !has_trajectory) {
    FailColumn(record, cells,
               fmt::format("none is the trajectory column {}", Quote(options.trajectory_column)));
  }
}

void CheckChannels(const TextRecords& record, const std::vector<HeaderCell>& cells,
                   const ReadOptions& options, CsvHeader* header) {
  if (header->channels.empty()) header->channels = options.channels;
  for (std::size_t c = 0; c < options.channels.size(); ++c) {
    if (std::find(header->roles.begin(), header->roles.end(), static_cast<int>(c)) ==
        header->roles.end()) {
      FailColumn(record, cells, fmt::format("none is the channel {}", Quote(options.channels[c])));
    }
  }
  if (header->channels.empty())
    FailColumn(record, cells, "none is a channel, must be at least one");
}

}  // namespace

CsvHeader ReadHeader(const TextRecords& record, const ReadOptions& options) {
  CsvHeader header;
  header.separator = options.separator != 0 ? options.separator : FindSeparator(record, options);
  const std::vector<HeaderCell> cells = SplitHeader(record, header.separator);
  CheckNames(record, cells);
  AssignRoles(record, cells, options, &header);
  CheckChannels(record, cells, options, &header);
  return header;
}

}  // namespace gpode::internal
