// Where results go: a .csv or .npz file, or "-" for standard output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpode/data_files.h"

namespace gpode::tool {

// Throws an InputError unless a file can be written there, or if that would replace one of the
// files that are read; nothing is written yet.
void CheckOutput(std::string_view path, std::span<const std::string> inputs = {});
// The same of a table, which must not be taken for something else later.
void CheckTable(std::string_view path, std::span<const std::string> inputs = {});

void WriteResult(const std::string& path, const Dataset& data);
// Rows without times; in an archive each column is an array.
void WriteResult(const std::string& path, std::span<const Column> columns);

// Of numbers on standard output, and of remarks beside it: standard error where "-" takes the
// first.
void PrintLine(std::string_view text);
void PrintRemark(std::string_view text);

// Whether standard output (or standard error) is a terminal that wants colours.
bool Coloured();
bool ErrorIsTerminal();

}  // namespace gpode::tool
