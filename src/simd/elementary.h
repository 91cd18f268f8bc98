// Sine with cosine, exp and tanh of lanes, for one instruction set (see lanes.h).
//
// Method: Cody-Waite argument reduction and minimax polynomials. These are fitted by Remez'
// algorithm; their relative error is below 2^-57 in double and 2^-28 in float. simd.h lists ranges
// and errors of the functions, and tests/simd/elementary_test.cc tests them.
#pragma once

#include <cmath>

#include "simd/lanes.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

// If |x| is larger than this, the C library computes sine and cosine, element by element.
template <typename Real>
inline constexpr Real kSinCosLimit = 0;
template <>
inline constexpr double kSinCosLimit<double> = 1e6;
template <>
inline constexpr float kSinCosLimit<float> = 8192.0f;

// The number 1.5 * 2^(mantissa bits). Adding it to another number rounds that number to the nearest
// integer; the low bits of the sum are then the low bits of that integer.
template <typename Real>
inline constexpr Real kRounder = 0;
template <>
inline constexpr double kRounder<double> = 0x1.8p52;
template <>
inline constexpr float kRounder<float> = 0x1.8p23f;

// Returns a constant in all lanes, and makes the compiler hold it in a register. Otherwise it would
// read the constant from memory at every use, and these loads would limit the speed of the loops.
template <typename Real>
inline Lanes<Real> Held(Real constant) {
  Lanes<Real> lanes = Broadcast<Real>(constant);
#if defined(__x86_64__)
  asm("" : "+v"(lanes));
#endif
  return lanes;
}

// Returns c[0] + c[1] x + ... by Horner's rule, which needs the fewest multiply-adds.
template <typename Real, std::size_t n>
inline Lanes<Real> Polynomial(Lanes<Real> x, const Real (&c)[n]) {
  Lanes<Real> sum = Broadcast<Real>(c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = Fma(sum, x, Broadcast<Real>(c[i]));
  return sum;
}

// Evaluates the same polynomial for several vectors, term by term, so that each coefficient is
// loaded once.
template <typename Real, int kCount, std::size_t n>
inline void Polynomials(const Lanes<Real> (&x)[kCount], const Real (&c)[n],
                        Lanes<Real> (&sum)[kCount]) {
  for (auto& lanes : sum) lanes = Held<Real>(c[n - 1]);
#pragma GCC unroll 16
  for (std::size_t j = 1; j < n; ++j) {
    const Lanes<Real> coefficient = Held<Real>(c[n - 1 - j]);
    for (int i = 0; i < kCount; ++i) sum[i] = Fma(sum[i], x[i], coefficient);
  }
}

// Replaces r = -n by x - n pi/2. pi/2 is the sum of several numbers, the pieces, which are
// subtracted one after the other. With a fused multiply-add, the product of n and a piece is not
// rounded. Without it, the product has to be representable, so that there are more and shorter
// pieces.
template <int kCount, typename Real, std::size_t pieces>
inline void SubtractPieces(const Lanes<Real> (&x)[kCount], const Real (&piece)[pieces],
                           Lanes<Real> (&r)[kCount]) {
  Lanes<Real> rest[kCount];
  for (int i = 0; i < kCount; ++i) rest[i] = x[i];
#pragma GCC unroll 4
  for (std::size_t j = 0; j < pieces; ++j) {
    const Lanes<Real> p = Held<Real>(piece[j]);
    for (int i = 0; i < kCount; ++i) rest[i] = Fma(r[i], p, rest[i]);
  }
  for (int i = 0; i < kCount; ++i) r[i] = rest[i];
}

template <int kCount>
inline void ReduceQuarterTurns(const Lanes<double> (&x)[kCount], Lanes<double> (&r)[kCount]) {
  if constexpr (kFused) {
    static constexpr double kPieces[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                         -0x1.f1976b7ed8fbcp-110};
    SubtractPieces<kCount, double>(x, kPieces, r);
  } else {
    static constexpr double kPieces[] = {0x1.921fb544p+0, 0x1.0b4611a4p-34, 0x1.13198a2cp-65,
                                         0x1.01b839a25204ap-96};
    SubtractPieces<kCount, double>(x, kPieces, r);
  }
}

template <int kCount>
inline void ReduceQuarterTurns(const Lanes<float> (&x)[kCount], Lanes<float> (&r)[kCount]) {
  if constexpr (kFused) {
    static constexpr float kPieces[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f};
    SubtractPieces<kCount, float>(x, kPieces, r);
  } else {
    static constexpr float kPieces[] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.4442d2p-24f};
    SubtractPieces<kCount, float>(x, kPieces, r);
  }
}

// sin(r) = r + r u P(u) and cos(r) = 1 + u Q(u), u = r^2, |r| <= pi/4.
template <typename Real>
struct SinCosCoefficients;

template <>
struct SinCosCoefficients<double> {
  static constexpr double kSin[] = {-0x1.5555555555549p-3,  0x1.111111110f830p-7,
                                    -0x1.a01a019c07e37p-13, 0x1.71de356ef0b84p-19,
                                    -0x1.ae5e5f1aeb73dp-26, 0x1.5d90deaf6194ep-33};
  static constexpr double kCos[] = {-0.5,
                                    0x1.555555555554cp-5,
                                    -0x1.6c16c16c1512dp-10,
                                    0x1.a01a019ca9893p-16,
                                    -0x1.27e4f803c235cp-22,
                                    0x1.1ee9e78c1c99dp-29,
                                    -0x1.8fac45d01ce39p-37};
};

template <>
struct SinCosCoefficients<float> {
  static constexpr float kSin[] = {-0x1.555546p-3f, 0x1.110754p-7f, -0x1.994a4ep-13f};
  static constexpr float kCos[] = {-0.5f, 0x1.55554ap-5f, -0x1.6c0c7ep-10f, 0x1.99fe68p-16f};
};

// Computes sine and cosine of several vectors, which share the constants, for |x| <= kSinCosLimit.
template <typename Real, int kCount>
[[gnu::always_inline]] inline void SinCosWithin(const Lanes<Real> (&x)[kCount],
                                                Lanes<Real> (&sine)[kCount],
                                                Lanes<Real> (&cosine)[kCount]) {
  using Int = IntLanes<Real>;
  using Coefficients = SinCosCoefficients<Real>;
  constexpr int kSignShift = sizeof(Real) * 8 - 2;  // moves bit 1 of the quadrant onto the sign
  const Lanes<Real> turns = Held<Real>(static_cast<Real>(0x1.45f306dc9c883p-1));  // 2 / pi
  const Lanes<Real> rounder = Held<Real>(kRounder<Real>);
  Lanes<Real> shifted[kCount], r[kCount], u[kCount], s[kCount], c[kCount];
  for (int i = 0; i < kCount; ++i) {
    shifted[i] = Fma(x[i], turns, rounder);
    r[i] = rounder - shifted[i];
  }
  ReduceQuarterTurns<kCount>(x, r);
  for (int i = 0; i < kCount; ++i) u[i] = r[i] * r[i];
  Polynomials<Real>(u, Coefficients::kSin, s);
  Polynomials<Real>(u, Coefficients::kCos, c);
  const Lanes<Real> one = Held<Real>(Real(1));
  const Int sign_bit = Bits<Real>(Held<Real>(Real(-0.0)));
  for (int i = 0; i < kCount; ++i) {
    s[i] = Fma(r[i] * u[i], s[i], r[i]);
    c[i] = Fma(u[i], c[i], one);
    // Sine is negative in quadrants 2 and 3, where bit 1 of the quadrant is set; cosine is negative
    // in 1 and 2, where bits 0 and 1 differ.
    const Int quadrant = Bits<Real>(shifted[i]);
    const Int turned = quadrant << kSignShift;
    SwapWhereOdd<Real>(quadrant, s[i], c[i]);
    sine[i] = FromBits<Real>(Bits<Real>(s[i]) ^ (turned & sign_bit));
    cosine[i] = FromBits<Real>(Bits<Real>(c[i]) ^ ((turned ^ (turned << 1)) & sign_bit));
  }
}

// Computes the lanes beyond the limit again with the C library. The other lanes keep their result,
// so that no lane depends on its neighbours. The function is not inlined because it is rarely
// needed.
template <typename Real>
[[gnu::noinline, gnu::cold]] void SinCosBeyond(const Real* x, Real* sine, Real* cosine) {
  for (std::size_t i = 0; i < kWidth<Real>; ++i) {
    if (std::fabs(x[i]) <= kSinCosLimit<Real>) continue;
    sine[i] = std::sin(x[i]);
    cosine[i] = std::cos(x[i]);
  }
}

// Computes sine and cosine of any x.
template <typename Real, int kCount>
inline void SinCosLanes(const Lanes<Real> (&x)[kCount], Lanes<Real> (&sine)[kCount],
                        Lanes<Real> (&cosine)[kCount]) {
  SinCosWithin<Real>(x, sine, cosine);
  for (int i = 0; i < kCount; ++i) {
    if (!AnyBeyond<Real>(x[i], kSinCosLimit<Real>)) [[likely]]
      continue;
    Real in[kWidth<Real>], s[kWidth<Real>], c[kWidth<Real>];
    Store<Real>(in, x[i]);
    Store<Real>(s, sine[i]);
    Store<Real>(c, cosine[i]);
    SinCosBeyond<Real>(in, s, c);
    sine[i] = Load(s);
    cosine[i] = Load(c);
  }
}

// The parts n = round(x / ln 2) and r = x - n ln 2 of exp(x) = 2^n exp(r).
template <typename Real>
struct ExpReduction {
  Lanes<Real> n, r;
};

inline ExpReduction<double> ReduceExp(Lanes<double> x) {
  const Lanes<double> n =
      Fma(x, Broadcast(0x1.71547652b82fep+0), Broadcast(kRounder<double>)) - kRounder<double>;
  Lanes<double> r = Fma(-n, Broadcast(0x1.62e42fefa3800p-1), x);
  return {n, Fma(-n, Broadcast(0x1.ef35793c76730p-45), r)};
}

inline ExpReduction<float> ReduceExp(Lanes<float> x) {
  const Lanes<float> n =
      Fma(x, Broadcast(0x1.715476p+0f), Broadcast(kRounder<float>)) - kRounder<float>;
  Lanes<float> r = Fma(-n, Broadcast(0x1.62e4p-1f), x);
  return {n, Fma(-n, Broadcast(0x1.7f7d1cp-20f), r)};
}

// Returns 2^n for an integer n within the range of exponents.
template <typename Real>
inline Lanes<Real> PowerOfTwo(Lanes<Real> n) {
  constexpr int kMantissa = sizeof(Real) == 8 ? 52 : 23;
  constexpr int kBias = sizeof(Real) == 8 ? 1023 : 127;
  return FromBits<Real>(Bits<Real>(n + (kRounder<Real> + kBias)) << kMantissa);
}

// Returns e 2^n, even if 2^n alone overflows or underflows.
template <typename Real>
inline Lanes<Real> Scale(Lanes<Real> e, Lanes<Real> n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 8) {
    return _mm512_scalef_pd(e, n);
  } else {
    return _mm512_scalef_ps(e, n);
  }
#else
  const Lanes<Real> half =
      Fma(n, Broadcast<Real>(Real(0.5)), Broadcast(kRounder<Real>)) - kRounder<Real>;
  return e * PowerOfTwo<Real>(half) * PowerOfTwo<Real>(n - half);
#endif
}

// Returns expm1(r) = exp(r) - 1 = r + r^2 P(r) with a polynomial P, for |r| <= ln(2)/2.
inline Lanes<double> Expm1Reduced(Lanes<double> r) {
  static constexpr double kP[] = {
      0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555555ap-5,  0x1.111111110f6b4p-7,
      0x1.6c16c16c14465p-10, 0x1.a01a01afe2e21p-13, 0x1.a01a01b0b0c9ap-16, 0x1.71ddf859fa7f7p-19,
      0x1.27e4c5ae36436p-22, 0x1.af5eb2e7de3bfp-26, 0x1.1f954ead04cbcp-29};
  return Fma(r * r, Polynomial<double>(r, kP), r);
}

inline Lanes<float> Expm1Reduced(Lanes<float> r) {
  static constexpr float kP[] = {0x1.000000p-1f, 0x1.555556p-3f,  0x1.5554aep-5f,
                                 0x1.111090p-7f, 0x1.6d7474p-10f, 0x1.a1a150p-13f};
  return Fma(r * r, Polynomial<float>(r, kP), r);
}

// Returns exp(r) = 1 + r + r^2 P(r) for |r| <= ln(2)/2. P has one term less than that of expm1,
// whose relative error must be small near zero.
inline Lanes<double> ExpReduced(Lanes<double> r) {
  static constexpr double kP[] = {
      0x1.000000000000bp-1,  0x1.5555555555561p-3,  0x1.5555555550041p-5,  0x1.111111110d647p-7,
      0x1.6c16c185a38a0p-10, 0x1.a01a01baddb2ap-13, 0x1.a019969e5d372p-16, 0x1.71dddfd657ecfp-19,
      0x1.28b03ef96a08fp-22, 0x1.af8576ba0dd4bp-26};
  return Fma(r * r, Polynomial<double>(r, kP), r) + 1.0;
}

inline Lanes<float> ExpReduced(Lanes<float> r) {
  static constexpr float kP[] = {0x1.000000p-1f, 0x1.555490p-3f, 0x1.55545ep-5f, 0x1.123b46p-7f,
                                 0x1.6db414p-10f};
  return Fma(r * r, Polynomial<float>(r, kP), r) + 1.0f;
}

template <typename Real>
inline Lanes<Real> ExpLanes(Lanes<Real> x) {
  // Beyond these arguments the result is 0 or infinite.
  constexpr Real kLow = sizeof(Real) == 8 ? Real(-746) : Real(-104);
  constexpr Real kHigh = sizeof(Real) == 8 ? Real(710) : Real(89);
  const ExpReduction<Real> part = ReduceExp(AtMost(kHigh, AtLeast(kLow, x)));
  return Scale<Real>(ExpReduced(part.r), part.n);
}

// Returns tanh(x), which has the sign of x and the absolute value e / (e + 2), e = expm1(2 |x|).
template <typename Real>
inline Lanes<Real> TanhLanes(Lanes<Real> x) {
  constexpr Real kSaturated = sizeof(Real) == 8 ? Real(44) : Real(20);  // tanh is 1 if 2 |x| > this
  const IntLanes<Real> sign_bit = Bits<Real>(Broadcast<Real>(Real(-0.0)));
  Lanes<Real> twice = FromBits<Real>(Bits<Real>(x) & ~sign_bit);
  twice += twice;
  const ExpReduction<Real> part = ReduceExp(AtMost(kSaturated, twice));
  const Lanes<Real> power = PowerOfTwo<Real>(part.n);
  const Lanes<Real> e = Fma(power, Expm1Reduced(part.r), power - Real(1));
  const Lanes<Real> magnitude = e / (e + Real(2));
  return FromBits<Real>(Bits<Real>(magnitude) | (Bits<Real>(x) & sign_bit));
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
