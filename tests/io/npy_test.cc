// Tests of the .npy format: files that we write, files that NumPy may write, and files that are
// refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "gpode/error.h"
#include "gpode/npz.h"
#include "support/npy_samples.h"

namespace gpode {
namespace {

using internal::PutLittleEndian;
using internal::PutText;
using namespace testing_support;  // NOLINT: arrays and files for tests of .npy

std::string NpyMessage(const Bytes& bytes) {
  return Message([&] { ReadNpy(bytes, "f.npy"); });
}

RC_GTEST_PROP(NpyProperty, RoundTripKeepsEveryBit, ()) {
  const Array array = AnyArray();
  RC_ASSERT(SameBits(ReadNpy(NpyBytes(array), "f"), array));
}

RC_GTEST_PROP(NpyProperty, ArbitraryBytesAreInputErrors, (const std::vector<std::uint8_t>& junk)) {
  Bytes bytes = One();
  bytes.resize(8);
  for (std::uint8_t byte : junk) bytes.push_back(static_cast<std::byte>(byte));
  RC_ASSERT_THROWS_AS(ReadNpy(bytes, "f"), InputError);
}

TEST(Npy, WritesFloat64HeaderAlignedTo64Bytes) {
  const Bytes bytes = NpyBytes({{3}, {1, 2, 3}});
  ASSERT_EQ(bytes.size(), 128 + 3 * 8);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), 128);
  EXPECT_EQ(text.substr(10, 58), "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(text[127], '\n');
}

TEST(Npy, ScalarNeedsOneValue) {
  EXPECT_EQ((Array{{1, 1}, {2.5}}).Scalar("noise"), 2.5);
  EXPECT_EQ(Message([] {
              (Array{{2}, {1, 2}}).Scalar("noise");
            }),
            "Scalar: noise has 2 values, must have 1");
  EXPECT_THROW((Array{{0}, {}}).Scalar("noise"), InputError);
}

TEST(Npy, ReadsEveryDtype) {
  struct Case {
    std::string_view descr;
    std::string_view hex;
    std::vector<double> values;
  };
  const std::vector<Case> cases = {
      {"|b1", "0001ff", {0, 1, 1}},
      {"|i1", "7f80", {127, -128}},
      {"|u1", "7f80", {127, 128}},
      {"<i2", "feff2c01", {-2, 300}},
      {">i2", "fffe012c", {-2, 300}},
      {"<u2", "feff", {65534}},
      {"<i4", "00000080", {-2147483648.0}},
      {">i4", "80000000", {-2147483648.0}},
      {">u4", "80000000", {2147483648.0}},
      {"<i8", "ffffffffffffffff0100000000002000", {-1, 9007199254740992.0}},
      {">u8", "ffffffffffffffff", {18446744073709551616.0}},
      {"<f2",
       "003c00c0ff7b01000084007c",
       {1, -2, 65504, std::ldexp(1, -24), -std::ldexp(1, -14),
        std::numeric_limits<double>::infinity()}},
      {">f2", "3c00", {1}},
      {"<f4", "0000c03f", {1.5}},
      {">f4", "3fc00000", {1.5}},
      {"<f8", "000000000000f83f", {1.5}},
      {">f8", "3ff8000000000000", {1.5}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.descr);
    const Bytes data = FromHex(c.hex);
    const Array expected = {{c.values.size()}, c.values};
    EXPECT_EQ(ReadNpy(Npy(Dict(c.descr, fmt::format("({},)", c.values.size())), data), "f"),
              expected);
  }
  const Array nan = ReadNpy(Npy(Dict("<f2", "()"), FromHex("017e")), "f");
  EXPECT_TRUE(std::isnan(nan.Scalar("nan")));
  const std::uint16_t native = 258;
  const auto raw = std::as_bytes(std::span(&native, 1));
  for (std::string_view descr : {"=u2", "|u2"}) {
    EXPECT_EQ(ReadNpy(Npy(Dict(descr, "()"), Bytes(raw.begin(), raw.end())), "f").Scalar("x"), 258);
  }
}

TEST(Npy, TurnsFortranOrderIntoCOrder) {
  Bytes data;
  for (std::uint8_t i = 0; i < 24; ++i) data.push_back(static_cast<std::byte>(i));
  const Array array = ReadNpy(Npy(Dict("|u1", "(2, 3, 4)", "True"), data), "f");
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(array.values[(i * 3 + j) * 4 + k], static_cast<double>(i + 2 * (j + 3 * k)));
      }
    }
  }
  EXPECT_EQ(ReadNpy(Npy(Dict("|u1", "(3, 0)", "True"), {}), "f"), (Array{{3, 0}, {}}));
  EXPECT_EQ(ReadNpy(Npy(Dict("|u1", "()", "True"), FromHex("05")), "f"), (Array{{}, {5}}));
}

TEST(Npy, ReadsVersionsAndOddlySpacedHeaders) {
  const Array expected = {{2}, {5, 6}};
  const Bytes data = FromHex("0506");
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(ReadNpy(Npy(Dict("|u1", "(2,)"), data, version), "f"), expected);
  }
  for (std::string_view header :
       {"{'shape':(2,),'descr':'|u1','fortran_order':False}",
        " { 'shape' : ( 2 , ) ,\t\"descr\": \"|u1\",'fortran_order':False , }  \n"}) {
    EXPECT_EQ(ReadNpy(Npy(header, data), "f"), expected) << header;
  }
}

TEST(Npy, ReadsStringsAsLines) {
  const auto lines = [](const Array& array) {
    return std::string(array.values.begin(), array.values.end());
  };
  Bytes utf32;
  for (std::uint32_t c : {0x78U, 0U, 0x3BBU, 0x1F600U}) PutLittleEndian(&utf32, c);
  EXPECT_EQ(lines(ReadNpy(Npy(Dict("<U2", "(2,)"), utf32), "f")), "x\n\xce\xbb\xf0\x9f\x98\x80\n");
  Bytes bytes;
  PutText(std::string_view("a\\bc\n\0", 6), &bytes);
  EXPECT_EQ(lines(ReadNpy(Npy(Dict("|S3", "(2,)"), bytes), "f")), "a\\\\b\nc\\n\n");
  Bytes big;
  PutLittleEndian(&big, std::uint32_t{0x78000000});
  EXPECT_EQ(lines(ReadNpy(Npy(Dict(">U1", "()"), big), "f")), "x\n");
  EXPECT_EQ(NpyMessage(Npy(Dict("<U1", "()"), big)),
            "f.npy: character 0x78000000 found, must be Unicode");
}

TEST(Npy, RefusesBadHeaders) {
  std::string deep = "(";
  for (int i = 0; i < 100; ++i) deep += "1, ";
  const Bytes byte = FromHex("05");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {Dict("<c16", "()"), "dtype '<c16' found"},
      {Dict("|O", "()"), "dtype '|O' found"},
      {Dict("<U0", "()"), "dtype '<U0' found"},
      {Dict("<U5", "(2, 2)"), "dtype '<U5' found"},
      {Dict("<f16", "()"), "dtype '<f16' found"},
      {Dict("u1", "()"), "dtype 'u1' found"},
      {Dict("", "()"), "dtype '' found"},
      {Dict("<\n\xff", "()"), "dtype '<\\x0a\\xff' found"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (), }",
       "structured dtype found"},
      {Dict("|u1", "(2,)"), "shape (2,) with 1 bytes per element found, must match the 1 bytes"},
      {Dict("|u1", "(0,)"), "must match the 1 bytes"},
      {Dict("<f8", "()"), "must match the 1 bytes"},
      {Dict("|u1", "(4294967296, 4294967296)"), "must match the 1 bytes"},
      {Dict("|u1", "(4294967296, 4294967296, 0)"), "must match the 1 bytes"},
      {Dict("|u1", "(18446744073709551615, 3)"), "must match the 1 bytes"},
      {Dict("|u1", "(99999999999999999999,)"), "header has '9999999999999999' at byte 51"},
      {Dict("|u1", "(-1,)"), "must have a dimension that is zero or more"},
      {Dict("|u1", deep + ")"), "must have at most 32"},
      {Dict("|u1", "(1)"), "must have ','"},
      {Dict("|u1", "1"), "must have '('"},
      {Dict("|u1", "(,)"), "must have a dimension"},
      {Dict("|u1", "(1, 1"), "must have"},
      {Dict("|u1", "()", "false"), "must have True or False"},
      {Dict("|u1", "()") + "x", "must have nothing after '}'"},
      {"{'descr': '|u1', 'shape': (), }", "header lacks a key"},
      {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (), }", "once"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (), 'x': 1}", "once"},
      {"{'descr", "must have a closing quote"},
      {"", "header has '' at byte 0, must have '{'"},
  };
  for (const auto& [header, expected] : cases) {
    const std::string message = NpyMessage(Npy(header, byte));
    EXPECT_TRUE(message.starts_with("f.npy: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\n" << header;
  }
}

TEST(Npy, RefusesBadPreambles) {
  const Bytes good = Npy(Dict("|u1", "()"), FromHex("05"));
  const auto changed = [&](std::size_t at, int value) {
    Bytes bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return NpyMessage(bytes);
  };
  EXPECT_NE(changed(0, 'x').find("does not begin with \\x93NUMPY"), std::string::npos);
  EXPECT_NE(changed(6, 4).find(".npy version 4.0 found"), std::string::npos);
  EXPECT_NE(changed(7, 1).find(".npy version 1.1 found"), std::string::npos);
  EXPECT_NE(changed(9, 0xFF).find("ends inside the .npy header"), std::string::npos);
}

TEST(Npy, TruncatedAnywhereIsAnInputError) {
  const Bytes npy = NpyBytes(Sample()["x"]);
  for (std::size_t size = 0; size < npy.size(); ++size) {
    // The copy lets the address sanitiser detect a read past the end.
    const Bytes cut(npy.begin(), npy.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(ReadNpy(cut, "f"), InputError) << size;
  }
}

TEST(Npy, AnyByteMayChange) {
  const Bytes file = NpyBytes(Sample()["x"]);
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      Bytes damaged = file;
      damaged[i] = static_cast<std::byte>(value);
      try {
        EXPECT_EQ(ReadNpy(damaged, "f").size(), 6U);
      } catch (const InputError&) {
      }
    }
  }
}

}  // namespace
}  // namespace gpode
