// Vectors of lanes for one instruction set, on the compiler's vector extensions.
//
// Included only by loops.cc, which is compiled once per instruction set with GPODE_SIMD_TARGET set;
// everything lives in a namespace of that name, so that no inline function of one instruction set
// can be linked into another.
//
// Arithmetic on lanes is written with the ordinary operators. Those objects are compiled without
// contraction: a fused multiply-add happens exactly where Fma stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define GPODE_LANE_BYTES 64
#elif defined(__AVX2__)
#define GPODE_LANE_BYTES 32
#else
#define GPODE_LANE_BYTES 16
#endif

namespace gpode::simd::GPODE_SIMD_TARGET {

#if defined(__FMA__)
inline constexpr bool kFused = true;
#else
inline constexpr bool kFused = false;
#endif

template <typename Real>
struct LanesOf;

template <>
struct LanesOf<double> {
  typedef double Type __attribute__((vector_size(GPODE_LANE_BYTES)));
  typedef std::int64_t Int __attribute__((vector_size(GPODE_LANE_BYTES)));
  static constexpr std::size_t kWidth = GPODE_LANE_BYTES / sizeof(double);
};

template <>
struct LanesOf<float> {
  typedef float Type __attribute__((vector_size(GPODE_LANE_BYTES)));
  typedef std::int32_t Int __attribute__((vector_size(GPODE_LANE_BYTES)));
  static constexpr std::size_t kWidth = GPODE_LANE_BYTES / sizeof(float);
};

template <typename Real>
using Lanes = typename LanesOf<Real>::Type;
template <typename Real>
using IntLanes = typename LanesOf<Real>::Int;
template <typename Real>
inline constexpr std::size_t kWidth = LanesOf<Real>::kWidth;

template <typename Real>
inline Lanes<Real> Load(const Real* p) {
  Lanes<Real> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <typename Real>
inline void Store(Real* p, Lanes<Real> v) {
  std::memcpy(p, &v, sizeof v);
}

template <typename Real>
inline Lanes<Real> Broadcast(Real a) {
  return a - Lanes<Real>{};
}

template <typename Real>
inline IntLanes<Real> Bits(Lanes<Real> v) {
  return reinterpret_cast<IntLanes<Real>>(v);
}

template <typename Real>
inline Lanes<Real> FromBits(IntLanes<Real> v) {
  return reinterpret_cast<Lanes<Real>>(v);
}

// a b + c, with one rounding where the instruction set has it.
inline Lanes<double> Fma(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

inline Lanes<float> Fma(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

// True if any lane is not within [-limit, limit]; NaN is not. Without their sign, numbers compare
// as their bits do.
template <typename Real>
inline bool AnyBeyond(Lanes<Real> x, Real limit) {
  const IntLanes<Real> magnitude = Bits<Real>(x) & ~Bits<Real>(Broadcast<Real>(Real(-0.0)));
  const IntLanes<Real> largest = Bits<Real>(Broadcast<Real>(limit));
#if defined(__AVX512F__)
  const auto a = reinterpret_cast<__m512i>(magnitude), b = reinterpret_cast<__m512i>(largest);
  if constexpr (sizeof(Real) == 8) {
    return _mm512_cmpgt_epi64_mask(a, b) != 0;
  } else {
    return _mm512_cmpgt_epi32_mask(a, b) != 0;
  }
#elif defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(magnitude > largest)) != 0;
#else
  const IntLanes<Real> beyond = magnitude > largest;
  for (std::size_t i = 0; i < kWidth<Real>; ++i) {
    if (beyond[i]) return true;
  }
  return false;
#endif
}

// Exchanges the lanes of a and b where the whole number n is odd.
template <typename Real>
inline void SwapWhereOdd(IntLanes<Real> n, Lanes<Real>& a, Lanes<Real>& b) {
#if defined(__AVX512F__)
  const auto bits = reinterpret_cast<__m512i>(n);
  const Lanes<Real> old = a;
  if constexpr (sizeof(Real) == 8) {
    const __mmask8 odd = _mm512_test_epi64_mask(bits, _mm512_set1_epi64(1));
    a = _mm512_mask_blend_pd(odd, a, b);
    b = _mm512_mask_blend_pd(odd, b, old);
  } else {
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1));
    a = _mm512_mask_blend_ps(odd, a, b);
    b = _mm512_mask_blend_ps(odd, b, old);
  }
#else
  const IntLanes<Real> odd = (n & 1) != 0;
  const Lanes<Real> old = a;
  a = odd ? b : a;
  b = odd ? old : b;
#endif
}

// The sum of all lanes, in one fixed order: the upper half is added to the lower, again and again.
template <typename Vector, std::size_t... i>
inline auto LowPlusHigh(Vector v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, i...) + __builtin_shufflevector(v, v, (i + sizeof...(i))...);
}

template <typename Vector>
inline auto SumHalves(Vector v) {
  constexpr std::size_t kHalf = sizeof(v) / sizeof(v[0]) / 2;
  if constexpr (kHalf == 1) {
    return v[0] + v[1];
  } else {
    return SumHalves(LowPlusHigh(v, std::make_index_sequence<kHalf>()));
  }
}

template <typename Real>
inline double Sum(Lanes<Real> v) {
  return static_cast<double>(SumHalves(v));
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
