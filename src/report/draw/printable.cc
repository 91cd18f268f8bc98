#include "report/draw/printable.h"

#include <algorithm>
#include <cstdint>

namespace gpode::report {
namespace {

// Returns the number of bytes of the first character, 0 if it is not printable (RFC 3629).
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000, control = code < 0xa0;
  const bool no_character = (code & 0xfffeu) == 0xfffeu;  // not allowed in XML
  return code < kLeast[length] || code > 0x10ffff || surrogate || control || no_character ? 0
                                                                                          : length;
}

}  // namespace

std::vector<std::string> PrintableCharacters(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    characters.emplace_back(length > 0 ? std::string(text.substr(0, length)) : "\uFFFD");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return characters;
}

std::string Shortened(std::string_view text, std::size_t most) {
  std::vector<std::string> characters = PrintableCharacters(text);
  if (characters.size() > most) {
    const auto begin = characters.begin() + static_cast<std::ptrdiff_t>(most / 2);
    const auto end = characters.end() - static_cast<std::ptrdiff_t>(most - most / 2 - 1);
    *begin = "…";
    characters.erase(begin + 1, end);
  }
  std::string all;
  for (const std::string& c : characters) all += c;
  return all;
}

std::vector<std::string> Shortened(std::vector<std::string> texts, std::size_t most) {
  for (std::string& text : texts) text = Shortened(text, most);
  return texts;
}

std::string Printable(std::string_view text) {
  const std::vector<std::string> characters = PrintableCharacters(text);
  std::string all;
  for (std::size_t i = 0; i < std::min(characters.size(), kLongestText); ++i) all += characters[i];
  return all;
}

}  // namespace gpode::report
