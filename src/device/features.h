// The value and slope of one output of a draw at one point, as sums over parts of its features and
// of its inducing points. The twins on the CPU are simd/fourier_loops.h and simd/update_loops.h.
//
// Frequencies and phases are in turns, so that whole turns can be subtracted without any error.
// Inducing points and states are scaled by sqrt(log2(e) / 2) / lengthscale, so that the kernel is
// 2^(-|x - z|^2) = 2^(-|x|^2 - |z|^2 + 2 x z).
#pragma once

#include "device/arithmetic.h"

namespace gpode::device {

inline constexpr double kTurn = 6.283185307179586476925;
inline constexpr double kPointScale = 0.84932180028801904272;  // sqrt(log2(e) / 2)

// The lengths of a row of the feature table and of the table of inducing points (Work). They are
// padded so that a row can be loaded in pieces of four and of two numbers.
template <int D>
GPODE_HD_INLINE constexpr int FeatureRow() {
  return (D + 2 + 3) / 4 * 4;
}
template <int D>
GPODE_HD_INLINE constexpr int PointRow() {
  return (D + 2 + 1) / 2 * 2;
}
inline int FeatureRowOf(int dim) { return (dim + 5) / 4 * 4; }
inline int PointRowOf(int dim) { return (dim + 3) / 2 * 2; }

// LoadRow reads a row, or an aligned part of one, into registers.
#ifdef __CUDA_ARCH__
template <int kCount>
__device__ __forceinline__ void LoadRow(const float* from, float (&row)[kCount]) {
  static_assert(kCount % 4 == 0);
  GPODE_UNROLL
  for (int i = 0; i < kCount; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i);
    row[i] = four.x, row[i + 1] = four.y, row[i + 2] = four.z, row[i + 3] = four.w;
  }
}
template <int kCount>
__device__ __forceinline__ void LoadRow(const double* from, double (&row)[kCount]) {
  static_assert(kCount % 2 == 0);
  GPODE_UNROLL
  for (int i = 0; i < kCount; i += 2) {
    const double2 two = *reinterpret_cast<const double2*>(from + i);
    row[i] = two.x, row[i + 1] = two.y;
  }
}
#else
template <typename Real, int kCount>
inline void LoadRow(const Real* from, Real (&row)[kCount]) {
  for (int i = 0; i < kCount; ++i) row[i] = from[i];
}
#endif

// Sums the features first, first + stride, ... that are below `count`: sum[0] becomes the value of
// their sum at x, and -2 pi sum[1 + k] is its derivative with respect to x_k.
template <int D, typename Real>
GPODE_HD_INLINE void SumFeatures(const Real* table, int count, int first, int stride,
                                 const Real (&x)[D], Real (&sum)[D + 1]) {
  for (int v = 0; v <= D; ++v) sum[v] = 0;
  GPODE_UNROLL_BY(4)
  for (int i = first; i < count; i += stride) {
    Real row[FeatureRow<D>()];
    LoadRow(table + i * FeatureRow<D>(), row);
    Real phase = row[D + 1], sine, cosine;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) phase += row[k] * x[k];
    SinCosTurns(phase, sine, cosine);
    sum[0] += row[D] * cosine;
    const Real slope = row[D] * sine;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) sum[1 + k] += row[k] * slope;
  }
}

// Sums over the inducing points first, first + stride, ... that are below `count`, for a scaled
// point x: sum[0] becomes the sum of weight * kernel, and sum[1 + k] that of weight * kernel * z_k.
template <int D, bool kFull>
GPODE_HD_INLINE void SumPoints(const double* table, int count, int first, int stride,
                               const double (&x)[D], const Exponential& exponential,
                               double (&sum)[D + 1]) {
  double square = 0;
  double twice[D];
  for (int v = 0; v <= D; ++v) sum[v] = 0;
  GPODE_UNROLL
  for (int k = 0; k < D; ++k) {
    square -= x[k] * x[k];
    twice[k] = 2 * x[k];
  }
  GPODE_UNROLL_BY(2)
  for (int i = first; i < count; i += stride) {
    double row[PointRow<D>()];
    LoadRow(table + i * PointRow<D>(), row);
    double exponent = row[D] + square;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) exponent += row[k] * twice[k];
    const double value = row[D + 1] * PowerOfTwo<kFull>(exponent, exponential);
    sum[0] += value;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) sum[1 + k] += row[k] * value;
  }
}

}  // namespace gpode::device
