// The random numbers of gpode/random.h on the device. The same seed, step, sample, purpose and
// index give the same bits as on the CPU.
#pragma once

#include <Random123/philox.h>

#include "device/arithmetic.h"

namespace gpode::device {

// Returns -2 ln u for u in (0, 1]; see MinusTwoLog in simd/normals_loop.h.
GPODE_HD_INLINE double MinusTwoLog(double u) {
  constexpr std::int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  constexpr std::int64_t kExponent = 0x7FF0000000000000;
  const std::int64_t bits = BitsOf(u);
  const std::int64_t scale =
      (bits - kSqrtHalf) & (kExponent | static_cast<std::int64_t>(0x8000000000000000ull));
  const double m = FromBits(bits - scale);
  const auto e = static_cast<double>(scale >> 52);
  const double s = Plus(m, -1.0) / Plus(m, 1.0);
  const double w = Times(s, s);
  double p = 0x1.2f057bad5c051p-3;
  p = TimesPlus(p, w, 0x1.39a1b86f7adf9p-3);
  p = TimesPlus(p, w, 0x1.74663efdd94b5p-3);
  p = TimesPlus(p, w, 0x1.c71c5208fade5p-3);
  p = TimesPlus(p, w, 0x1.24924941f195dp-2);
  p = TimesPlus(p, w, 0x1.999999997fdb0p-2);
  p = TimesPlus(p, w, 0x1.5555555555592p-1);
  const double tail = Plus(Times(Times(s, w), p), Times(e, 0x1.ef35793c76730p-45));
  return Times(-2.0, Plus(Times(e, 0x1.62e42fefa3800p-1), Plus(Times(2.0, s), tail)));
}

// Computes sine and cosine of 2 pi v, v in [0, 1); see SinCosTurn in simd/normals_loop.h.
GPODE_HD_INLINE void SinCosUnfused(double v, double& sine, double& cosine) {
  const double shifted = TimesPlus(v, 4.0, kRound);
  const double r = Times(Plus(Times(v, 4.0), -Plus(shifted, -kRound)), 0x1.921fb54442d18p+0);
  const double u = Times(r, r);
  double p = 0x1.5d90deaf6194ep-33, q = -0x1.8fac45d01ce39p-37;
  p = TimesPlus(p, u, -0x1.ae5e5f1aeb73dp-26);
  p = TimesPlus(p, u, 0x1.71de356ef0b84p-19);
  p = TimesPlus(p, u, -0x1.a01a019c07e37p-13);
  p = TimesPlus(p, u, 0x1.111111110f830p-7);
  p = TimesPlus(p, u, -0x1.5555555555549p-3);
  q = TimesPlus(q, u, 0x1.1ee9e78c1c99dp-29);
  q = TimesPlus(q, u, -0x1.27e4f803c235cp-22);
  q = TimesPlus(q, u, 0x1.a01a019ca9893p-16);
  q = TimesPlus(q, u, -0x1.6c16c16c1512dp-10);
  q = TimesPlus(q, u, 0x1.555555555554cp-5);
  q = TimesPlus(q, u, -0.5);
  const double s = Plus(r, Times(Times(r, u), p)), c = Plus(1.0, Times(u, q));
  const auto quadrant = static_cast<int>(BitsOf(shifted));
  const double first = quadrant & 1 ? c : s, second = quadrant & 1 ? s : c;
  sine = quadrant & 2 ? -first : first;
  cosine = (quadrant + 1) & 2 ? -second : second;
}

// Computes normals 2 pair and 2 pair + 1 of a random stream.
GPODE_HD_INLINE void NormalPair(std::uint64_t seed, std::uint64_t step, std::uint64_t sample,
                                std::uint64_t purpose, std::uint64_t pair, double& first,
                                double& second) {
  const r123::Philox4x64::ctr_type counter = {{pair / 2, sample, step, purpose}};
  const r123::Philox4x64::key_type key = {{seed, 0}};
  const r123::Philox4x64::ctr_type words = r123::Philox4x64()(counter, key);
  const std::uint64_t a = pair % 2 ? words[2] : words[0], b = pair % 2 ? words[3] : words[1];
  constexpr std::uint64_t kMantissa = 0x000FFFFFFFFFFFFF, kOne = 0x3FF0000000000000;
  const double u = FromBits(static_cast<std::int64_t>((a & kMantissa) | kOne));
  const double v = FromBits(static_cast<std::int64_t>((b & kMantissa) | kOne));
  const double radius = sqrt(MinusTwoLog(Plus(2.0, -u)));
  double sine, cosine;
  SinCosUnfused(Plus(v, -1.0), sine, cosine);
  first = Times(radius, cosine);
  second = Times(radius, sine);
}

}  // namespace gpode::device
