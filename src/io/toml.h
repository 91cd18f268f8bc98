// A parser of the subset of TOML (https://toml.io) that files of options need: `key = value` lines,
// comments, [tables], numbers, true and false, "strings", and arrays, which may span several lines
// and contain arrays.
//
// Any text is either parsed or an InputError "SOURCE:LINE: what was found, what is accepted".
//
// Thread safety: all functions may be called from any thread.
//
//   for (const TomlItem& item : ParseToml("steps = 500  # few\n", "fit.toml")) ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpode::internal {

struct TomlValue {
  enum class Kind { kNumber, kBool, kString, kArray };

  Kind kind = Kind::kString;
  std::string text;              // the contents of a string; a number or boolean as written
  std::vector<TomlValue> items;  // the items of an array
};

struct TomlItem {
  std::string key;  // begins with its table: "solver.rtol"
  TomlValue value;
  std::size_t line;
};

std::vector<TomlItem> ParseToml(std::string_view text, std::string_view source);

// Parses a text that is one value.
TomlValue ParseTomlValue(std::string_view text, std::string_view source);

// Returns the value as TOML text.
std::string ShowToml(const TomlValue& value);

}  // namespace gpode::internal
