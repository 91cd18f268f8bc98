// NumPy's arrays of strings, with the dtypes U (UTF-32) and S (bytes).
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "gpode/npz.h"

namespace gpode::internal {

// The type of the strings in an array.
struct TextDtype {
  std::size_t size, unit;  // bytes per string, and bytes per character (4 for U, 1 for S)
  bool swap;               // true if characters are big-endian
};

// Returns nullopt unless `descr`, NumPy's name of a dtype, is that of strings of 1 to 2^24
// characters.
std::optional<TextDtype> FindTextDtype(std::string_view descr);

// Returns the strings as model files store lists of names (lines.h): an array of the bytes of a
// text in UTF-8 with one line per string.
Array DecodeText(std::span<const std::byte> bytes, const TextDtype& dtype, std::string_view where);

}  // namespace gpode::internal
