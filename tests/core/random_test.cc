#include "gpode/random.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gpode {
namespace {

using Words = std::vector<std::uint64_t>;
using Values = std::vector<double>;

RandomStream Stream(std::uint64_t seed = 20, std::uint64_t step = 4, std::uint64_t sample = 3,
                    Purpose purpose = Purpose::kTest) {
  return RandomStream(seed, step, sample, purpose);
}

Words WordsOf(const RandomStream& stream, std::size_t n, std::uint64_t first = 0) {
  Words words(n);
  stream.Words(words, first);
  return words;
}

Values UniformsOf(const RandomStream& stream, std::size_t n, std::uint64_t first = 0) {
  Values values(n);
  stream.Uniforms(values, first);
  return values;
}

Values NormalsOf(const RandomStream& stream, std::size_t n, std::uint64_t first = 0) {
  Values values(n);
  stream.Normals(values, first);
  return values;
}

// The expected values are from the file kat_vectors of Random123, philox4x64 with 10 rounds.
TEST(RandomTest, KnownAnswersOfPhilox) {
  using Philox = r123::Philox4x64;
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(Philox()({{0, 0, 0, 0}}, {{0, 0}}),
            (Philox::ctr_type{
                {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}}));
  EXPECT_EQ(Philox()({{ones, ones, ones, ones}}, {{ones, ones}}),
            (Philox::ctr_type{
                {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}}));
  EXPECT_EQ(
      Philox()({{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
               {{0x452821e638d01377, 0xbe5466cf34e90c6c}}),
      (Philox::ctr_type{
          {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}));
}

TEST(RandomTest, TheStreamWithoutANameIsTheFirstKnownAnswer) {
  const Words expected = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                          0x7e68b68aec7ba23b};
  EXPECT_EQ(WordsOf(RandomStream(0, 0, 0, Purpose{0}), 4), expected);
}

TEST(RandomTest, NameOfAStreamIsKeyAndCounter) {
  constexpr std::uint64_t kSeed = 0x452821e638d01377, kStep = 5, kSample = 9, kFirst = 4000000000;
  const Words words = WordsOf(Stream(kSeed, kStep, kSample, Purpose::kSampler), 8, 4 * kFirst);
  for (std::uint64_t block = 0; block < 2; ++block) {
    const auto expected = r123::Philox4x64()({{kFirst + block, kSample, kStep, 11}}, {{kSeed, 0}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words[4 * block + i], expected[i]);
  }
}

TEST(RandomTest, PurposesKeepTheirNumbers) {
  const std::vector<Purpose> in_order = {
      Purpose::kFrequencies,    Purpose::kFourierWeights,   Purpose::kInducing,
      Purpose::kInitialState,   Purpose::kShootingState,    Purpose::kMinibatch,
      Purpose::kInitialisation, Purpose::kObservationNoise, Purpose::kSimulation};
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    EXPECT_EQ(static_cast<std::uint64_t>(in_order[i]), i + 1);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(Purpose::kSampler), 11u);
  EXPECT_EQ(static_cast<std::uint64_t>(Purpose::kTest), 1000u);
}

// Fails if another machine, compiler or version computes different numbers.
TEST(RandomTest, GoldenNumbers) {
  const RandomStream stream(7, 3, 2, Purpose::kInducing);
  const Values normals = {-0x1.d9cbe01d7e74ap-1, 0x1.40b93a332214dp+0, -0x1.1c2aac0b6402fp+0,
                          0x1.1aa636959ee7dp+0,  -0x1.623a34ab6477p-2, -0x1.0f96f1c78e185p+1};
  const Values uniforms = {0x1.5d567c5fc51ccp-1, 0x1.5c167aec33238p-2, 0x1.00369af87fb07p-1,
                           0x1.c4ec037d892b2p-1, 0x1.e1dcd3883618fp-1, 0x1.c9ae5a9493b8ep-2};
  EXPECT_EQ(NormalsOf(stream, 6), normals);
  EXPECT_EQ(UniformsOf(stream, 6), uniforms);
}

TEST(RandomTest, UniformsAreTheUpper53BitsOfTheWords) {
  const Words words = WordsOf(Stream(), 200);
  const Values uniforms = UniformsOf(Stream(), 200);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(uniforms[i], std::ldexp(static_cast<double>(words[i] >> 11), -53));
  }
}

// A part of a stream has the same numbers as that part of the whole stream.
RC_GTEST_PROP(RandomProperty, AnyPartIsThePartOfTheWhole, ()) {
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 400);
  const auto size = *rc::gen::inRange<std::size_t>(0, 300);
  const auto far = *rc::gen::element<std::uint64_t>(0, std::uint64_t{1} << 40, ~0ull - 2000);
  const RandomStream stream = Stream(*rc::gen::arbitrary<std::uint64_t>());
  const auto check = [&](auto read) {
    const auto whole = read(stream, first + size, far);
    const auto part = read(stream, size, far + first);
    RC_ASSERT(std::equal(part.begin(), part.end(), whole.begin() + first));
  };
  check(WordsOf);
  check(UniformsOf);
  check(NormalsOf);
}

TEST(RandomTest, NothingIsWrittenBehindTheEnd) {
  for (std::size_t n = 0; n < 140; ++n) {
    Values values(n + 1, 77.0);
    Stream().Normals(std::span(values).first(n), 1);
    EXPECT_EQ(values[n], 77.0) << n;
    Stream().Uniforms(std::span(values).first(n), 1);
    EXPECT_EQ(values[n], 77.0) << n;
  }
}

// Returns a stream, and others whose arguments differ from it by little or by much.
std::vector<RandomStream> NeighbouringStreams() {
  std::vector<RandomStream> streams = {Stream()};
  for (const std::uint64_t change : {1ull, 1ull << 32, ~0ull}) {
    streams.push_back(Stream(20 + change));
    streams.push_back(Stream(20, 4 + change));
    streams.push_back(Stream(20, 4, 3 + change));
  }
  streams.push_back(Stream(20, 3, 4));  // with step and sample exchanged
  for (const Purpose purpose : {Purpose::kFrequencies, Purpose::kFourierWeights}) {
    streams.push_back(Stream(20, 4, 3, purpose));
  }
  return streams;
}

TEST(RandomTest, StreamsOfDifferentNamesShareNoWord) {
  std::set<std::uint64_t> seen;
  for (const RandomStream& stream : NeighbouringStreams()) {
    for (const std::uint64_t word : WordsOf(stream, 1000)) {
      EXPECT_TRUE(seen.insert(word).second);
    }
  }
}

double Mean(const Values& values, const std::function<double(double)>& f) {
  double sum = 0;
  for (const double v : values) sum += f(v);
  return sum / static_cast<double>(values.size());
}

constexpr std::size_t kMany = 200000;

TEST(RandomTest, MomentsOfNormals) {
  const Values x = NormalsOf(Stream(), kMany);
  const double error = 1 / std::sqrt(static_cast<double>(kMany));
  // Each line has E x^k and the standard deviation of x^k.
  EXPECT_NEAR(Mean(x, [](double v) { return v; }), 0, 4 * error);
  EXPECT_NEAR(Mean(x, [](double v) { return v * v; }), 1, 4 * std::sqrt(2.0) * error);
  EXPECT_NEAR(Mean(x, [](double v) { return v * v * v; }), 0, 4 * std::sqrt(15.0) * error);
  EXPECT_NEAR(Mean(x, [](double v) { return std::pow(v, 4); }), 3, 4 * std::sqrt(96.0) * error);
}

TEST(RandomTest, MomentsOfUniforms) {
  const Values x = UniformsOf(Stream(), kMany);
  const double error = 1 / std::sqrt(static_cast<double>(kMany));
  EXPECT_NEAR(Mean(x, [](double v) { return v; }), 0.5, 4 * error / std::sqrt(12.0));
  EXPECT_NEAR(Mean(x, [](double v) { return v * v; }), 1 / 3.0, 4 * error * std::sqrt(4 / 45.0));
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0.0);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 1.0);
}

// Returns sqrt(n) times the largest distance of the empirical distribution from `cdf`. If `cdf` is
// right, this is above 1.95 with probability 0.001.
double KolmogorovSmirnov(Values x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]), below = static_cast<double>(i);
    largest = std::max({largest, p - below / n, (below + 1) / n - p});
  }
  return std::sqrt(n) * largest;
}

double NormalCdf(double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }

TEST(RandomTest, DistributionsPassKolmogorovSmirnov) {
  EXPECT_LT(KolmogorovSmirnov(UniformsOf(Stream(), kMany), [](double v) { return v; }), 1.95);
  EXPECT_LT(KolmogorovSmirnov(NormalsOf(Stream(), kMany), NormalCdf), 1.95);
  // The first numbers of many streams have the same distribution.
  Values first;
  for (std::uint64_t sample = 0; sample < 20000; ++sample) {
    first.push_back(NormalsOf(Stream(20, 4, sample), 1)[0]);
  }
  EXPECT_LT(KolmogorovSmirnov(first, NormalCdf), 1.95);
}

// Returns the absolute correlation, in standard errors, of variables with mean 0 and variance 1.
double Correlation(const Values& x, const Values& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += x[i] * y[i];
  return std::fabs(sum) / std::sqrt(static_cast<double>(y.size()));
}

Values Squares(const Values& x) {
  Values squares;
  for (const double v : x) squares.push_back((v * v - 1) / std::sqrt(2.0));
  return squares;
}

TEST(RandomTest, NeighbouringStreamsAreUncorrelated) {
  constexpr std::size_t kSize = 20000;
  const std::vector<RandomStream> streams = NeighbouringStreams();
  const Values x = NormalsOf(streams[0], kSize);
  for (std::size_t i = 1; i < streams.size(); ++i) {
    const Values y = NormalsOf(streams[i], kSize);
    EXPECT_LT(Correlation(x, y), 4.0) << i;
    EXPECT_LT(Correlation(Squares(x), Squares(y)), 4.0) << i;
  }
}

TEST(RandomTest, NumbersOfAStreamAreUncorrelated) {
  constexpr std::size_t kSize = 50000;
  const Values x = NormalsOf(Stream(), kSize);
  // Normals are made in pairs, random words in blocks of four, and both in larger chunks.
  for (const std::size_t lag : {1, 2, 3, 4, 8, 64}) {
    const Values later(x.begin() + static_cast<std::ptrdiff_t>(lag), x.end());
    EXPECT_LT(Correlation(x, later), 4.0) << lag;
    EXPECT_LT(Correlation(Squares(x), Squares(later)), 4.0) << lag;
  }
}

}  // namespace
}  // namespace gpode
