// NumPy's arrays of strings: dtypes U (UTF-32) and S (bytes).
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "gpode/npz.h"

namespace gpode::internal {

// Bytes per string and how many make a character: 4 for U, 1 for S.
struct TextDtype {
  std::size_t size, unit;
  bool swap;
};

// Nothing if it is another dtype.
std::optional<TextDtype> FindTextDtype(std::string_view descr);

// The strings as model files have lists of names: UTF-8, one line each, as an array of bytes.
Array DecodeText(std::span<const std::byte> bytes, const TextDtype& dtype, std::string_view where);

}  // namespace gpode::internal
