// The JSON objects that commands print about the files that they write (--json).
//
// Thread safety: the functions print, so that calls must not overlap.
//
//   PrintResultJson(out, ColumnsOf(result), {{"model", model}, {"seed", 1}});
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "gpode/data_files.h"
#include "gpode/forecast.h"

namespace gpode::tool {

// Prints `about` with the name of the file, the number of rows and the names of the columns. If the
// table has no file, because `out` is "-", the object holds its columns as lists; NaN is null.
void PrintResultJson(const std::string& out, std::span<const Column> columns,
                     nlohmann::ordered_json about);

// Adds the numbers of lost draws, and a warning if there are many.
void AddLost(const LostDraws& lost, nlohmann::ordered_json* json);

}  // namespace gpode::tool
