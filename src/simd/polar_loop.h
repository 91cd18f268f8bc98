// Polar coordinates on lanes, for one instruction set (see lanes.h and simd.h).
#pragma once

#include <cmath>

#include "simd/elementary.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

// Returns atan(t) for 0 <= t <= 1. Arguments above tan(pi/8) are reduced by
// atan(t) = pi/4 + atan((t - 1) / (t + 1)); smaller ones use t + t w P(w) with w = t^2 and a
// polynomial P.
inline Lanes<double> AtanUnit(Lanes<double> t) {
  static constexpr double kP[] = {
      -0x1.555555555553dp-2, 0x1.99999999958f9p-3, -0x1.24924922b17eep-3, 0x1.c71c70e7c8e0bp-4,
      -0x1.745cf90f9cd33p-4, 0x1.3b111cb77f322p-4, -0x1.10ebe169aee92p-4, 0x1.df11a02e7a3ecp-5,
      -0x1.9cdd2c5dcc10fp-5, 0x1.37efe70b55806p-5, -0x1.25a3355af014bp-6};
  const IntLanes<double> large = t > 0x1.a827999fcef32p-2;
  const Lanes<double> reduced = large ? (t - 1.0) / (t + 1.0) : t;
  const Lanes<double> w = reduced * reduced;
  const Lanes<double> atan = Fma(reduced * w, Polynomial<double>(w, kP), reduced);
  return large ? atan + 0x1.921fb54442d18p-1 : atan;
}

// Returns the angle of (x, y), in [-pi, pi]; 0 for the origin.
inline Lanes<double> Angle(Lanes<double> x, Lanes<double> y) {
  const IntLanes<double> sign_bit = Bits<double>(Broadcast(-0.0));
  const Lanes<double> ax = FromBits<double>(Bits<double>(x) & ~sign_bit);
  const Lanes<double> ay = FromBits<double>(Bits<double>(y) & ~sign_bit);
  const IntLanes<double> steep = ay > ax;
  const Lanes<double> small = steep ? ax : ay;
  Lanes<double> large = steep ? ay : ax;
  large = large == 0.0 ? Broadcast(1.0) : large;
  Lanes<double> angle = AtanUnit(small / large);
  angle = steep ? 0x1.921fb54442d18p+0 - angle : angle;
  angle = x < 0.0 ? 0x1.921fb54442d18p+1 - angle : angle;
  return FromBits<double>(Bits<double>(angle) | (Bits<double>(y) & sign_bit));
}

inline void PolarLoop(std::size_t n, const double* x, const double* y, double* radius,
                      double* angle) {
  constexpr std::size_t w = kWidth<double>;
  for (std::size_t i = 0; i < n; i += w) {
    const std::size_t count = n - i < w ? n - i : w;
    double a[w] = {}, b[w] = {}, r[w], phi[w];
    std::memcpy(a, x + i, count * sizeof(double));
    std::memcpy(b, y + i, count * sizeof(double));
    Store<double>(phi, Angle(Load(a), Load(b)));
    Store<double>(r, Load(a) * Load(a) + Load(b) * Load(b));
    for (std::size_t k = 0; k < w; ++k) r[k] = std::sqrt(r[k]);
    std::memcpy(angle + i, phi, count * sizeof(double));
    std::memcpy(radius + i, r, count * sizeof(double));
  }
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
