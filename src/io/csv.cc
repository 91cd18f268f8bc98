#include "io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "data/dates.h"
#include "io/csv_cells.h"
#include "io/csv_header.h"
#include "io/csv_rows.h"
#include "io/csv_sample.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/utf8.h"

namespace gpode {
namespace internal {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CsvReader {
 public:
  CsvReader(TextRecords* records, const ReadOptions& options, std::vector<std::string>* notes)
      : records_(*records), options_(options), notes_(*notes), decimal_(options.decimal) {
    for (const std::string& marker : options.missing) {
      if (const auto number = ToNumber(marker)) missing_numbers_.push_back(*number);
    }
  }

  Dataset Read() {
    const CsvBeginning beginning = LookAhead();
    for (std::size_t i = 0; i < options_.skip; ++i) records_.SkipLine();
    if (!NextFilled()) records_.FailFile("is empty, must have a header and rows");
    layout_ = FindLayout(records_, beginning, options_, &notes_);
    // In a file separated by commas, numbers with decimal commas would have to be quoted. They are
    // accepted only if the options ask for them.
    if (layout_.separator == ',' && decimal_ == 0) decimal_ = '.';
    values_.resize(layout_.channels.size());
    time_texts_.resize(layout_.time_columns.size());
    trajectory_texts_.resize(layout_.trajectory_columns.size());
    return layout_.is_long ? ReadLong() : ReadWide();
  }

 private:
  CsvBeginning LookAhead() {
    CsvBeginning beginning{std::string(records_.LookAhead(kSampleBytes)), false};
    beginning.is_whole = beginning.text.size() < kSampleBytes;
    return beginning;
  }

  // Moves to the next record that is neither a comment nor blank; returns false at the end.
  bool NextFilled() {
    while (records_.Next()) {
      const std::string_view text = records_.text();
      if (text.empty() || text[0] == '#') continue;
      if (text[0] > ' ' || !Trimmed(text).empty()) return true;
    }
    return false;
  }

  // Calls store() for every row.
  template <typename Store>
  void ForRows(Store store) {
    has_texts_ = layout_.time == CsvTime::kDates || layout_.time == CsvTime::kClocks ||
                 layout_.epoch_unit > 0 || !trajectory_texts_.empty();
    layout_.separator == ' ' ? ForRowsWith<true>(store) : ForRowsWith<false>(store);
  }

  template <bool kBlanks, typename Store>
  void ForRowsWith(Store store) {
    if (!layout_.has_header && ReadRow<kBlanks>()) store();
    while (NextFilled()) {
      if (ReadRow<kBlanks>()) store();
    }
  }

  Dataset ReadWide() {
    RowTable rows(&records_, options_, layout_.channels.size());
    const bool is_plain = layout_.time != CsvTime::kRows && missing_numbers_.empty();
    ForRows([&] {
      if (name_changed_) [[unlikely]] {
        rows.SetTrajectory(name_);
        name_changed_ = false;
      }
      if (!is_plain) {
        if (layout_.time == CsvTime::kRows) {
          time_ = layout_.dt * static_cast<double>(rows.rows());
        }
        for (double& value : values_) DropMarker(&value);
      }
      rows.Add(time_, values_);
    });
    if (rows.empty()) FailNoRows();
    Dataset data = Described();
    data.channels = layout_.channels;
    data.trajectories = rows.Finish(&notes_);
    return data;
  }

  Dataset ReadLong() {
    if (options_.sample_rows > 0) {
      records_.FailFile("is in long format, must have one row per time for a sample of rows");
    }
    LongTable values(&records_, options_);
    ForRows([&] {
      DropMarker(&values_[0]);
      values.Add(name_, time_, channel_, values_[0]);
    });
    if (values.empty()) FailNoRows();
    Dataset data = Described();
    Dataset read = values.Finish(&notes_);
    data.channels = std::move(read.channels);
    data.trajectories = std::move(read.trajectories);
    if (!options_.channels.empty()) {
      SelectChannels(ColumnsToRead(options_, data.channels), records_.name(), &data);
    }
    return data;
  }

  [[noreturn]] void FailNoRows() const {
    records_.FailFile("has a header but no rows, must have at least one");
  }

  // Returns a data set that has what is known about times. Dates are seconds since 1970.
  Dataset Described() const {
    Dataset data;
    data.time_name = layout_.time_name;
    if (layout_.time == CsvTime::kDates || layout_.epoch_unit > 0) {
      data.calendar = {.unit = 1,
                       .origin = 0,
                       .is_utc = layout_.epoch_unit > 0 || has_zones_.value_or(false),
                       .order = layout_.order};
    }
    if (layout_.time == CsvTime::kClocks) data.time_name += " [s]";
    return data;
  }

  void DropMarker(double* value) const {
    if (std::find(missing_numbers_.begin(), missing_numbers_.end(), *value) !=
        missing_numbers_.end()) {
      *value = kNan;
    }
  }

  // Reads a row into time_, values_, name_ and channel_; returns false for a row of separators
  // only. kBlanks is true if spaces and tabs separate cells.
  template <bool kBlanks>
  bool ReadRow() {
    const std::string_view text = records_.text();
    const char* at = text.data();
    const char* const end = at + text.size();
    const std::size_t columns = layout_.roles.size();
    if constexpr (kBlanks) at += text.find_first_not_of(" \t");
    for (std::size_t column = 0; column < columns; ++column) {
      const int role = layout_.roles[column];
      at = role >= kTimeColumn ? ReadNumber(at, end, column) : ReadWord(at, column);
      if (at == nullptr) return false;
      if constexpr (kBlanks) at = LastBlank(at, end);
      if ((at == end) != (column + 1 == columns)) [[unlikely]] {
        CheckRagged(at, column);
        break;
      }
      ++at;
    }
    if (has_texts_) FinishRow();
    return true;
  }

  void FinishRow() {
    if (layout_.time == CsvTime::kDates || layout_.time == CsvTime::kClocks) ParseTimeTexts();
    if (layout_.epoch_unit > 0) time_ *= layout_.epoch_unit;
    if (!trajectory_texts_.empty()) SetName();
  }

  // Reads the number in a cell that begins at `at`. Plain finite numbers, almost all in practice,
  // are read without copying the cell. Returns the end of the cell, or nullptr for a blank row.
  const char* ReadNumber(const char* at, const char* end, std::size_t column) {
    double value;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (stop != end && *stop != layout_.separator) ||
        !std::isfinite(value) || decimal_ != '.') [[unlikely]] {
      return ReadUnusualNumber(at, column);
    }
    Store(layout_.roles[column], value);
    return stop;
  }

  void Store(int role, double value) {
    (role == kTimeColumn ? time_ : values_[static_cast<std::size_t>(role)]) = value;
  }

  const char* ReadUnusualNumber(const char* at, std::size_t column) {
    const CsvCell cell = TakeCell(records_, at, layout_.separator, &scratch_);
    const std::string_view text = Trimmed(cell.text);
    const int role = layout_.roles[column];
    if (IsMissingCell(text, options_)) {
      const bool may_be_blank = role == kTimeColumn || layout_.time == CsvTime::kRows;
      if (may_be_blank && text.empty() && IsBlankRow()) return nullptr;
      if (role == kTimeColumn) FailNumber(cell, column, "must be a number");
      Store(role, kNan);
      return cell.stop;
    }
    const std::optional<double> value = ToNumber(WithDecimalPoint(text, cell, column));
    if (!value) FailNumber(cell, column, AcceptedNumber(text, role));
    if (std::isinf(*value) || (std::isnan(*value) && role == kTimeColumn)) {
      FailNumber(cell, column,
                 role == kTimeColumn ? "must be finite" : "must be finite, or empty for missing");
    }
    Store(role, *value);
    return cell.stop;
  }

  std::string_view AcceptedNumber(std::string_view text, int role) const {
    if (text.find(',') != std::string_view::npos && decimal_ == '.') {
      return "must be a number with a decimal point; see --decimal";
    }
    return role == kTimeColumn ? "must be a number"
                               : "must be a number, or empty for missing; see --missing";
  }

  // Returns a number's text with a decimal point instead of a comma. A file has either decimal
  // points or decimal commas; unless the options say which, its first number with a mark decides.
  std::string_view WithDecimalPoint(std::string_view text, const CsvCell& cell,
                                    std::size_t column) {
    const std::size_t mark = text.find_first_of(".,");
    if (mark == std::string_view::npos) return text;
    if (decimal_ == 0) decimal_ = text[mark];
    if (decimal_ == '.') return text;
    if (text[mark] == '.')
      FailNumber(cell, column, "must be a number with a decimal comma; see --decimal");
    with_point_ = text;
    with_point_[mark] = '.';
    return with_point_;
  }

  // Reads a cell that is not a number. Returns the end of the cell, or nullptr for a blank row.
  const char* ReadWord(const char* at, std::size_t column) {
    const CsvCell cell = TakeCell(records_, at, layout_.separator, &scratch_);
    const int role = layout_.roles[column];
    if (role == kOtherColumn) return cell.stop;
    const std::string_view text = Trimmed(cell.text);
    if (text.empty() && IsBlankRow()) return nullptr;
    if (role == kTimeText) {
      PartOf(column, layout_.time_columns, &time_texts_) = text;
      return cell.stop;
    }
    const std::string_view what = role == kNameColumn ? "the channel" : "the trajectory";
    if (text.empty()) records_.Fail(cell.at, fmt::format("{} is missing, must be a name", what));
    std::string& kept = role == kNameColumn
                            ? channel_
                            : PartOf(column, layout_.trajectory_columns, &trajectory_texts_);
    if (text == kept) return cell.stop;
    if (!IsPrintableUtf8(text)) {
      records_.Fail(cell.at, fmt::format("{} {} found, must be printable UTF-8", what.substr(4),
                                         Quote(text, 40)));
    }
    kept = text;
    return cell.stop;
  }

  // Returns the text of a column among those of several columns that belong together.
  static std::string& PartOf(std::size_t column, const std::vector<std::size_t>& columns,
                             std::vector<std::string>* texts) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    return (*texts)[static_cast<std::size_t>(found - columns.begin())];
  }

  void SetName() {
    joined_name_ = trajectory_texts_[0];
    for (std::size_t i = 1; i < trajectory_texts_.size(); ++i) {
      joined_name_ += "/" + trajectory_texts_[i];
    }
    if (joined_name_ == name_) return;
    name_ = joined_name_;
    name_changed_ = true;
  }

  void ParseTimeTexts() {
    std::string& text = time_text_;
    text = time_texts_[0];
    for (std::size_t i = 1; i < time_texts_.size(); ++i) text += " " + time_texts_[i];
    if (layout_.time == CsvTime::kClocks) {
      const std::optional<double> seconds = ParseClock(text);
      if (!seconds) FailTime("must be a time of day such as 18:00:00");
      time_ = *seconds;
      return;
    }
    const std::optional<DateText> date = ParseDateText(text, layout_.order);
    if (!date || !date->has_date) {
      FailTime(
          "must be a date such as 2004-03-10, with or without 18:00:00 and Z or +01:00; see "
          "--dates");
    }
    if (!has_zones_) has_zones_ = date->has_zone;
    if (*has_zones_ != date->has_zone) {
      FailTime(*has_zones_ ? "must have a time zone as the rows before"
                           : "must have no time zone as the rows before");
    }
    time_ = date->seconds;
  }

  [[noreturn]] void FailTime(std::string_view right) const {
    records_.Fail(records_.text().data(),
                  fmt::format("{} found in column {}, {}",
                              time_text_.empty() ? "nothing" : Quote(time_text_, 40),
                              Quote(layout_.time_name, 40), right));
  }

  bool IsBlankRow() const {
    return std::all_of(records_.text().begin(), records_.text().end(), [&](char c) {
      return c == ' ' || c == '\t' || c == ',' || c == layout_.separator;
    });
  }

  [[noreturn]] void FailNumber(const CsvCell& cell, std::size_t column,
                               std::string_view right) const {
    const std::string_view text = Trimmed(cell.text);
    records_.Fail(cell.at, fmt::format("{} found in column {}, {}",
                                       text.empty() ? "nothing" : Quote(text, 40),
                                       Quote(layout_.names[column], 40), right));
  }

  // Checks a row whose number of cells is not that of the header: `at` is the end of the cell in
  // `column`. The row may end in further separators, and columns that are not used may be missing.
  void CheckRagged(const char* at, std::size_t column) const {
    const char* const end = records_.text().data() + records_.text().size();
    const auto is_unused = [](int role) { return role == kOtherColumn; };
    const auto is_filler = [](char c) { return c == ' ' || c == '\t' || c == ',' || c == ';'; };
    const bool longer = column + 1 == layout_.roles.size();
    if (longer ? std::all_of(at, end, is_filler)
               : std::all_of(layout_.roles.begin() + static_cast<std::ptrdiff_t>(column) + 1,
                             layout_.roles.end(), is_unused)) {
      return;
    }
    FailRagged();
  }

  [[noreturn]] void FailRagged() const {
    const char* at = records_.text().data();
    const char* const end = at + records_.text().size();
    std::string scratch;
    std::size_t cells = 1;
    for (; (at = TakeCell(records_, at, layout_.separator, &scratch).stop) != end; ++at) ++cells;
    records_.Fail(
        records_.text().data(),
        fmt::format("{} cell{} found, must be {} as in the {}; see --skip and --separator", cells,
                    cells == 1 ? "" : "s", layout_.roles.size(),
                    layout_.has_header ? "header" : "first row"));
  }

  TextRecords& records_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  CsvLayout layout_;
  char decimal_;  // the decimal mark; 0 until it is known
  std::vector<double> missing_numbers_;
  double time_ = 0;
  std::vector<double> values_;
  std::string name_, channel_;  // names of the trajectory and, in long format, of the channel
  bool name_changed_ = false;
  bool has_texts_ = false;                                  // true if rows have texts to parse
  std::vector<std::string> time_texts_, trajectory_texts_;  // one per column
  std::optional<bool> has_zones_;                           // true if dates have time zones
  std::string scratch_, with_point_, time_text_, joined_name_;
};

Dataset ReadAll(TextRecords* records, const ReadOptions& options, std::vector<std::string>* notes) {
  try {
    return CsvReader(records, options, notes).Read();
  } catch (const std::bad_alloc&) {
    records->FailFile("is too large, must fit in memory");
  }
}

}  // namespace

Dataset ParseCsv(TextRecords* records, const ReadOptions& options,
                 std::vector<std::string>* notes) {
  std::vector<std::string> ignored;
  Dataset data = ReadAll(records, options, notes != nullptr ? notes : &ignored);
  // A file without trajectory names has one trajectory, which is named after the file.
  if (data.trajectories[0].name.empty()) data.trajectories[0].name = NameOf(records->name());
  return data;
}

}  // namespace internal

Dataset ReadCsv(const std::filesystem::path& path, const ReadOptions& options,
                std::vector<std::string>* notes) {
  internal::CheckReadOptions(options);
  internal::TextRecords records(path, internal::Quoting::kDoubled);
  Dataset data = internal::ParseCsv(&records, options, notes);
  internal::FinishReading(records.name(), options, &data, notes);
  return data;
}

Dataset ReadCsvText(std::string_view text, std::string_view source_name, const ReadOptions& options,
                    std::vector<std::string>* notes) {
  internal::CheckReadOptions(options);
  internal::TextRecords records(text, source_name, internal::Quoting::kDoubled);
  Dataset data = internal::ParseCsv(&records, options, notes);
  internal::FinishReading(records.name(), options, &data, notes);
  return data;
}

}  // namespace gpode
