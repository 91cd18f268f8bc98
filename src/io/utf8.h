// UTF-8, as far as names and messages need it.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpode::internal {

// Bytes of the character that the text begins with; 0 if it is empty or begins with something else:
// stray or missing continuation bytes, overlong forms, surrogates, beyond U+10FFFF.
std::size_t Utf8Length(std::string_view text);

// Whether all of it is UTF-8 without control characters, which would garble what is printed.
bool IsPrintableUtf8(std::string_view text);

// How many characters; stray bytes count as one each.
std::size_t CountCharacters(std::string_view text);

}  // namespace gpode::internal
