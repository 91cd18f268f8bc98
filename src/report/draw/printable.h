// Names from files as text that can be drawn.
//
//   Printable("caf\xe9\n") == "caf\uFFFD\uFFFD"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode::report {

inline constexpr std::size_t kLongestText = 200;  // characters

// The characters in UTF-8, U+FFFD for bytes that are none and for control characters.
std::vector<std::string> PrintableCharacters(std::string_view text);
// At most so many of them, from the beginning and the end: for columns of tables.
std::string Shortened(std::string_view text, std::size_t most);
std::vector<std::string> Shortened(std::vector<std::string> texts, std::size_t most);
// The first kLongestText of them.
std::string Printable(std::string_view text);

}  // namespace gpode::report
