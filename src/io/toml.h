// The part of TOML (https://toml.io) that options need: `key = value` lines, comments, [tables],
// numbers, true and false, "strings", and arrays, which may span lines and nest.
//
// Whatever the text is, parsing returns or throws an InputError "SOURCE:LINE: what was found, what
// would be right".
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
  std::string text;              // a string's contents; a number or a truth value as written
  std::vector<TomlValue> items;  // of an array
};

struct TomlItem {
  std::string key;  // with its table in front: "solver.rtol"
  TomlValue value;
  std::size_t line;
};

std::vector<TomlItem> ParseToml(std::string_view text, std::string_view source);

// One value and nothing else.
TomlValue ParseTomlValue(std::string_view text, std::string_view source);

// The value as it would be written.
std::string ShowToml(const TomlValue& value);

}  // namespace gpode::internal
