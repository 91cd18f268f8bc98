// Constants and functions that the reader and the writer of zip archives share.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once

#define ZLIB_CONST  // makes next_in a pointer to const
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpode::internal {

inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::uint32_t kCentralSignature = 0x02014b50;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
// A number with one of these values does not fit; the true number is in a zip64 record.
inline constexpr std::uint16_t kSee64Short = 0xFFFF;
inline constexpr std::uint32_t kSee64 = 0xFFFFFFFF;
inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;
inline constexpr std::string_view kSuffix = ".npy";

// Fuzz tests set this to false. Otherwise the checksums would reject almost all of their inputs
// before the code under test is reached.
inline bool verify_checksums = true;

inline std::uint32_t Crc(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Returns "FILE: entry 'NAME'", for messages.
std::string EntryPlace(std::string_view file, std::string_view name);
bool IsPrintableAscii(std::string_view name);

}  // namespace gpode::internal
