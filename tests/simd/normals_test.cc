// Tests that the Box-Muller loop has small errors and the same bits on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "simd/simd.h"

namespace gpode::simd {
namespace {

using Words = std::vector<std::uint64_t>;
using Values = std::vector<double>;

constexpr std::uint64_t kMantissa = 0x000FFFFFFFFFFFFF;  // the bits of a word that are used
constexpr double kMostUlp = 4;

Words RandomWords(std::size_t n) {
  std::mt19937_64 bits(2024);
  Words words(n);
  for (std::uint64_t& word : words) word = bits();
  return words;
}

// Returns the bits of the values, which distinguish -0 from 0.
Words Bits(const Values& values) {
  Words words;
  for (const double value : values) words.push_back(std::bit_cast<std::uint64_t>(value));
  return words;
}

Values NormalsOn(Isa isa, std::span<const std::uint64_t> words) {
  Values normals(words.size());
  LoopsFor(isa).normals(words.size(), words.data(), normals.data());
  return normals;
}

// Computes sine and cosine of 2 pi v. The argument is reduced to a quarter turn first, because 2 pi
// v would be rounded.
void SinCosTurn(long double v, long double& sine, long double& cosine) {
  constexpr long double kHalfPi = 1.57079632679489661923132169163975144L;
  const long double quarters = std::nearbyint(4 * v);
  const long double r = (4 * v - quarters) * kHalfPi;
  const long double s[] = {std::sin(r), std::cos(r), -std::sin(r), -std::cos(r)};
  const int turn = static_cast<int>(quarters);
  sine = s[turn % 4];
  cosine = s[(turn + 1) % 4];
}

// Computes the normals in long double, with 52 bits for each of u in (0, 1] and v in [0, 1).
Values Reference(const Words& words) {
  Values normals(words.size());
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const long double u = 1 - (words[i] & kMantissa) * 0x1p-52L;
    const long double radius = std::sqrt(-2 * std::log(u));
    long double sine, cosine;
    SinCosTurn((words[i + 1] & kMantissa) * 0x1p-52L, sine, cosine);
    normals[i] = static_cast<double>(radius * cosine);
    normals[i + 1] = static_cast<double>(radius * sine);
  }
  return normals;
}

// Returns the largest difference in ulp of the expected values.
double LargestError(const Values& actual, const Values& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double magnitude = std::fabs(expected[i]);
    const double ulp = std::nextafter(magnitude, HUGE_VAL) - magnitude;
    worst = std::max(worst, std::fabs(actual[i] - expected[i]) / ulp);
  }
  return worst;
}

TEST(NormalsTest, SameBitsOnEveryInstructionSet) {
  const Words words = RandomWords(100002);
  const Words baseline = Bits(NormalsOn(Isa::kBaseline, words));
  for (const Isa isa : Available()) EXPECT_EQ(Bits(NormalsOn(isa, words)), baseline) << Name(isa);
}

TEST(NormalsTest, PairsDoNotDependOnPositionOrLength) {
  const Words words = RandomWords(40);
  const Words all = Bits(NormalsOn(Isa::kBaseline, words));
  for (const Isa isa : Available()) {
    for (std::size_t first = 0; first < words.size(); first += 2) {
      for (std::size_t n = 0; first + n <= words.size(); n += 2) {
        const Words part(all.begin() + first, all.begin() + first + n);
        EXPECT_EQ(Bits(NormalsOn(isa, std::span(words).subspan(first, n))), part)
            << Name(isa) << ", from " << first << ", length " << n;
      }
    }
  }
}

TEST(NormalsTest, NothingIsWrittenBehindTheEnd) {
  const Words words = RandomWords(14);
  for (const Isa isa : Available()) {
    Values normals(16, 77.0);
    LoopsFor(isa).normals(14, words.data(), normals.data());
    EXPECT_EQ(normals[14], 77.0) << Name(isa);
    EXPECT_EQ(normals[15], 77.0) << Name(isa);
  }
}

TEST(NormalsTest, AgreesWithTheCLibraryToAFewUlp) {
  const Words words = RandomWords(200000);
  EXPECT_LE(LargestError(NormalsOn(Isa::kBaseline, words), Reference(words)), kMostUlp);
}

// The values of u include the largest one, 1, at which the radius is zero, its neighbours, and the
// smallest one, 2^-52. The values of v are on the axes and next to them.
TEST(NormalsTest, ExtremeWords) {
  constexpr std::uint64_t kQuarter = std::uint64_t{1} << 50;
  Words words;
  for (const std::uint64_t a :
       {std::uint64_t{0}, std::uint64_t{1}, kQuarter, 2 * kQuarter, kMantissa - 1, kMantissa}) {
    for (std::uint64_t axis = 0; axis < 4; ++axis) {
      for (const std::uint64_t step : {-1, 0, 1}) {
        words.push_back(a);
        words.push_back((axis * kQuarter + step) & kMantissa);
      }
    }
  }
  const Values actual = NormalsOn(Isa::kBaseline, words);
  EXPECT_LE(LargestError(actual, Reference(words)), kMostUlp);
  for (const Isa isa : Available())
    EXPECT_EQ(Bits(NormalsOn(isa, words)), Bits(actual)) << Name(isa);
}

TEST(NormalsTest, AllZerosAndAllOnes) {
  const std::uint64_t ones = ~std::uint64_t{0};
  const Words words = {0, 0, ones, ones, 0, ones, ones, 0};
  for (const Isa isa : Available()) {
    const Values normals = NormalsOn(isa, words);
    const double farthest = std::sqrt(104 * std::log(2.0));  // 8.49, for u = 2^-52
    EXPECT_EQ(normals[0], 0.0);
    EXPECT_EQ(normals[1], 0.0);
    EXPECT_DOUBLE_EQ(normals[2], farthest);
    EXPECT_NEAR(normals[3], -farthest * 6.283185307179586 * 0x1p-52, 1e-30);
    EXPECT_EQ(normals[4], 0.0);
    EXPECT_EQ(normals[5], 0.0);
    EXPECT_DOUBLE_EQ(normals[6], farthest);
    EXPECT_EQ(normals[7], 0.0);
  }
}

TEST(NormalsTest, OnlyTheLowest52BitsCount) {
  Words words = RandomWords(64);
  const Values normals = NormalsOn(Isa::kBaseline, words);
  for (std::uint64_t& word : words) word ^= ~kMantissa;
  EXPECT_EQ(NormalsOn(Isa::kBaseline, words), normals);
}

// Fails if another compiler or machine computes different bits.
TEST(NormalsTest, GoldenBits) {
  const Words words = {0x0123456789abcdef, 0xfedcba9876543210, 0x16554d9eca36314c,
                       0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b,
                       0x000fffff00000000, 0x0008000000000001};
  const Values golden = {0x1.8714b21b1edd4p-3,  -0x1.4c31d66db120cp-1, 0x1.a8db434442928p-1,
                         0x1.5dd96a327c53dp-2,  -0x1.1364d7d0def65p+0, -0x1.3cc876fdfb4bcp-2,
                         -0x1.50fe91d179109p+2, -0x1.08acbf3638937p-47};
  for (const Isa isa : Available()) EXPECT_EQ(NormalsOn(isa, words), golden) << Name(isa);
}

TEST(NormalsTest, OfSpans) {
  const Words words = RandomWords(22);
  Values normals(22);
  Normals(words, normals);
  EXPECT_EQ(normals, NormalsOn(Isa::kBaseline, words));
  EXPECT_DEATH(Normals(std::span(words).first(21), std::span(normals).first(21)),
               "internal check failed");
  EXPECT_DEATH(Normals(words, std::span(normals).first(20)), "internal check failed");
}

}  // namespace
}  // namespace gpode::simd
