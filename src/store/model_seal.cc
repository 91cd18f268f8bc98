// The seal at the end of a model file: format version and checksum.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "gpode/version.h"
#include "io/files.h"
#include "io/zip.h"
#include "store/model_file.h"

namespace gpode::internal {
namespace {

constexpr std::string_view kTitle = "gpode model ", kChecksum = " crc32 ";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kLongest = 64;

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool TakeNumber(std::string_view& text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool TakeText(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<Sealed> ReadSeal(std::span<const std::byte> bytes) {
  const std::string_view end = Text(bytes.last(std::min(bytes.size(), kLongest)));
  const std::size_t at = end.rfind(kTitle);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = end.substr(at + kTitle.size());
  Sealed seal{};
  const bool whole = TakeNumber(rest, seal.major) && TakeText(rest, ".") &&
                     TakeNumber(rest, seal.minor) && TakeText(rest, kChecksum) &&
                     rest.size() == kDigits;
  return whole ? std::optional(seal) : std::nullopt;
}

// Returns true if the bytes begin like a model file. If they lack the seal at the end, the file was
// probably truncated.
bool BeginsAsModel(std::span<const std::byte> bytes) {
  constexpr std::size_t kNameAt = 30;  // the place of the first entry's name in a zip archive
  return Text(bytes).starts_with("PK\x03\x04") &&
         Text(bytes.subspan(std::min(bytes.size(), kNameAt))).starts_with("about.npy");
}

}  // namespace

std::string SealDigits(std::span<const std::byte> bytes_before) {
  return fmt::format("{:08x}", Crc(bytes_before));
}

std::string SealWithoutDigits() {
  return fmt::format("{}{}.{}{}", kTitle, kFormatMajor, kFormatMinor, kChecksum);
}

std::string ChecksumOf(std::span<const std::byte> model_bytes) {
  return std::string(Text(model_bytes.last(std::min(model_bytes.size(), kDigits))));
}

Sealed CheckSeal(std::span<const std::byte> bytes, std::string_view name) {
  const std::optional<Sealed> seal = ReadSeal(bytes);
  if (!seal && BeginsAsModel(bytes)) {
    ThrowAt(name, "is truncated or damaged: a model file must end in its checksum");
  }
  if (!seal) ThrowAt(name, "is not a model file that gpode has written");
  const std::string found = SealDigits(bytes.first(bytes.size() - kDigits));
  const std::string_view expected = Text(bytes.last(kDigits));
  if (found != expected && verify_checksums) {
    ThrowAt(name, fmt::format("is damaged: checksum {} found, must be {}", found, Quote(expected)));
  }
  if (seal->major < kOldestMajor || seal->major > kFormatMajor) {
    ThrowAt(name, fmt::format("has format version {}.{}, gpode {} reads versions {} to {}; a newer "
                              "gpode may read it",
                              seal->major, seal->minor, Version(), kOldestMajor, kFormatMajor));
  }
  return *seal;
}

}  // namespace gpode::internal
