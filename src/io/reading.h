// Functions that the readers of all formats share: names, selection of channels, checks.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gpode/data_files.h"

namespace gpode::internal {

// Returns the file's name without folder and extension. A trajectory without a name gets this one.
std::string NameOf(const std::filesystem::path& path);

// Returns the files' names for messages about all of them: "a.csv", or "a.csv and 2 more". There
// must be at least one.
std::string NameFiles(std::span<const std::filesystem::path> files);

// Returns a list for messages: "'x', 'y' and 3 more".
std::string ListOf(std::span<const std::string> names);

// Throws an InputError for options that are out of range.
void CheckReadOptions(const ReadOptions& options, std::string_view where = "ReadOptions");

// Keeps these channels, in this order; throws an InputError if one is missing.
void SelectChannels(std::span<const std::string> channels, std::string_view file, Dataset* data);

// Throws an InputError that begins with the file's name unless the data are valid, have enough rows
// and, unless the options allow it, no channel without a value.
void CheckReadData(const Dataset& data, std::string_view file, const ReadOptions& options);

}  // namespace gpode::internal
