#include "io/utf8.h"

#include <algorithm>
#include <cstdint>

namespace gpode::internal {
namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Returns the number of bytes of a character with this first byte; 0 if no character begins with
// it.
std::size_t AnnouncedLength(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // continuation bytes and overlong forms
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

// Returns false if the second byte shows an overlong form, a surrogate or a code beyond U+10FFFF.
bool SecondIsPossible(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second < 0xA0;
  if (first == 0xF0) return second >= 0x90;
  return first != 0xF4 || second < 0x90;
}

}  // namespace

std::size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = AnnouncedLength(byte(0));
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  return length < 2 || SecondIsPossible(byte(0), byte(1)) ? length : 0;
}

bool IsPrintableUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) return false;
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 1 && (first < 0x20 || first == 0x7F)) return false;
    // U+0080 to U+009F are control characters, too.
    if (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t CountCharacters(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<std::size_t>(Utf8Length(text), 1));
    ++count;
  }
  return count;
}

}  // namespace gpode::internal
