// Output of results: a .csv or .npz file, or "-" for standard output.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gpode/data_files.h"
#include "safe_text.h"

namespace gpode::tool {

// Throws an InputError unless a file can be written to the path and is not one of the inputs.
// Writes nothing: commands call this before they start their work.
void CheckOutput(std::string_view path, std::span<const std::string> inputs = {});

// Throws an InputError if the path has the ending of another kind of file. Such a file is probably
// named by mistake, and would be lost.
enum class OutputKind { kTable, kPage, kModel, kRuns, kJson, kText, kOther };
void CheckEnding(std::string_view path, OutputKind kind);

// Calls CheckOutput and CheckEnding for a table.
void CheckTable(std::string_view path, std::span<const std::string> inputs = {});

// Does the same for a file that a command writes beside what it prints, so that it cannot be
// standard output: results as JSON (kJson), or equations (kText). An empty path means that no file
// is wanted.
void CheckSecondOutput(std::string_view path, OutputKind kind, std::span<const std::string> inputs);

void WriteResult(const std::string& path, const Dataset& data);
// Writes columns without times. In an .npz file, each column is an array.
void WriteResult(const std::string& path, std::span<const Column> columns);

// These functions print on standard output. They never throw. When the work is done and its results
// are saved, StandardOutputIsComplete tells whether everything could be written. All functions but
// WriteToStandardOutput escape control characters (safe_text.h).
void WriteToStandardOutput(std::string_view text);
template <typename... T>
void Print(fmt::format_string<T...> format, T&&... values) {
  WriteToStandardOutput(SafeText(fmt::format(format, std::forward<T>(values)...)));
}
void PrintLine(std::string_view text);
void PrintJson(std::string_view json);
bool StandardOutputIsComplete();

// These functions print on standard error, at once. They never throw, and text that cannot be
// written is lost: a run must not end because nobody can read of its progress.
void WriteToStandardError(std::string_view text);
template <typename... T>
void PrintToError(fmt::format_string<T...> format, T&&... values) {
  WriteToStandardError(fmt::format(format, std::forward<T>(values)...));
}
// Prints a line on standard error, for remarks while the result goes to standard output. Escapes
// control characters.
void PrintRemark(std::string_view text);

// Opens those of the descriptors 0, 1 and 2 that are closed, so that no file that is opened later
// gets one of these numbers, and with it the text that is printed. Reading from them and writing to
// them fails as before. Must be called before anything is opened.
void OpenStandardDescriptors();

// Returns true if standard output is a terminal and NO_COLOR is not set.
bool Coloured();
// Returns true if standard error is a terminal.
bool ErrorIsTerminal();

}  // namespace gpode::tool
