// Numbers and words in text files.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string_view>

namespace gpode::internal {

// Parses a text that is one number: an optional sign, digits with an optional point, an optional
// exponent, or "inf" or "nan". Numbers that are too large become infinite, numbers that are too
// small become zero. Returns nullopt for any other text.
std::optional<double> ToNumber(std::string_view text);

// Returns true for a missing value: an empty text, NA, NaN, null, ?, - and the other markers of
// docs/formats.md, in upper or lower case.
bool IsMissing(std::string_view text);

// Returns the text without spaces and tabs at both ends.
std::string_view Trimmed(std::string_view text);

// Returns true if the words are equal, ignoring the case of ASCII letters.
bool SameWord(std::string_view a, std::string_view b);

}  // namespace gpode::internal
