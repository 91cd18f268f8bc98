// Turns names from files, which may be any bytes, into text that can be printed and drawn.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   Printable("caf\xe9\n") == "caf\uFFFD\uFFFD"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode::report {

inline constexpr std::size_t kLongestText = 200;  // characters

// Returns the characters of the text in UTF-8, with U+FFFD for invalid bytes and control
// characters.
std::vector<std::string> PrintableCharacters(std::string_view text);
// Returns at most `most` characters: those at the beginning and the end of the text, with "…"
// between them if some were left out.
std::string Shortened(std::string_view text, std::size_t most);
std::vector<std::string> Shortened(std::vector<std::string> texts, std::size_t most);
// Returns the first kLongestText printable characters of the text.
std::string Printable(std::string_view text);

}  // namespace gpode::report
