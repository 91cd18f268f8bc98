// Functions that the readers of all formats share: names, selection of channels, checks.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Returns true if the name matches a pattern, in which * stands for any characters and ? for one.
bool MatchesPattern(std::string_view pattern, std::string_view name);
// Returns the names that the patterns choose, in the order of the patterns. A pattern that equals a
// name chooses that name alone. Calls fail(pattern), which must throw, for a pattern that chooses
// nothing.
std::vector<std::string> ChooseNames(std::span<const std::string> patterns,
                                     const std::vector<std::string>& names,
                                     const std::function<void(const std::string&)>& fail);

// Keeps the channels that these names or patterns choose, in this order. Throws an InputError if
// one of them chooses nothing.
void SelectChannels(std::span<const std::string> channels, std::string_view file, Dataset* data);

// Ends the reading of a data set of one or more files: turns dates into times, and keeps the rows
// and trajectories that the options choose. Then throws an InputError that begins with the file's
// name if the data are not valid, have too few rows, or have a channel without a value although the
// options do not allow that.
//
// Before this call, times that are dates are seconds since 1970, and the reader has set the
// calendar's unit to 1 and its origin to 0.
void FinishReading(std::string_view file, const ReadOptions& options, Dataset* data,
                   std::vector<std::string>* notes);

}  // namespace gpode::internal
