// Arrays and .npy files for the tests of .npy and .npz.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/npz.h"
#include "io/npy.h"
#include "support/message_of.h"

namespace gpode::testing_support {

using Bytes = std::vector<std::byte>;

inline Bytes FromHex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Compares the bits of two arrays, so that NaN equals itself and -0 differs from 0.
inline bool SameBits(const Array& a, const Array& b) {
  return a.shape == b.shape &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](double x, double y) {
                      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
                    });
}

// Returns the message of the InputError that `read` throws, or "nothing thrown". Checks that it is
// one line.
template <typename Read>
std::string Message(Read read) {
  const std::string message = MessageOf(read);
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

// Returns an .npy file with this header, which may be wrong.
inline Bytes Npy(std::string_view header, const Bytes& data, int version = 1) {
  Bytes bytes;
  internal::PutText("\x93NUMPY", &bytes);
  internal::PutLittleEndian(&bytes, static_cast<std::uint8_t>(version), std::uint8_t{0});
  if (version == 1) {
    internal::PutLittleEndian(&bytes, static_cast<std::uint16_t>(header.size()));
  } else {
    internal::PutLittleEndian(&bytes, static_cast<std::uint32_t>(header.size()));
  }
  internal::PutText(header, &bytes);
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

// Returns the header of an .npy file.
inline std::string Dict(std::string_view descr, std::string_view shape,
                        std::string_view order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order,
                     shape);
}

// Returns small arrays of different shapes and values, so that comparisons with them reveal damage.
inline Archive Sample() {
  return {{"x", {{2, 3}, {1, -2, 3.5, 0, 1e300, 6}}}, {"noise", {{}, {0.25}}}, {"none", {{0}, {}}}};
}

// Returns the .npy file of a scalar.
inline Bytes One() { return NpyBytes({{}, {1}}); }

// Returns an array of random shape and random bits.
inline Array AnyArray() {
  Array array;
  // The size is fixed, because rapidcheck begins with a size of zero, at which ranges are empty.
  const auto below_five = rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, 5));
  array.shape = *rc::gen::container<std::vector<std::size_t>>(*below_five, below_five);
  std::size_t count = 1;
  for (std::size_t dimension : array.shape) count *= dimension;
  const auto value = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                  [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  array.values = *rc::gen::container<std::vector<double>>(count, value);
  return array;
}

}  // namespace gpode::testing_support
