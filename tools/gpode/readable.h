// Checks that tables can be read again before they are written: gpode reads no infinite numbers, no
// times that repeat, and no two columns of one name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpode/data_files.h"

namespace gpode::tool {

// Each throws an InputError if the table could not be read again. The message begins with `path`,
// the name of the file to be written.
void CheckReadable(std::string_view path, const Dataset& data);
void CheckReadable(std::string_view path, std::span<const Column> columns);

// Returns true if both names are names of one file, whether it exists or not.
bool AreSameFile(const std::string& one, const std::string& other);

}  // namespace gpode::tool
