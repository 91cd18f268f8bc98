#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "gpode/data_files.h"
#include "gpode/error.h"
#include "io/files.h"
#include "io/formula_guard.h"
#include "io/number_text.h"

namespace gpode {
namespace {

// Appends a word. It is quoted if a reader would otherwise not get the same word back. A word that
// a spreadsheet would take for a formula is guarded by an apostrophe (formula_guard.h).
void AppendWord(std::string_view word, std::string* out) {
  const bool guarded = internal::NeedsFormulaGuard(word);
  const bool plain = !guarded && !word.empty() &&
                     word.find_first_of(",;\t\"\r\n") == std::string_view::npos && word[0] != '#' &&
                     internal::Trimmed(word).size() == word.size();
  if (plain) {
    *out += word;
    return;
  }
  *out += '"';
  if (guarded) *out += '\'';
  for (char c : word) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

void AppendNumber(double value, std::string* out) {
  if (std::isnan(value)) return;
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  GPODE_CHECK(error == std::errc());
  out->append(digits.data(), end);
}

void AppendRow(std::span<const Column> columns, std::size_t row, std::string* out) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) *out += ',';
    if (columns[c].numbers.empty()) {
      AppendWord(columns[c].words[row], out);
    } else {
      AppendNumber(columns[c].numbers[row], out);
    }
  }
  *out += '\n';
}

void CheckColumns(std::span<const Column> columns) {
  if (columns.empty()) ThrowInput("WriteCsv", "columns", "is empty, must have at least one");
  for (const Column& column : columns) {
    CheckSize("WriteCsv", fmt::format("column {}", internal::Quote(column.name, 40)), column.size(),
              columns[0].size());
  }
}

// Calls put(text) for one piece of the table's text after the other, so that a large table needs
// little memory.
template <typename Put>
void WriteTable(std::span<const Column> columns, Put put) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  CheckColumns(columns);
  std::string piece;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) piece += ',';
    AppendWord(columns[c].name, &piece);
  }
  piece += '\n';
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    AppendRow(columns, row, &piece);
    if (piece.size() < kPiece) continue;
    put(piece);
    piece.clear();
  }
  put(piece);
}

}  // namespace

std::vector<Column> ColumnsOf(const Dataset& data) {
  const bool named = data.trajectories.size() > 1 ||
                     (!data.trajectories.empty() && !data.trajectories[0].name.empty());
  std::vector<Column> columns;
  if (named) columns.push_back({.name = "trajectory"});
  const std::size_t time = columns.size();
  columns.push_back({.name = "time"});
  for (const std::string& channel : data.channels) {
    columns.push_back({.name = channel});
  }
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Trajectory& t = data.trajectories[n];
    if (named) {
      columns[0].words.insert(columns[0].words.end(), t.times.size(),
                              t.name.empty() ? std::to_string(n + 1) : t.name);
    }
    if (data.calendar.IsSet()) {
      for (double when : t.times) columns[time].words.push_back(ShowTime(when, data.calendar));
    } else {
      columns[time].numbers.insert(columns[time].numbers.end(), t.times.begin(), t.times.end());
    }
    for (std::size_t c = 0; c < data.channels.size(); ++c) {
      const auto values = t.values.col(static_cast<Eigen::Index>(c));
      std::vector<double>& numbers = columns[time + 1 + c].numbers;
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
  }
  return columns;
}

void WriteCsv(const std::filesystem::path& path, std::span<const Column> columns) {
  std::string text;
  WriteTable(columns, [&](const std::string& piece) { text += piece; });
  internal::WriteFile(path, std::as_bytes(std::span(text)));
}

void WriteCsv(std::ostream& out, std::span<const Column> columns) {
  WriteTable(columns, [&](const std::string& piece) {
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  });
  out.flush();
  if (!out) ThrowInput("WriteCsv", "stream", "cannot be written to its end");
}

}  // namespace gpode
