// The Box-Muller method on lanes, for one instruction set (see lanes.h). The standard normals have
// the same bits on every machine, because only additions, multiplications, divisions and square
// roots are used, which IEEE 754 requires to be correctly rounded, and no fused multiply-adds.
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

// Returns uniform numbers on [1, 2), whose mantissas are the lower 52 bits of `bits`.
inline Lanes<double> UniformFromOneToTwo(IntLanes<double> bits) {
  constexpr std::int64_t kMantissa = 0x000FFFFFFFFFFFFF;
  constexpr std::int64_t kOne = 0x3FF0000000000000;
  return FromBits<double>((bits & kMantissa) | kOne);
}

// Returns -2 ln u for u in (0, 1], by ln u = e ln 2 + ln m with u = 2^e m, m in [1/sqrt 2, sqrt 2),
// and ln m = 2 atanh((m-1)/(m+1)).
inline Lanes<double> MinusTwoLog(Lanes<double> u) {
  static constexpr double kP[] = {0x1.5555555555592p-1, 0x1.999999997fdb0p-2, 0x1.24924941f195dp-2,
                                  0x1.c71c5208fade5p-3, 0x1.74663efdd94b5p-3, 0x1.39a1b86f7adf9p-3,
                                  0x1.2f057bad5c051p-3};
  constexpr std::int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  constexpr std::int64_t kExponent = 0x7FF0000000000000;
  const IntLanes<double> bits = Bits<double>(u);
  const IntLanes<double> scale = (bits - kSqrtHalf) & (kExponent | (std::int64_t{1} << 63));
  const Lanes<double> m = FromBits<double>(bits - scale);
  // `scale` is the integer e * 2^52. Older machines cannot convert the integer e to a double in one
  // instruction, so it is added to the bits of the double 1.5 * 2^52, which is then subtracted.
  const IntLanes<double> e_bits =
      static_cast<IntLanes<double>>((scale >> 52) + Bits<double>(Broadcast(kRounder<double>)));
  const Lanes<double> e = FromBits<double>(e_bits) - kRounder<double>;
  const Lanes<double> s = (m - 1.0) / (m + 1.0);
  const Lanes<double> w = s * s;
  const Lanes<double> tail = s * w * UnfusedPolynomial(w, kP) + e * 0x1.ef35793c76730p-45;
  return -2.0 * (e * 0x1.62e42fefa3800p-1 + (2.0 * s + tail));
}

// Computes sine and cosine of 2 pi v, v in [0, 1). With 4 v = q + y, where q is an integer (the
// quadrant) and |y| <= 1/2, they are those of r = pi y / 2, |r| <= pi/4, up to signs and an
// exchange.
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

// Computes two normals r cos(2 pi v) and r sin(2 pi v) from each pair of words (a, b): r^2 =
// -2 ln u, where u is a uniform number made from a, and v one made from b. Since u has 52 bits,
// normals are below 8.5 in absolute value.
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
    const Lanes<double> squared = MinusTwoLog(2.0 - UniformFromOneToTwo(a));
    Lanes<double> radius;
    for (std::size_t i = 0; i < w; ++i) radius[i] = std::sqrt(squared[i]);
    Lanes<double> sine, cosine;
    SinCosTurn(UniformFromOneToTwo(b) - 1.0, sine, cosine);
    for (std::size_t i = 0; i < count; ++i) {
      normals[2 * (start + i)] = radius[i] * cosine[i];
      normals[2 * (start + i) + 1] = radius[i] * sine[i];
    }
  }
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
