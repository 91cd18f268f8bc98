// Numbers as people and programs write them.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string_view>

namespace gpode::internal {

// All of the text: an optional sign, digits with an optional point, an optional exponent; "inf" and
// "nan" too. Too large is infinite, too small is zero. Nothing if it is anything else.
std::optional<double> ToNumber(std::string_view text);

// Empty, NA or NaN, in upper or lower case.
bool IsMissing(std::string_view text);

// Without spaces and tabs at both ends.
std::string_view Trimmed(std::string_view text);

// Letters of ASCII in upper or lower case.
bool SameWord(std::string_view a, std::string_view b);

}  // namespace gpode::internal
