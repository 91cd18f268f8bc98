#include "io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <unordered_map>

#include "io/csv_cells.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/utf8.h"

namespace gpode {
namespace internal {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A trajectory that is being read. Its matrix has room for more rows than were read so far.
struct TrajectoryBuilder {
  Trajectory trajectory;
  std::size_t last_line = 0;

  void Append(double time, const std::vector<double>& values, std::size_t line) {
    Matrix& matrix = trajectory.values;
    const auto row = static_cast<Eigen::Index>(trajectory.times.size());
    if (row == matrix.rows()) {
      // realloc moves the pages of a large matrix instead of copying them, so that the old and the
      // new matrix do not need memory at the same time.
      matrix.conservativeResize(std::max<Eigen::Index>(16, row + row / 2),
                                static_cast<Eigen::Index>(values.size()));
    }
    std::copy(values.begin(), values.end(), matrix.data() + row * matrix.cols());
    trajectory.times.push_back(time);
    last_line = line;
  }

  Trajectory Finish() {
    trajectory.values.conservativeResize(static_cast<Eigen::Index>(trajectory.times.size()),
                                         trajectory.values.cols());
    trajectory.times.shrink_to_fit();
    return std::move(trajectory);
  }
};

class CsvReader {
 public:
  CsvReader(TextRecords* records, const ReadOptions& options)
      : records_(*records), options_(options), decimal_(options.decimal) {}

  Dataset Read() {
    if (!NextFilled()) records_.FailFile("is empty, must have a header and rows");
    header_ = ReadHeader(records_, options_);
    // In a file separated by commas, numbers with decimal commas would have to be quoted. They are
    // accepted only if the options ask for them.
    if (header_.separator == ',' && decimal_ == 0) decimal_ = '.';
    values_.resize(header_.channels.size());
    while (NextFilled()) {
      if (ReadRow()) StoreRow();
    }
    if (builders_.empty()) records_.FailFile("has a header but no rows, must have at least one");
    Dataset data{.channels = header_.channels, .trajectories = {}, .time_name = header_.time_name};
    for (TrajectoryBuilder& builder : builders_) data.trajectories.push_back(builder.Finish());
    return data;
  }

 private:
  // Moves to the next record that is neither a comment nor blank; returns false at the end.
  bool NextFilled() {
    while (records_.Next()) {
      const std::string_view text = records_.text();
      if (text.empty() || text[0] == '#') continue;
      if (text[0] > ' ' || !Trimmed(text).empty()) return true;
    }
    return false;
  }

  // Reads a row into time_, values_ and name_; returns false for a row of separators only.
  bool ReadRow() {
    const std::string_view text = records_.text();
    const char* at = text.data();
    const char* const end = at + text.size();
    const std::size_t columns = header_.roles.size();
    for (std::size_t column = 0; column < columns; ++column) {
      const int role = header_.roles[column];
      at = role >= kTimeColumn ? ReadNumber(at, end, column) : ReadWord(at, role);
      if (at == nullptr) return false;
      if ((at == end) != (column + 1 == columns)) FailRagged();
      ++at;
    }
    return true;
  }

  // Reads the number in a cell that begins at `at`. Plain finite numbers, almost all in practice,
  // are read without copying the cell. Returns the end of the cell, or nullptr for a blank row.
  const char* ReadNumber(const char* at, const char* end, std::size_t column) {
    double value;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (stop != end && *stop != header_.separator) ||
        !std::isfinite(value) || decimal_ != '.') [[unlikely]] {
      return ReadUnusualNumber(at, column);
    }
    Store(header_.roles[column], value);
    return stop;
  }

  void Store(int role, double value) {
    (role == kTimeColumn ? time_ : values_[static_cast<std::size_t>(role)]) = value;
  }

  const char* ReadUnusualNumber(const char* at, std::size_t column) {
    const CsvCell cell = TakeCell(records_, at, header_.separator, &scratch_);
    const std::string_view text = Trimmed(cell.text);
    const int role = header_.roles[column];
    if (IsMissing(text)) {
      if (role == kTimeColumn && IsBlankRow()) return nullptr;
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
    return role == kTimeColumn ? "must be a number" : "must be a number, or empty for missing";
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

  const char* ReadWord(const char* at, int role) {
    const CsvCell cell = TakeCell(records_, at, header_.separator, &scratch_);
    if (role != kTrajectoryColumn) return cell.stop;
    const std::string_view name = Trimmed(cell.text);
    if (name.empty() && IsBlankRow()) return nullptr;
    if (name.empty()) records_.Fail(cell.at, "the trajectory is missing, must be a name");
    if (name != name_) {
      if (!IsPrintableUtf8(name)) {
        records_.Fail(cell.at,
                      fmt::format("trajectory {} found, must be printable UTF-8", Quote(name, 40)));
      }
      name_ = name;
      current_ = nullptr;
    }
    return cell.stop;
  }

  bool IsBlankRow() const {
    return std::all_of(records_.text().begin(), records_.text().end(),
                       [&](char c) { return c == ' ' || c == '\t' || c == header_.separator; });
  }

  void StoreRow() {
    if (current_ == nullptr) {
      const auto [found, is_new] = indices_.try_emplace(name_, builders_.size());
      if (is_new) builders_.emplace_back().trajectory.name = name_;
      current_ = &builders_[found->second];
    }
    const std::vector<double>& times = current_->trajectory.times;
    if (!times.empty() && !(time_ > times.back())) [[unlikely]]
      FailOrder(times.back());
    current_->Append(time_, values_, records_.line());
  }

  [[noreturn]] void FailNumber(const CsvCell& cell, std::size_t column,
                               std::string_view right) const {
    const std::string_view text = Trimmed(cell.text);
    records_.Fail(cell.at, fmt::format("{} found in column {}, {}",
                                       text.empty() ? "nothing" : Quote(text, 40),
                                       Quote(header_.names[column], 40), right));
  }

  [[noreturn]] void FailOrder(double before) const {
    const std::string where =
        name_.empty() ? "" : fmt::format(" of trajectory {}", Quote(name_, 40));
    records_.Fail(records_.text().data(),
                  time_ == before
                      ? fmt::format("time {}{} is repeated from line {}, times must increase",
                                    time_, where, current_->last_line)
                      : fmt::format("time {}{} comes after {} on line {}, times must increase",
                                    time_, where, before, current_->last_line));
  }

  [[noreturn]] void FailRagged() const {
    const char* at = records_.text().data();
    const char* const end = at + records_.text().size();
    std::string scratch;
    std::size_t cells = 1;
    for (; (at = TakeCell(records_, at, header_.separator, &scratch).stop) != end; ++at) ++cells;
    records_.Fail(records_.text().data(),
                  fmt::format("{} cell{} found, must be {} as in the header", cells,
                              cells == 1 ? "" : "s", header_.roles.size()));
  }

  TextRecords& records_;
  const ReadOptions& options_;
  CsvHeader header_;
  char decimal_;  // the decimal mark; 0 until it is known
  double time_ = 0;
  std::vector<double> values_;
  std::string name_, scratch_, with_point_;
  TrajectoryBuilder* current_ = nullptr;  // the trajectory called name_
  std::vector<TrajectoryBuilder> builders_;
  std::unordered_map<std::string, std::size_t> indices_;
};

Dataset ReadAll(TextRecords* records, const ReadOptions& options) {
  try {
    return CsvReader(records, options).Read();
  } catch (const std::bad_alloc&) {
    records->FailFile("is too large, must fit in memory");
  }
}

}  // namespace

Dataset ParseCsv(TextRecords* records, const ReadOptions& options) {
  Dataset data = ReadAll(records, options);
  // A file without trajectory names has one trajectory, which is named after the file.
  if (data.trajectories[0].name.empty()) data.trajectories[0].name = NameOf(records->name());
  return data;
}

}  // namespace internal

Dataset ReadCsv(const std::filesystem::path& path, const ReadOptions& options) {
  internal::CheckReadOptions(options);
  internal::TextRecords records(path, internal::Quoting::kDoubled);
  Dataset data = internal::ParseCsv(&records, options);
  internal::CheckReadData(data, records.name(), options);
  return data;
}

Dataset ReadCsvText(std::string_view text, std::string_view source_name,
                    const ReadOptions& options) {
  internal::CheckReadOptions(options);
  internal::TextRecords records(text, source_name, internal::Quoting::kDoubled);
  Dataset data = internal::ParseCsv(&records, options);
  internal::CheckReadData(data, records.name(), options);
  return data;
}

}  // namespace gpode
