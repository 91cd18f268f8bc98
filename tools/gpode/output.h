// Output of results: a .csv or .npz file, or "-" for standard output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpode/data_files.h"

namespace gpode::tool {

// Throws an InputError unless a file can be written to the path and is not one of the inputs.
// Writes nothing: commands call this before they start their work.
void CheckOutput(std::string_view path, std::span<const std::string> inputs = {});
// Does the same for a table, which must not have the extension of another kind of file.
void CheckTable(std::string_view path, std::span<const std::string> inputs = {});

void WriteResult(const std::string& path, const Dataset& data);
// Writes columns without times. In an .npz file, each column is an array.
void WriteResult(const std::string& path, std::span<const Column> columns);

// Prints a line on standard output.
void PrintLine(std::string_view text);
// Prints a line on standard error, for remarks while the result goes to standard output.
void PrintRemark(std::string_view text);

// Returns true if standard output is a terminal, unless NO_COLOR is set.
bool Coloured();
// Returns true if standard error is a terminal.
bool ErrorIsTerminal();

}  // namespace gpode::tool
