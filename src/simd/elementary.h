// sine and cosine together, exp and tanh of lanes, for one instruction set (see lanes.h).
//
// Method: Cody-Waite argument reduction and minimax polynomials (fitted by Remez' algorithm,
// relative error of the result below 2^-57 in double and 2^-28 in float). Ranges and errors are
// documented in simd.h, and held by tests/simd/elementary_test.cc.
#pragma once

#include <cmath>

#include "simd/lanes.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

// Beyond this |x| sine and cosine go to the C library, element by element.
template <typename Real>
inline constexpr Real kSinCosLimit = 0;
template <>
inline constexpr double kSinCosLimit<double> = 1e6;
template <>
inline constexpr float kSinCosLimit<float> = 8192.0f;

// 1.5 * 2^(mantissa bits): adding it rounds to the nearest integer, whose low bits are then the low
// bits of the sum.
template <typename Real>
inline constexpr Real kRounder = 0;
template <>
inline constexpr double kRounder<double> = 0x1.8p52;
template <>
inline constexpr float kRounder<float> = 0x1.8p23f;

// c[0] + c[1] x + ..., by Horner's rule: the fewest multiply-adds.
template <typename Real, std::size_t n>
inline Lanes<Real> Polynomial(Lanes<Real> x, const Real (&c)[n]) {
  Lanes<Real> sum = Broadcast<Real>(c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = Fma(sum, x, Broadcast<Real>(c[i]));
  return sum;
}

// x - n pi/2, given -n. With a fused multiply-add the first step is exact for full-length pieces;
// without, every n * piece has to be representable, hence more and shorter ones.
inline Lanes<double> ReduceQuarterTurns(Lanes<double> x, Lanes<double> minus_n) {
  if constexpr (kFused) {
    x = Fma(minus_n, Broadcast(0x1.921fb54442d18p+0), x);
    x = Fma(minus_n, Broadcast(0x1.1a62633145c07p-54), x);
    return Fma(minus_n, Broadcast(-0x1.f1976b7ed8fbcp-110), x);
  } else {
    x = x + minus_n * 0x1.921fb544p+0;
    x = x + minus_n * 0x1.0b4611a4p-34;
    x = x + minus_n * 0x1.13198a2cp-65;
    return x + minus_n * 0x1.01b839a25204ap-96;
  }
}

inline Lanes<float> ReduceQuarterTurns(Lanes<float> x, Lanes<float> minus_n) {
  if constexpr (kFused) {
    x = Fma(minus_n, Broadcast(0x1.921fb6p+0f), x);
    return Fma(minus_n, Broadcast(-0x1.777a5cp-25f), x);
  } else {
    x = x + minus_n * 0x1.92p+0f;
    x = x + minus_n * 0x1.fb4p-12f;
    return x + minus_n * 0x1.4442d2p-24f;
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

// Sine and cosine of |x| <= kSinCosLimit.
template <typename Real>
inline void SinCosWithin(Lanes<Real> x, Lanes<Real>& sine, Lanes<Real>& cosine) {
  using Int = IntLanes<Real>;
  constexpr int kSignShift = sizeof(Real) * 8 - 2;  // moves bit 1 of the quadrant onto the sign
  const Lanes<Real> shifted =
      Fma(x, Broadcast<Real>(static_cast<Real>(0x1.45f306dc9c883p-1)), Broadcast(kRounder<Real>));
  const Int quadrant = Bits<Real>(shifted);
  const Lanes<Real> r = ReduceQuarterTurns(x, kRounder<Real> - shifted);
  const Lanes<Real> u = r * r;
  Lanes<Real> s = Fma(r * u, Polynomial<Real>(u, SinCosCoefficients<Real>::kSin), r);
  Lanes<Real> c =
      Fma(u, Polynomial<Real>(u, SinCosCoefficients<Real>::kCos), Broadcast<Real>(Real(1)));
  SwapWhereOdd<Real>(quadrant, s, c);
  const Int sign_bit = Bits<Real>(Broadcast<Real>(Real(-0.0)));
  sine = FromBits<Real>(Bits<Real>(s) ^ ((quadrant << kSignShift) & sign_bit));
  cosine = FromBits<Real>(Bits<Real>(c) ^ (((quadrant + 1) << kSignShift) & sign_bit));
}

template <typename Real>
struct SinCosPair {
  Lanes<Real> sine, cosine;
};

// Out of line: it is rarely needed and must not weigh on the loops. Only the lanes beyond the limit
// go to the C library, so that no element's result depends on its neighbours.
template <typename Real>
[[gnu::noinline, gnu::cold]] SinCosPair<Real> SinCosBeyond(Lanes<Real> x) {
  SinCosPair<Real> pair;
  SinCosWithin<Real>(x, pair.sine, pair.cosine);
  for (std::size_t i = 0; i < kWidth<Real>; ++i) {
    if (std::fabs(x[i]) <= kSinCosLimit<Real>) continue;
    pair.sine[i] = std::sin(x[i]);
    pair.cosine[i] = std::cos(x[i]);
  }
  return pair;
}

// Sine and cosine of any x.
template <typename Real>
inline void SinCosLanes(Lanes<Real> x, Lanes<Real>& sine, Lanes<Real>& cosine) {
  if (AnyBeyond<Real>(x, kSinCosLimit<Real>)) [[unlikely]] {
    const SinCosPair<Real> pair = SinCosBeyond<Real>(x);
    sine = pair.sine;
    cosine = pair.cosine;
  } else {
    SinCosWithin<Real>(x, sine, cosine);
  }
}

// exp(x) = 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2.
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

// 2^n for a whole number n within the exponent's range.
template <typename Real>
inline Lanes<Real> PowerOfTwo(Lanes<Real> n) {
  constexpr int kMantissa = sizeof(Real) == 8 ? 52 : 23;
  constexpr int kBias = sizeof(Real) == 8 ? 1023 : 127;
  return FromBits<Real>(Bits<Real>(n + (kRounder<Real> + kBias)) << kMantissa);
}

// e 2^n, also where 2^n alone is out of range.
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

// expm1(r) = r + r^2 P(r), |r| <= ln(2)/2.
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

// exp(r) = 1 + r + r^2 P(r), |r| <= ln(2)/2; one term less than expm1 needs.
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
  // Past these the result is 0 or infinite anyway; written so that NaN stays.
  constexpr Real kLow = sizeof(Real) == 8 ? Real(-746) : Real(-104);
  constexpr Real kHigh = sizeof(Real) == 8 ? Real(710) : Real(89);
  x = x < kLow ? Broadcast(kLow) : x;
  x = x > kHigh ? Broadcast(kHigh) : x;
  const ExpReduction<Real> part = ReduceExp(x);
  return Scale<Real>(ExpReduced(part.r), part.n);
}

// tanh(x) = e / (e + 2) with e = expm1(2 |x|), and the sign of x.
template <typename Real>
inline Lanes<Real> TanhLanes(Lanes<Real> x) {
  constexpr Real kSaturated = sizeof(Real) == 8 ? Real(44) : Real(20);  // tanh is 1 from here
  const IntLanes<Real> sign_bit = Bits<Real>(Broadcast<Real>(Real(-0.0)));
  Lanes<Real> twice = FromBits<Real>(Bits<Real>(x) & ~sign_bit);
  twice += twice;
  twice = twice > kSaturated ? Broadcast(kSaturated) : twice;
  const ExpReduction<Real> part = ReduceExp(twice);
  const Lanes<Real> power = PowerOfTwo<Real>(part.n);
  const Lanes<Real> e = Fma(power, Expm1Reduced(part.r), power - Real(1));
  const Lanes<Real> magnitude = e / (e + Real(2));
  return FromBits<Real>(Bits<Real>(magnitude) | (Bits<Real>(x) & sign_bit));
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
