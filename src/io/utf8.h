// Functions for UTF-8 in names and messages.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpode::internal {

// Returns the number of bytes of the first character. Returns 0 if the text is empty or does not
// begin with a valid character. Not valid are stray or missing continuation bytes, forms with more
// bytes than needed (overlong), surrogates and codes beyond U+10FFFF.
std::size_t Utf8Length(std::string_view text);

// Returns true if the text is valid UTF-8 without control characters.
bool IsPrintableUtf8(std::string_view text);

// Returns the number of characters; every invalid byte counts as one.
std::size_t CountCharacters(std::string_view text);

}  // namespace gpode::internal
