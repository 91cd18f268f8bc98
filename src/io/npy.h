// NumPy's format of one array, .npy, and small tools that the readers of .npy and .npz share.
//
// Every error message begins with `where`, which is "FILE" or "FILE: entry 'x'".
//
// Thread safety: all functions may be called from any thread; a ByteReader belongs to one thread.
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

// Takes little-endian integers and blocks from the front of some bytes, never beyond their end.
class ByteReader {
 public:
  // `what` names the part of the file in the message "ends inside WHAT".
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
void PutLittleEndian(std::vector<std::byte>* out, T... values) {
  const auto put = [out](auto value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      out->push_back(static_cast<std::byte>((value >> (8 * i)) & 0xFF));
    }
  };
  (put(values), ...);
}
void PutText(std::string_view text, std::vector<std::byte>* out);

// Reads one array. The bytes must hold nothing else.
Array ParseNpy(std::span<const std::byte> bytes, std::string_view where);

// Both functions append an array in version 1.0 of the format and C order to `out`: numbers as
// float64, or the bytes of a text as uint8. The first throws an InputError unless shape and number
// of values agree.
void AppendNpy(std::span<const std::size_t> shape, std::span<const double> values,
               std::string_view where, std::vector<std::byte>* out);
void AppendNpy(std::string_view text, std::vector<std::byte>* out);

}  // namespace gpode::internal
