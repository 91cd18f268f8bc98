// What the readers of all formats share: names, choice of channels, checks.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gpode/data_files.h"

namespace gpode::internal {

// The file's name without folder and ending, for trajectories that have no name of their own.
std::string NameOf(const std::filesystem::path& path);

// "'x', 'y' and 3 more".
std::string ListOf(std::span<const std::string> names);

// Throws for options out of range.
void CheckReadOptions(const ReadOptions& options, std::string_view where = "ReadOptions");

// Keeps these channels, in this order; throws if one is not there.
void TakeChannels(std::span<const std::string> channels, std::string_view file, Dataset* data);

// Throws an InputError that begins with the file unless the data are good for what the options say.
void CheckRead(const Dataset& data, std::string_view file, const ReadOptions& options);

}  // namespace gpode::internal
