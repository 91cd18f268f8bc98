// Elementary functions for the kernels. They compile for the GPU and for the CPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/block.h"

namespace gpode::device {

GPODE_HD_INLINE std::int64_t BitsOf(double x) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(x);
#else
  std::int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

GPODE_HD_INLINE double FromBits(std::int64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

// Adding kRound (1.5 * 2^52) to a double rounds it to an integer, which is then in the lower bits
// of the sum. kRoundFloat does the same for a float.
inline constexpr double kRound = 6755399441055744.0;
inline constexpr float kRoundFloat = 12582912.0f;

// The coefficients of the Taylor series of 2^r. Kernels get them as arguments, because arithmetic
// instructions can read arguments directly, without separate instructions that load them.
struct Exponential {
  double terms[14] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,
                      0x1.c6b08d704a0bfp-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6730p-10,
                      0x1.430912f86c786p-13, 0x1.ffcbfc588b0c5p-17, 0x1.62c0223a5c822p-20,
                      0x1.b5253d395e7c1p-24, 0x1.e4cf5158b8ec7p-28, 0x1.e8cac7351bb22p-32,
                      0x1.c3bd650fc2983p-36, 0x1.816193166d0f7p-40};
};

// Returns 2^t for t <= 0 with a relative error of about 2e-13 if kFull is false, and 3e-16 if true.
template <bool kFull>
GPODE_HD_INLINE double PowerOfTwo(double t, const Exponential& exponential) {
  const double* const c = exponential.terms;
  const double shifted = t + kRound;
  const double r = t - (shifted - kRound);
  // The even and the odd terms of the series (|r| <= 1/2) are summed separately, so that their
  // operations can run at the same time.
  const double u = r * r;
  double even, odd;
  if constexpr (kFull) {
    odd = c[13] * u + c[11];
    even = c[12] * u + c[10];
    odd = odd * u + c[9];
  } else {
    odd = c[9];
    even = c[10];
  }
  even = even * u + c[8];
  odd = odd * u + c[7];
  even = even * u + c[6];
  odd = odd * u + c[5];
  even = even * u + c[4];
  odd = odd * u + c[3];
  even = even * u + c[2];
  odd = odd * u + c[1];
  even = even * u + 1.0;
  const double sum = odd * r + even;
#ifdef __CUDA_ARCH__
  // Below 2^-1000, and if t is not a number, the result is zero.
  const int high = __double2hiint(sum) + (__double2loint(shifted) << 20);
  const bool is_tiny = static_cast<unsigned>(__double2hiint(t)) > 0xC08F4000u;
  return __hiloint2double(is_tiny ? 0 : high, is_tiny ? 0 : __double2loint(sum));
#else
  if (!(t >= -1000.0)) return 0;
  return FromBits(BitsOf(sum) +
                  static_cast<std::int64_t>(static_cast<std::uint64_t>(BitsOf(shifted)) << 52));
#endif
}

#ifdef __CUDA_ARCH__
// Returns 1 / x for x > 0, with an error of a few ulp unless x or 1 / x is subnormal or infinite.
__device__ __forceinline__ double Reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = y + y * (1 - x * y);
  return y + y * (1 - x * y);
}
#else
inline double Reciprocal(double x) { return 1 / x; }
#endif

// The polynomials of sine and cosine of r, |r| <= pi / 4: sin r = r + r u P(u), cos r = 1 + u Q(u),
// u = r^2. The coefficients are those of simd/elementary.h.
#define GPODE_SINE_TERMS(STEP) \
  STEP(0x1.5d90deaf6194ep-33)  \
  STEP(-0x1.ae5e5f1aeb73dp-26) \
  STEP(0x1.71de356ef0b84p-19)  \
  STEP(-0x1.a01a019c07e37p-13) STEP(0x1.111111110f830p-7) STEP(-0x1.5555555555549p-3)
#define GPODE_COSINE_TERMS(STEP) \
  STEP(-0x1.8fac45d01ce39p-37)   \
  STEP(0x1.1ee9e78c1c99dp-29)    \
  STEP(-0x1.27e4f803c235cp-22)   \
  STEP(0x1.a01a019ca9893p-16) STEP(-0x1.6c16c16c1512dp-10) STEP(0x1.555555555554cp-5) STEP(-0.5)

// Computes sine and cosine of 2 pi t.
GPODE_HD_INLINE void SinCosTurns(double t, double& sine, double& cosine) {
  const double shifted = t * 4.0 + kRound;
  const double r = (t * 4.0 - (shifted - kRound)) * 0x1.921fb54442d18p+0;
  const double u = r * r;
  double s = 0, c = 0;
#define GPODE_STEP(k) s = s * u + (k);
  GPODE_SINE_TERMS(GPODE_STEP)
#undef GPODE_STEP
#define GPODE_STEP(k) c = c * u + (k);
  GPODE_COSINE_TERMS(GPODE_STEP)
#undef GPODE_STEP
  s = r * u * s + r;
  c = u * c + 1.0;
  const auto quadrant = static_cast<int>(BitsOf(shifted));
  const double first = quadrant & 1 ? c : s, second = quadrant & 1 ? s : c;
  sine = quadrant & 2 ? -first : first;
  cosine = (quadrant + 1) & 2 ? -second : second;
}

// Computes sine and cosine of 2 pi t. Whole turns are subtracted first, which is exact. A GPU then
// uses its special-function units, whose absolute error is below 5e-7.
GPODE_HD_INLINE void SinCosTurns(float t, float& sine, float& cosine) {
  const float r = (t - ((t + kRoundFloat) - kRoundFloat)) * 6.28318530718f;
#ifdef __CUDA_ARCH__
  sine = __sinf(r);
  cosine = __cosf(r);
#else
  sine = std::sin(r);
  cosine = std::cos(r);
#endif
}

// Times and Plus return a product and a sum that are rounded separately: the compiler never fuses
// them into a multiply-add.
GPODE_HD_INLINE double Times(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
GPODE_HD_INLINE double Plus(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
GPODE_HD_INLINE double TimesPlus(double a, double b, double c) { return Plus(Times(a, b), c); }

GPODE_HD_INLINE double Largest(double a, double b) { return a > b ? a : b; }
GPODE_HD_INLINE double Smallest(double a, double b) { return a < b ? a : b; }
GPODE_HD_INLINE bool IsFinite(double x) { return fabs(x) <= 1.7976931348623157e308; }

// Atomically adds one to a number that several threads share, and returns its previous value.
GPODE_HD_INLINE int FetchAdd(int* number) {
#ifdef __CUDA_ARCH__
  return atomicAdd(number, 1);
#else
  return (*number)++;
#endif
}

}  // namespace gpode::device
