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

// A dtype of strings: bytes per string, bytes per character (4 for U, 1 for S), and whether the
// bytes of a character have to be reversed.
struct TextDtype {
  std::size_t size, unit;
  bool swap;
};

// Returns nullopt for any other dtype.
std::optional<TextDtype> FindTextDtype(std::string_view descr);

// Returns the strings in the form of the lists of names in model files: UTF-8, one line per string,
// as an array of bytes.
Array DecodeText(std::span<const std::byte> bytes, const TextDtype& dtype, std::string_view where);

}  // namespace gpode::internal
