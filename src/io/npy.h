// One .npy block of bytes, and the small tools that the .npy and .npz readers share.
//
// `where` begins every message: "FILE" or "FILE: entry 'x'".
//
// Thread safety: all functions may be called from any thread; a ByteReader belongs to one.
//
//   Array array = ParseNpy(bytes, "data.npz: entry 'x'");
//   AppendNpy(array.shape, array.values, "entry 'x'", &bytes);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/npz.h"
#include "io/files.h"

namespace gpode::internal {

// Takes little-endian integers and blocks off the front of some bytes, never past their end.
class ByteReader {
 public:
  // `what` names the part of the file being read, for "ends inside WHAT".
  ByteReader(std::span<const std::byte> bytes, std::string_view where, std::string_view what)
      : rest_(bytes), where_(where), what_(what) {}

  template <std::unsigned_integral T>
  T Take() {
    T value = 0;
    int shift = 0;
    for (std::byte byte : TakeBytes(sizeof(T))) {
      value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(byte) << shift));
      shift += 8;
    }
    return value;
  }
  std::span<const std::byte> TakeBytes(std::size_t size);
  std::string_view TakeText(std::size_t size);
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
  std::string_view where_;
  std::string_view what_;
};

// Appends the integers one after the other, each little-endian and as wide as its type.
template <std::unsigned_integral... T>
void PutLittle(std::vector<std::byte>* out, T... values) {
  const auto put = [out](auto value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      out->push_back(static_cast<std::byte>((value >> (8 * i)) & 0xFF));
    }
  };
  (put(values), ...);
}
void PutText(std::string_view text, std::vector<std::byte>* out);

// The bytes must be one array and nothing else.
Array ParseNpy(std::span<const std::byte> bytes, std::string_view where);

// Appends an array as version 1.0, C order: float64, or text as bytes (uint8). Throws if shape and
// values disagree.
void AppendNpy(std::span<const std::size_t> shape, std::span<const double> values,
               std::string_view where, std::vector<std::byte>* out);
void AppendNpy(std::string_view text, std::vector<std::byte>* out);

}  // namespace gpode::internal
