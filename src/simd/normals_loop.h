// Box-Muller on lanes for one instruction set (see lanes.h). The standard normals have the same
// bits on every machine, because only additions, multiplications, divisions and square roots are
// used, which IEEE 754 rounds correctly, and no fused multiply-add.
#pragma once

#include <cmath>

#include "simd/elementary.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

template <std::size_t n>
inline Lanes<double> UnfusedPolynomial(Lanes<double> x, const double (&c)[n]) {
  Lanes<double> sum = Broadcast(c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// Returns uniform numbers on [1, 2): 52 random bits below the exponent of 1.
inline Lanes<double> OneToTwo(IntLanes<double> bits) {
  constexpr std::int64_t kMantissa = 0x000FFFFFFFFFFFFF;
  constexpr std::int64_t kOne = 0x3FF0000000000000;
  return FromBits<double>((bits & kMantissa) | kOne);
}

// Returns -2 ln u for u in (0, 1], from u = 2^e m with m in [1/sqrt 2, sqrt 2) and
// ln m = 2 atanh((m-1)/(m+1)).
inline Lanes<double> MinusTwoLog(Lanes<double> u) {
  static constexpr double kP[] = {0x1.5555555555592p-1, 0x1.999999997fdb0p-2, 0x1.24924941f195dp-2,
                                  0x1.c71c5208fade5p-3, 0x1.74663efdd94b5p-3, 0x1.39a1b86f7adf9p-3,
                                  0x1.2f057bad5c051p-3};
  constexpr std::int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  constexpr std::int64_t kExponent = 0x7FF0000000000000;
  const IntLanes<double> bits = Bits<double>(u);
  const IntLanes<double> scale = (bits - kSqrtHalf) & (kExponent | (std::int64_t{1} << 63));
  const Lanes<double> m = FromBits<double>(bits - scale);
  // The scale is e * 2^52. It is converted through the mantissa of 1.5 * 2^52, because older
  // machines lack an instruction for it.
  const IntLanes<double> e_bits =
      static_cast<IntLanes<double>>((scale >> 52) + Bits<double>(Broadcast(kRounder<double>)));
  const Lanes<double> e = FromBits<double>(e_bits) - kRounder<double>;
  const Lanes<double> s = (m - 1.0) / (m + 1.0);
  const Lanes<double> w = s * s;
  const Lanes<double> tail = s * w * UnfusedPolynomial(w, kP) + e * 0x1.ef35793c76730p-45;
  return -2.0 * (e * 0x1.62e42fefa3800p-1 + (2.0 * s + tail));
}

// Computes sine and cosine of 2 pi v, v in [0, 1), from 4 v = q + y with y in [-1/2, 1/2], so that
// |pi y / 2| <= pi/4.
inline void SinCosTurn(Lanes<double> v, Lanes<double>& sine, Lanes<double>& cosine) {
  const Lanes<double> shifted = v * 4.0 + kRounder<double>;
  const IntLanes<double> quadrant = Bits<double>(shifted);
  const Lanes<double> r = (v * 4.0 - (shifted - kRounder<double>)) * 0x1.921fb54442d18p+0;
  const Lanes<double> u = r * r;
  Lanes<double> s = r + r * u * UnfusedPolynomial(u, SinCosCoefficients<double>::kSin);
  Lanes<double> c = 1.0 + u * UnfusedPolynomial(u, SinCosCoefficients<double>::kCos);
  SwapWhereOdd<double>(quadrant, s, c);
  sine = (quadrant & 2) != 0 ? -s : s;
  cosine = ((quadrant + 1) & 2) != 0 ? -c : c;
}

// Computes, from each pair of words (a, b), the normals r cos(2 pi v) and r sin(2 pi v) with
// r^2 = -2 ln u, u from a and v from b. With 52 bits of u, normals are below 8.5 in absolute value.
inline void NormalsLoop(std::size_t n, const std::uint64_t* bits, double* normals) {
  constexpr std::size_t w = kWidth<double>;
  const std::size_t pairs = n / 2;
  for (std::size_t start = 0; start < pairs; start += w) {
    const std::size_t count = pairs - start < w ? pairs - start : w;
    IntLanes<double> a{}, b{};
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = static_cast<std::int64_t>(bits[2 * (start + i)]);
      b[i] = static_cast<std::int64_t>(bits[2 * (start + i) + 1]);
    }
    const Lanes<double> squared = MinusTwoLog(2.0 - OneToTwo(a));
    Lanes<double> radius;
    for (std::size_t i = 0; i < w; ++i) radius[i] = std::sqrt(squared[i]);
    Lanes<double> sine, cosine;
    SinCosTurn(OneToTwo(b) - 1.0, sine, cosine);
    for (std::size_t i = 0; i < count; ++i) {
      normals[2 * (start + i)] = radius[i] * cosine[i];
      normals[2 * (start + i) + 1] = radius[i] * sine[i];
    }
  }
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
