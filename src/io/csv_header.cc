#include "io/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "io/csv_cells.h"
#include "io/csv_time.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/utf8.h"

namespace gpode::internal {
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

// Returns the cells for a separator, or none if the quotes are wrong for it.
std::vector<HeaderCell> TrySplit(const TextRecords& record, char separator) {
  try {
    return SplitHeader(record, separator);
  } catch (const InputError&) {
    return {};
  }
}

bool AreNumbers(const std::vector<HeaderCell>& cells, char separator, const ReadOptions& options) {
  bool any = false;
  const bool all = std::all_of(cells.begin(), cells.end(), [&](const HeaderCell& cell) {
    const bool number = CellNumber(cell.name, separator, options).has_value();
    any |= number;
    return number || IsMissingCell(cell.name, options);
  });
  return all && any;
}

bool HasTime(const std::vector<HeaderCell>& cells, const ReadOptions& options) {
  return std::any_of(cells.begin(), cells.end(), [&](const HeaderCell& cell) {
    return options.time_column.empty() ? IsPlainTimeName(cell.name) || IsTimeNameWithUnit(cell.name)
                                       : cell.name == options.time_column;
  });
}

// Returns the separator that gives the header a time column, or a first line of numbers only. If
// there is none, returns the most frequent separator, or a space if no other occurs.
char FindSeparator(const TextRecords& record, const ReadOptions& options) {
  const std::string_view text = Trimmed(record.text());
  const auto has = [&](char separator) { return text.find(separator) != std::string_view::npos; };
  for (char separator : {'\t', ';', ','}) {
    if (has(separator) && HasTime(TrySplit(record, separator), options)) return separator;
  }
  for (char separator : {'\t', ';', ',', ' '}) {
    const std::vector<HeaderCell> cells = TrySplit(record, separator);
    if (cells.size() > 1 && AreNumbers(cells, separator, options)) return separator;
  }
  char best = has(' ') ? ' ' : ',';
  std::ptrdiff_t most = 0;
  for (char separator : {'\t', ';', ','}) {
    const std::ptrdiff_t count = std::count(text.begin(), text.end(), separator);
    if (count > most) best = separator, most = count;
  }
  // Columns that are aligned by spaces may have a tab among them.
  const bool aligned = best == '\t' && text.find("  ") != std::string_view::npos;
  return aligned ? ' ' : best;
}

// Finds everything about one file. Its steps are called in the order of their declarations.
class LayoutFinder {
 public:
  LayoutFinder(const TextRecords& record, const CsvBeginning& beginning, const ReadOptions& options,
               std::vector<std::string>* notes)
      : record_(record), options_(options), notes_(*notes) {
    layout_.separator = options.separator != 0 ? options.separator : FindSeparator(record, options);
    cells_ = SplitHeader(record, layout_.separator);
    sample_ = TakeSample(beginning, layout_.separator, options.skip);
  }

  CsvLayout Find() {
    FindNames();
    FindFacts();
    CheckNames();
    FindLongColumns();
    FindTrajectories();
    SetTime();
    AssignRoles();
    return std::move(layout_);
  }

 private:
  // Sets the names of the columns, from the header, a comment before it, or numbers.
  void FindNames() {
    layout_.has_header = options_.header && !AreNumbers(cells_, layout_.separator, options_);
    if (!layout_.has_header) return NameByNumber();
    // Programs that pad rows with empty cells may leave commas or semicolons at the end of a header
    // that is separated by another character.
    const std::string_view text = record_.text();
    HeaderCell& last = cells_.back();
    const bool quoted = last.at != text.data() + text.size() && *last.at == '"';
    while (!quoted && (last.name.ends_with(',') || last.name.ends_with(';'))) last.name.pop_back();
    for (const HeaderCell& cell : cells_) layout_.names.push_back(cell.name);
    // Programs that write the names of rows may leave out the name of their column.
    const auto is_longer = [&](const std::vector<std::string>& row) {
      return row.size() == cells_.size() + 1 && !row.back().empty();
    };
    const bool longer = sample_.rows.size() > 1 && cells_.size() > 1 &&
                        std::all_of(sample_.rows.begin() + 1, sample_.rows.end(), is_longer);
    if (longer) {
      layout_.names.insert(layout_.names.begin(), "");
      cells_.insert(cells_.begin(), {"", record_.text().data()});
    }
  }

  void NameByNumber() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i].name = fmt::format("c{}", i + 1);
      layout_.names.push_back(cells_[i].name);
    }
    // NumPy writes the header as a comment.
    const CsvSample named = TakeSample({sample_.comment, true}, layout_.separator, 0);
    if (!sample_.comment.empty() && named.rows.size() == 1 &&
        named.rows[0].size() == cells_.size() && options_.header) {
      layout_.names = named.rows[0];
      for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].name = named.rows[0][i];
    } else if (options_.header) {
      notes_.push_back(fmt::format("no header: columns are named c1 to c{}", cells_.size()));
    }
  }

  void FindFacts() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      facts_.push_back(
          FactsOf(sample_, layout_.has_header ? 1 : 0, i, layout_.separator, options_));
    }
  }

  void CheckNames() const {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto& [name, at] = cells_[i];
      if (name.empty()) {
        const bool ignored =
            i == 0 || facts_[i].kind == ColumnKind::kEmpty || !options_.channels.empty();
        if (ignored && cells_.size() > 1 && sample_.rows.size() > 1) continue;
        record_.Fail(at, fmt::format("column {} has no name, must have one", i + 1));
      }
      if (!IsPrintableUtf8(name)) {
        record_.Fail(at, fmt::format("name {} found, must be printable UTF-8", Quote(name, 40)));
      }
      if (!seen.insert(name).second) {
        record_.Fail(at,
                     fmt::format("a second column {} found, names must differ", Quote(name, 40)));
      }
    }
  }

  std::size_t ColumnOf(std::string_view name) const {
    const auto found = std::find(layout_.names.begin(), layout_.names.end(), name);
    return static_cast<std::size_t>(found - layout_.names.begin());
  }

  // Returns the columns that a text names: one, or several separated by commas. Returns none if
  // the file does not have them.
  std::vector<std::size_t> ColumnsNamed(std::string_view text) const {
    if (ColumnOf(text) < cells_.size()) return {ColumnOf(text)};
    std::vector<std::size_t> columns;
    for (std::string_view rest = text;;) {
      const std::size_t comma = rest.find(',');
      const std::size_t column = ColumnOf(Trimmed(rest.substr(0, comma)));
      if (column == cells_.size()) return {};
      columns.push_back(column);
      if (comma == std::string_view::npos) return columns;
      rest.remove_prefix(comma + 1);
    }
  }

  [[noreturn]] void FailColumns(std::string_view wanted) const {
    std::vector<std::string> names;
    for (const HeaderCell& cell : cells_) names.push_back(cell.name);
    record_.Fail(record_.text().data(), fmt::format("columns {} found, {}", ListOf(names), wanted));
  }

  void FindLongColumns() {
    if (options_.long_name.empty()) return;
    name_column_ = ColumnOf(options_.long_name);
    value_column_ = ColumnOf(options_.long_value);
    layout_.is_long = name_column_ < cells_.size() && value_column_ < cells_.size();
    if (layout_.is_long || options_.names_are_hints) return;
    FailColumns(fmt::format(
        "none is the column {} of --long",
        Quote(name_column_ == cells_.size() ? options_.long_name : options_.long_value)));
  }

  void FindTrajectories() {
    if (options_.trajectory_column.empty() || options_.names_are_hints) {
      for (std::size_t i = 0; i < cells_.size() && layout_.trajectory_columns.empty(); ++i) {
        if (SameWord(cells_[i].name, "trajectory")) layout_.trajectory_columns = {i};
      }
    }
    if (options_.trajectory_column.empty()) return;
    const std::vector<std::size_t> named = ColumnsNamed(options_.trajectory_column);
    if (!named.empty()) layout_.trajectory_columns = named;
    if (named.empty() && !options_.names_are_hints) {
      FailColumns(
          fmt::format("none is the trajectory column {}", Quote(options_.trajectory_column)));
    }
  }

  void SetTime() {
    std::vector<std::size_t> named;
    if (!options_.time_column.empty()) named = ColumnsNamed(options_.time_column);
    if (named.empty() && !options_.time_column.empty() && !options_.names_are_hints) {
      FailColumns(fmt::format("none is the time column {}", Quote(options_.time_column)));
    }
    const TimeSearch search{layout_.names, facts_, Reserved(), options_.dt > 0};
    const FoundTime found = named.empty() ? FindTimeColumns(search) : FoundTime{named, {}, true};
    if (found.rivals.size() > 1) FailRivals(found.rivals);
    layout_.time_columns = found.columns;
    CheckOneRole();
    if (found.columns.empty()) return SetRowTime();
    if (options_.dt > 0 && !options_.names_are_hints) {
      FailColumns(fmt::format("{} holds the times; --dt is for files without times",
                              Quote(layout_.names[found.columns[0]], 40)));
    }
    SetTimeFormat();
  }

  // Returns the columns that cannot be the time.
  std::vector<std::size_t> Reserved() const {
    std::vector<std::size_t> reserved = layout_.trajectory_columns;
    if (layout_.is_long) reserved.insert(reserved.end(), {name_column_, value_column_});
    return reserved;
  }

  // Throws if options give two roles to one column.
  void CheckOneRole() const {
    std::vector<std::size_t> all = Reserved();
    all.insert(all.end(), layout_.time_columns.begin(), layout_.time_columns.end());
    std::sort(all.begin(), all.end());
    const auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice == all.end()) return;
    FailColumns(fmt::format("{} cannot have two roles of time, trajectory, name and value",
                            Quote(layout_.names[*twice], 40)));
  }

  [[noreturn]] void FailRivals(const std::vector<std::size_t>& rivals) const {
    record_.Fail(cells_[rivals[1]].at,
                 fmt::format("columns {} and {} could both be the time; choose one with --time",
                             Quote(cells_[rivals[0]].name), Quote(cells_[rivals[1]].name)));
  }

  // Without a time column, rows are dt apart. A column with one value in the first row may say how
  // far that is.
  void SetRowTime() {
    layout_.time = CsvTime::kRows;
    layout_.dt = options_.dt;
    for (std::size_t i = 0; i < cells_.size() && layout_.dt == 0; ++i) {
      const bool is_step = SameWord(cells_[i].name, "ts") || SameWord(cells_[i].name, "dt");
      if (!is_step || !(facts_[i].only_first.value_or(0) > 0)) continue;
      layout_.dt = *facts_[i].only_first;
      step_column_ = i;
      notes_.push_back(fmt::format("no time column: rows are {:g} apart, as column {} says",
                                   layout_.dt, Quote(cells_[i].name, 40)));
    }
    if (layout_.dt > 0) return;
    FailColumns(
        "none is clearly the time; name it with --time, or the time between rows with --dt");
  }

  void SetTimeFormat() {
    const std::size_t first = layout_.time_columns[0];
    const ColumnFacts& facts = facts_[first];
    const bool one = layout_.time_columns.size() == 1;
    const bool given = options_.time_format != TimeFormat::kFound;
    layout_.time_name = layout_.names[first];
    for (std::size_t i = 1; i < layout_.time_columns.size(); ++i) {
      layout_.time_name += " " + layout_.names[layout_.time_columns[i]];
    }
    if (one && (given || facts.kind == ColumnKind::kNumber || facts.kind == ColumnKind::kEmpty)) {
      layout_.epoch_unit = EpochUnit(layout_.time_name, facts, options_.time_format);
      if (given || !AreCompactDates(layout_.time_name, facts)) return;
    }
    layout_.time = one && facts.kind == ColumnKind::kClock ? CsvTime::kClocks : CsvTime::kDates;
    if (layout_.time == CsvTime::kDates) FindOrder();
  }

  void FindOrder() {
    layout_.order =
        options_.date_order != DateOrder::kFound ? options_.date_order : options_.calendar.order;
    if (layout_.order != DateOrder::kFound) return;
    std::vector<std::string> dates;
    for (std::size_t row = layout_.has_header ? 1 : 0; row < sample_.rows.size(); ++row) {
      std::string text;
      for (std::size_t column : layout_.time_columns) {
        if (column < sample_.rows[row].size()) text += sample_.rows[row][column] + " ";
      }
      dates.push_back(text);
    }
    const FoundOrder found = FindDateOrder(dates);
    layout_.order = found.order;
    if (found.unclear.empty()) return;
    record_.FailFile(
        fmt::format("dates such as {} may begin with the day or the month; say which with "
                    "--dates dmy or --dates mdy",
                    Quote(Trimmed(found.unclear), 40)));
  }

  void AssignRoles() {
    layout_.roles.assign(cells_.size(), kOtherColumn);
    for (std::size_t i : layout_.time_columns) {
      layout_.roles[i] = layout_.time == CsvTime::kNumbers ? kTimeColumn : kTimeText;
    }
    for (std::size_t i : layout_.trajectory_columns) layout_.roles[i] = kTrajectoryColumn;
    if (layout_.is_long) {
      layout_.roles[name_column_] = kNameColumn;
      layout_.roles[value_column_] = 0;
      layout_.channels = {layout_.names[value_column_]};
      NoteOthers();
    } else if (options_.channels.empty()) {
      TakeAllChannels();
    } else {
      TakeNamedChannels();
    }
    if (layout_.channels.empty()) FailColumns("none is a channel, must be at least one");
  }

  bool IsFree(std::size_t column) const {
    return layout_.roles[column] == kOtherColumn && column != step_column_ &&
           !layout_.names[column].empty() && !IsIndexColumn(column);
  }

  // Returns true for the first column if it numbers the rows, as pandas writes it.
  bool IsIndexColumn(std::size_t column) const {
    const std::string& name = layout_.names[column];
    return column == 0 && (name.empty() || name == "Unnamed: 0");
  }

  bool HoldsText(std::size_t column) const {
    const ColumnKind kind = facts_[column].kind;
    return kind == ColumnKind::kText || kind == ColumnKind::kDate || kind == ColumnKind::kClock;
  }

  void AddChannel(std::size_t column) {
    layout_.roles[column] = static_cast<int>(layout_.channels.size());
    layout_.channels.push_back(layout_.names[column]);
  }

  // Takes all columns with numbers. If there are none, takes those with text, so that the reader
  // complains about the first one.
  void TakeAllChannels() {
    std::vector<std::string> texts;
    bool any = false;
    for (std::size_t i = 0; i < cells_.size(); ++i) any |= IsFree(i) && !HoldsText(i);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!IsFree(i)) continue;
      if (any && HoldsText(i)) {
        texts.push_back(layout_.names[i]);
      } else {
        AddChannel(i);
      }
    }
    if (layout_.roles[0] == kOtherColumn && IsIndexColumn(0) && cells_.size() > 1) {
      notes_.push_back("left out the first column, which has no name");
    }
    if (!texts.empty()) {
      notes_.push_back(fmt::format("left out {} of text: {}",
                                   texts.size() == 1 ? "a column" : "columns", ListOf(texts)));
    }
  }

  void TakeNamedChannels() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (layout_.roles[i] == kOtherColumn && !layout_.names[i].empty()) {
        names.push_back(layout_.names[i]);
      }
    }
    const auto fail = [&](const std::string& pattern) {
      const bool is_input = std::ranges::find(options_.inputs, pattern) != options_.inputs.end();
      FailColumns(fmt::format("none is the {} {}", is_input ? "input" : "channel", Quote(pattern)));
    };
    const std::vector<std::string> columns = ColumnsToRead(options_, names);
    for (const std::string& name : ChooseNames(columns, names, fail)) {
      const bool exact = std::find(columns.begin(), columns.end(), name) != columns.end();
      if (exact || !HoldsText(ColumnOf(name))) AddChannel(ColumnOf(name));
    }
  }

  void NoteOthers() {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (IsFree(i)) others.push_back(layout_.names[i]);
    }
    if (others.empty()) return;
    notes_.push_back(fmt::format(
        "left out {} {}", others.size() == 1 ? "the column" : "the columns", ListOf(others)));
  }

  const TextRecords& record_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  CsvLayout layout_;
  std::vector<HeaderCell> cells_;
  CsvSample sample_;
  std::vector<ColumnFacts> facts_;
  std::size_t name_column_ = 0, value_column_ = 0;  // used only in long format
  std::size_t step_column_ = kMostColumns;          // the column with the time between rows
};

}  // namespace

CsvLayout FindLayout(const TextRecords& record, const CsvBeginning& beginning,
                     const ReadOptions& options, std::vector<std::string>* notes) {
  return LayoutFinder(record, beginning, options, notes).Find();
}

}  // namespace gpode::internal
