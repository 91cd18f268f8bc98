// Tests the errors documented in simd.h: sine, cosine, exp and tanh against the C library in a
// wider type, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "simd/simd.h"

namespace gpode::simd {
namespace {

template <typename Real>
using Array = std::vector<Real>;
template <typename Real>
using Limits = std::numeric_limits<Real>;

// Properties of a type: the wider type of the reference values, the loops, the limit beyond which
// sine and cosine are those of the C library, and the arguments beyond which exp is zero, subnormal
// or infinite.
template <typename Real>
struct Traits;

template <>
struct Traits<double> {
  using Wide = long double;
  static constexpr auto kSinCos = &Loops::sincos_double;
  static constexpr auto kExp = &Loops::exp_double;
  static constexpr auto kTanh = &Loops::tanh_double;
  static constexpr double kSinCosLimit = 1e6;
  static constexpr double kExpZero = -745.2, kExpSubnormal = -708.3, kExpInfinite = 709.79;
};

template <>
struct Traits<float> {
  using Wide = double;
  static constexpr auto kSinCos = &Loops::sincos_float;
  static constexpr auto kExp = &Loops::exp_float;
  static constexpr auto kTanh = &Loops::tanh_float;
  static constexpr float kSinCosLimit = 8192;
  static constexpr double kExpZero = -104, kExpSubnormal = -87.3, kExpInfinite = 88.73;
};

template <typename Real>
using Wide = typename Traits<Real>::Wide;

// The documented limit of the error: it is at most `ulp` units in the last place or at most
// `absolute`.
struct Promise {
  double ulp;
  double absolute;
};

template <typename Real>
Promise SinCosPromise(Isa isa) {
  const bool fused = isa != Isa::kBaseline;
  if (sizeof(Real) == 8) return {fused ? 1.6 : 2.6, 0.0};
  return {1.6, fused ? 0x1p-36 : 0x1p-35};
}
Promise ExpPromise(Isa) { return {1.1, 0.0}; }
Promise TanhPromise(Isa) { return {2.7, 0.0}; }

template <typename Real>
struct Function {
  const char* name;
  void (*loop)(const Loops&, std::size_t, const Real*, Real*);
  Wide<Real> (*exact)(Wide<Real>);
  Promise (*promise)(Isa);
};

template <typename Real>
void SineLoop(const Loops& loops, std::size_t n, const Real* x, Real* y) {
  Array<Real> cosine(n);
  (loops.*Traits<Real>::kSinCos)(n, x, y, cosine.data());
}

template <typename Real>
void CosineLoop(const Loops& loops, std::size_t n, const Real* x, Real* y) {
  Array<Real> sine(n);
  (loops.*Traits<Real>::kSinCos)(n, x, sine.data(), y);
}

template <typename Real>
void ExpLoop(const Loops& loops, std::size_t n, const Real* x, Real* y) {
  (loops.*Traits<Real>::kExp)(n, x, y);
}

template <typename Real>
void TanhLoop(const Loops& loops, std::size_t n, const Real* x, Real* y) {
  (loops.*Traits<Real>::kTanh)(n, x, y);
}

template <typename Real>
const Function<Real> kSine = {"sin", SineLoop<Real>, std::sin, SinCosPromise<Real>};
template <typename Real>
const Function<Real> kCosine = {"cos", CosineLoop<Real>, std::cos, SinCosPromise<Real>};
template <typename Real>
const Function<Real> kExp = {"exp", ExpLoop<Real>, std::exp, ExpPromise};
template <typename Real>
const Function<Real> kTanh = {"tanh", TanhLoop<Real>, std::tanh, TanhPromise};
template <typename Real>
const Function<Real> kAll[] = {kSine<Real>, kCosine<Real>, kExp<Real>, kTanh<Real>};

// Returns the distance between neighbouring numbers of type Real at `exact`.
template <typename Real>
Wide<Real> Ulp(Wide<Real> exact) {
  int exponent = Limits<Real>::min_exponent;
  if (exact != 0) std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits<Real>::min_exponent);
  return std::ldexp(Wide<Real>(1), exponent - Limits<Real>::digits);
}

// Returns the error in ulp, or 0 if it is at most `absolute`. If the result or the exact result, as
// a Real, is not finite, any difference is an infinite error.
template <typename Real>
double Error(Real y, Wide<Real> exact, double absolute) {
  if (std::isnan(exact)) return std::isnan(y) ? 0.0 : Limits<double>::infinity();
  const Real rounded = static_cast<Real>(exact);
  if (std::isinf(rounded) || !std::isfinite(y)) {
    return y == rounded ? 0.0 : Limits<double>::infinity();
  }
  const Wide<Real> error = std::fabs(y - exact);
  return error <= absolute ? 0.0 : static_cast<double>(error / Ulp<Real>(exact));
}

template <typename Real>
void ExpectPromiseKept(const Function<Real>& function, const char* range, const Array<Real>& x) {
  Array<Wide<Real>> exact(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) exact[i] = function.exact(x[i]);
  Array<Real> y(x.size());
  for (const Isa isa : Available()) {
    const Promise promise = function.promise(isa);
    function.loop(LoopsFor(isa), x.size(), x.data(), y.data());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = Error<Real>(y[i], exact[i], promise.absolute);
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, promise.ulp) << function.name << ", " << range << ", " << Name(isa) << ", at "
                                  << std::hexfloat << x[at] << ": " << y[at];
  }
}

// Even returns numbers of both signs whose magnitudes are uniform in [low, high]. PowersOfTwo
// returns numbers of both signs whose magnitudes are 2^u, with u uniform in [low, high].
template <typename Real>
Array<Real> Even(double low, double high, std::size_t n = 100000) {
  std::mt19937_64 bits(n);
  Array<Real> x(n);
  for (Real& v : x) {
    const double u = static_cast<double>(bits() >> 11) * 0x1p-53;
    v = static_cast<Real>((bits() % 2 == 0 ? 1.0 : -1.0) * (low + (high - low) * u));
  }
  return x;
}

template <typename Real>
Array<Real> PowersOfTwo(double low, double high) {
  Array<Real> x = Even<Real>(0.0, 1.0);
  for (Real& v : x) {
    v = static_cast<Real>(std::copysign(std::exp2(low + (high - low) * std::fabs(double{v})), v));
  }
  return x;
}

// The binary exponents of the smallest subnormal and of the largest finite number.
template <typename Real>
constexpr double kLowest = Limits<Real>::min_exponent - Limits<Real>::digits;
template <typename Real>
constexpr double kHighest = Limits<Real>::max_exponent - 1e-9;

template <typename Real>
class ElementaryTest : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ElementaryTest, Reals);

TYPED_TEST(ElementaryTest, SineAndCosineKeepTheirPromise) {
  using Real = TypeParam;
  const double limit = Traits<Real>::kSinCosLimit;
  for (const auto& function : {kSine<Real>, kCosine<Real>}) {
    ExpectPromiseKept<Real>(function, "tiny", PowersOfTwo<Real>(kLowest<Real>, -10));
    ExpectPromiseKept<Real>(function, "below 1", Even<Real>(0, 1));
    ExpectPromiseKept<Real>(function, "below 100", Even<Real>(0, 100));
    ExpectPromiseKept<Real>(function, "fast range", Even<Real>(0, limit, 400000));
    ExpectPromiseKept<Real>(function, "beyond", Even<Real>(limit, 1000 * limit));
    ExpectPromiseKept<Real>(function, "huge", PowersOfTwo<Real>(10, kHighest<Real>));
  }
}

// The arguments are all multiples of pi/2 in the fast range, where either sine or cosine almost
// vanishes, and their neighbours.
TYPED_TEST(ElementaryTest, SineAndCosineKeepTheirPromiseNearTheirZeros) {
  using Real = TypeParam;
  constexpr long double kHalfPi = 1.57079632679489661923132169163975144L;
  Array<Real> x;
  for (long double k = 1; k * kHalfPi < Traits<Real>::kSinCosLimit; ++k) {
    const Real near = static_cast<Real>(k * kHalfPi);
    x.push_back(near);
    x.push_back(-std::nextafter(near, Real(0)));
    x.push_back(std::nextafter(near, Limits<Real>::infinity()));
  }
  ExpectPromiseKept<Real>(kSine<Real>, "multiples of pi/2", x);
  ExpectPromiseKept<Real>(kCosine<Real>, "multiples of pi/2", x);
}

TYPED_TEST(ElementaryTest, ExpKeepsItsPromise) {
  using Real = TypeParam;
  const double zero = Traits<Real>::kExpZero, subnormal = Traits<Real>::kExpSubnormal;
  const double infinite = Traits<Real>::kExpInfinite;
  const Function<Real>& exp = kExp<Real>;
  ExpectPromiseKept<Real>(exp, "tiny", PowersOfTwo<Real>(kLowest<Real>, -10));
  ExpectPromiseKept<Real>(exp, "below 1", Even<Real>(0, 1));
  ExpectPromiseKept<Real>(exp, "normal results", Even<Real>(0, -subnormal, 400000));
  ExpectPromiseKept<Real>(exp, "subnormal results", Even<Real>(-subnormal, -zero));
  ExpectPromiseKept<Real>(exp, "about infinite results", Even<Real>(infinite - 0.1, infinite));
  ExpectPromiseKept<Real>(exp, "huge", PowersOfTwo<Real>(6, kHighest<Real>));
}

TYPED_TEST(ElementaryTest, TanhKeepsItsPromise) {
  using Real = TypeParam;
  ExpectPromiseKept<Real>(kTanh<Real>, "tiny", PowersOfTwo<Real>(kLowest<Real>, -10));
  ExpectPromiseKept<Real>(kTanh<Real>, "below 1", Even<Real>(0, 1, 400000));
  ExpectPromiseKept<Real>(kTanh<Real>, "up to saturation", Even<Real>(0, 25));
  ExpectPromiseKept<Real>(kTanh<Real>, "huge", PowersOfTwo<Real>(4, kHighest<Real>));
}

TEST(ElementaryFloatTest, PromisesAreKeptOverAllBitPatternsInSteps) {
  constexpr std::uint32_t kStep = 8009;  // The step is odd, so that the last bits vary.
  Array<float> x;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += kStep) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    x.push_back(value);
    x.push_back(-value);
  }
  for (const auto& function : kAll<float>) ExpectPromiseKept<float>(function, "all floats", x);
}

template <typename Real>
Real Apply(const Function<Real>& function, Isa isa, Real x) {
  Real y = 0;
  function.loop(LoopsFor(isa), 1, &x, &y);
  return y;
}

TYPED_TEST(ElementaryTest, SpecialArgumentsGiveTheExactResult) {
  using Real = TypeParam;
  const Real inf = Limits<Real>::infinity(), nan = Limits<Real>::quiet_NaN();
  for (const Isa isa : Available()) {
    SCOPED_TRACE(Name(isa));
    for (const auto& function : kAll<Real>) EXPECT_TRUE(std::isnan(Apply(function, isa, nan)));
    for (const Real sign : {Real(1), Real(-1)}) {
      EXPECT_TRUE(std::isnan(Apply(kSine<Real>, isa, sign * inf)));
      EXPECT_TRUE(std::isnan(Apply(kCosine<Real>, isa, sign * inf)));
      EXPECT_EQ(Apply(kTanh<Real>, isa, sign * inf), sign);
      EXPECT_EQ(Apply(kSine<Real>, isa, sign * 0), 0);
      EXPECT_EQ(Apply(kCosine<Real>, isa, sign * 0), 1);
      EXPECT_EQ(Apply(kExp<Real>, isa, sign * 0), 1);
      EXPECT_EQ(Apply(kTanh<Real>, isa, sign * 0), 0);
      EXPECT_EQ(std::signbit(Apply(kTanh<Real>, isa, sign * 0)), sign < 0);
      const Real smallest = sign * Limits<Real>::denorm_min();
      EXPECT_EQ(Apply(kSine<Real>, isa, smallest), smallest);
      EXPECT_EQ(Apply(kTanh<Real>, isa, smallest), smallest);
    }
    EXPECT_EQ(Apply(kExp<Real>, isa, inf), inf);
    EXPECT_EQ(Apply(kExp<Real>, isa, -inf), 0);
  }
}

// Returns arguments of the fast range mixed with some that need the C library.
template <typename Real>
Array<Real> MixedArguments(std::size_t n) {
  Array<Real> x = Even<Real>(0, 20, n);
  for (std::size_t i = 3; i < n; i += 7) x[i] *= Traits<Real>::kSinCosLimit;
  return x;
}

// Expects that an array at any offset and of any length has the results of its single elements, and
// that nothing else is written.
template <typename Real>
void ExpectPlaceDoesNotMatter(const Function<Real>& function, Isa isa, bool in_place) {
  constexpr std::size_t kMost = 40, kOffsets = 16;
  const Real guard = 77;
  const Array<Real> x = MixedArguments<Real>(kMost + kOffsets);
  Array<Real> single(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) single[i] = Apply(function, isa, x[i]);
  for (std::size_t offset = 0; offset < kOffsets; ++offset) {
    for (std::size_t n = 0; n <= kMost; ++n) {
      Array<Real> expected = in_place ? x : Array<Real>(x.size(), guard);
      std::copy_n(single.begin() + offset, n, expected.begin() + offset);
      Array<Real> y = in_place ? x : Array<Real>(x.size(), guard);
      function.loop(LoopsFor(isa), n, (in_place ? y : x).data() + offset, y.data() + offset);
      ASSERT_EQ(y, expected) << function.name << ", " << Name(isa) << ", offset " << offset
                             << ", length " << n << (in_place ? ", in place" : "");
    }
  }
}

TYPED_TEST(ElementaryTest, ResultsDoNotDependOnPositionLengthOrNeighbours) {
  using Real = TypeParam;
  for (const Isa isa : Available()) {
    for (const auto& function : kAll<Real>) ExpectPlaceDoesNotMatter<Real>(function, isa, false);
    ExpectPlaceDoesNotMatter<Real>(kExp<Real>, isa, true);
    ExpectPlaceDoesNotMatter<Real>(kTanh<Real>, isa, true);
  }
}

}  // namespace
}  // namespace gpode::simd
