#include "io/npy_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "io/files.h"
#include "io/lines.h"

namespace gpode::internal {
namespace {

void AppendUtf8(std::uint32_t code, std::string* out) {
  const auto put = [out](std::uint32_t byte) { *out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
  } else {
    put(0xF0 | code >> 18);
  }
  for (int shift = code < 0x80      ? -6
                   : code < 0x800   ? 0
                   : code < 0x10000 ? 6
                                    : 12;
       shift >= 0; shift -= 6) {
    put(0x80 | (code >> shift & 0x3F));
  }
}

std::uint32_t CodeAt(std::span<const std::byte> bytes, const TextDtype& dtype) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < dtype.unit; ++i) {
    const std::size_t from = dtype.swap ? i : dtype.unit - 1 - i;  // most significant byte first
    code = code << 8 | std::to_integer<std::uint32_t>(bytes[from]);
  }
  return code;
}

// Decodes one string. NumPy pads it with zeros at its end, which are removed.
std::string DecodeOne(std::span<const std::byte> bytes, const TextDtype& dtype,
                      std::string_view where) {
  std::string text;
  std::size_t length = 0;
  for (std::size_t at = 0; at < bytes.size(); at += dtype.unit) {
    const std::uint32_t code = CodeAt(bytes.subspan(at, dtype.unit), dtype);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      ThrowAt(where, fmt::format("character {:#x} found, must be Unicode", code));
    }
    if (dtype.unit == 1) {
      text += static_cast<char>(code);
    } else {
      AppendUtf8(code, &text);
    }
    if (code != 0) length = text.size();
  }
  text.resize(length);
  return text;
}

}  // namespace

std::optional<TextDtype> FindTextDtype(std::string_view descr) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  const char kind = descr[1];
  if (kind != 'U' && kind != 'S') return std::nullopt;
  const std::string_view digits = descr.substr(2);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  // A header could declare any number of strings of length zero without any bytes, and exhaust the
  // memory.
  if (error != std::errc() || end != digits.data() + digits.size() || length == 0 ||
      length > kMost) {
    return std::nullopt;
  }
  const std::size_t unit = kind == 'U' ? 4 : 1;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  return TextDtype{unit * length, unit, descr[0] == '>' || (descr[0] == '=' && !kLittle)};
}

Array DecodeText(std::span<const std::byte> bytes, const TextDtype& dtype, std::string_view where) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += dtype.size) {
    lines.push_back(DecodeOne(bytes.subspan(at, dtype.size), dtype, where));
  }
  Array array;
  for (char c : JoinLines(lines)) array.values.push_back(static_cast<unsigned char>(c));
  array.shape = {array.values.size()};
  return array;
}

}  // namespace gpode::internal
