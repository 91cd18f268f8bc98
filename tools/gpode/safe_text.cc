#include "safe_text.h"

#include <fmt/format.h>

#include "io/utf8.h"

namespace gpode::tool {
namespace {

// Calls keep(character) for each character that is printable or one of `kept`. For each other byte,
// calls escape(rest) with the rest of the text, which begins with that byte. escape returns the
// number of bytes that it has escaped.
template <typename Keep, typename Escape>
void ForCharacters(std::string_view text, std::string_view kept, Keep keep, Escape escape) {
  while (!text.empty()) {
    const std::size_t length = internal::Utf8Length(text);
    const std::string_view character = text.substr(0, length > 0 ? length : 1);
    const bool is_kept = character.size() == 1 && kept.find(character) != std::string_view::npos;
    if (length > 0 && (is_kept || internal::IsPrintableUtf8(character))) {
      keep(character);
      text.remove_prefix(length);
    } else {
      text.remove_prefix(escape(text));
    }
  }
}

std::string Escaped(std::string_view text, std::string_view kept) {
  std::string safe;
  ForCharacters(
      text, kept, [&](std::string_view character) { safe += character; },
      [&](std::string_view rest) {
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[0]));
        return std::size_t{1};
      });
  return safe;
}

}  // namespace

std::string SafeText(std::string_view text) { return Escaped(text, "\n\t"); }

std::string SafeLine(std::string_view text) { return Escaped(text, ""); }

std::string SafeJson(std::string_view json) {
  std::string safe;
  ForCharacters(
      json, "\n\t", [&](std::string_view character) { safe += character; },
      [&](std::string_view rest) {
        // The control characters from U+0080 to U+009F have the bytes C2 80 to C2 9F.
        const bool two = internal::Utf8Length(rest) == 2 && rest[0] == '\xc2';
        safe += fmt::format("\\u{:04x}", static_cast<unsigned char>(rest[two ? 1 : 0]));
        return std::size_t{two ? 2u : 1u};
      });
  return safe;
}

}  // namespace gpode::tool
