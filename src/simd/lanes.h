// Vectors of numbers ("lanes") in registers of one instruction set, by the compiler's vector
// extensions.
//
// This header is included only by loops.cc, which is compiled once per instruction set; the macro
// GPODE_SIMD_TARGET is the name of the set. Everything is in a namespace of that name, so that the
// linker cannot use an inline function of one instruction set in the code of another.
//
// Arithmetic on lanes uses the ordinary operators. loops.cc is compiled with -ffp-contract=off, so
// that the compiler fuses no multiplication with an addition; only Fma does.
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

// The number of vectors that a loop processes at a time, so that they share the constants in
// registers. AVX-512 has registers for two.
#if defined(__AVX512F__)
inline constexpr int kVectorsPerGroup = 2;
#else
inline constexpr int kVectorsPerGroup = 1;
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

// Returns a b + c, with one rounding if the instruction set has a fused multiply-add.
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

// Returns true if any lane is outside [-limit, limit] or NaN. Compares the bits of absolute values
// as integers: they have the same order as the numbers, and NaN is above all of them.
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

// Exchanges the lanes of a and b for which the lane of n is odd.
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

// AtMost returns the smaller, AtLeast the larger of a bound and x. NaN stays NaN.
inline Lanes<double> AtMost(double bound, Lanes<double> x) {
#if defined(__AVX512F__)
  return _mm512_min_pd(Broadcast(bound), x);
#elif defined(__AVX2__)
  return _mm256_min_pd(Broadcast(bound), x);
#else
  return x > bound ? Broadcast(bound) : x;
#endif
}
inline Lanes<float> AtMost(float bound, Lanes<float> x) {
#if defined(__AVX512F__)
  return _mm512_min_ps(Broadcast(bound), x);
#elif defined(__AVX2__)
  return _mm256_min_ps(Broadcast(bound), x);
#else
  return x > bound ? Broadcast(bound) : x;
#endif
}
template <typename Real>
inline Lanes<Real> AtLeast(Real bound, Lanes<Real> x) {
  return -AtMost(-bound, -x);
}

// The functions below sum all lanes of a vector, always in the same order: first neighbours, then
// neighbouring pairs, then neighbouring groups of four. Lanes of floats are first converted to
// doubles, and the upper half is added to the lower one.
template <std::size_t... i>
inline double SumSwapping(Lanes<double> v, std::index_sequence<i...>) {
  for (std::size_t gap = 1; gap < sizeof...(i); gap *= 2) {
    switch (gap) {
      case 1:
        v += __builtin_shufflevector(v, v, (i ^ 1)...);
        break;
      case 2:
        v += __builtin_shufflevector(v, v, (i ^ 2) % sizeof...(i)...);
        break;
      case 4:
        v += __builtin_shufflevector(v, v, (i ^ 4) % sizeof...(i)...);
        break;
    }
  }
  return v[0];
}

inline double Sum(Lanes<double> v) {
  return SumSwapping(v, std::make_index_sequence<kWidth<double>>());
}

#if defined(__AVX512F__)

inline constexpr int kSumsTogether = 8;

// Adds parts 0 and 1, and parts 2 and 3, of a and of b, where a part is 128 bits.
inline Lanes<double> AddParts(Lanes<double> a, Lanes<double> b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) +
         __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
}

inline Lanes<double> AddNeighbours(Lanes<double> a, Lanes<double> b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
         __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}

// Sets out[i] to the sum of the lanes of v[i] for eight vectors, whose additions are done side by
// side.
[[gnu::always_inline]] inline void SumTogether(const Lanes<double>* v, double* out) {
  const Lanes<double> a = AddParts(AddNeighbours(v[0], v[1]), AddNeighbours(v[2], v[3]));
  const Lanes<double> b = AddParts(AddNeighbours(v[4], v[5]), AddNeighbours(v[6], v[7]));
  Store<double>(out, AddParts(a, b));
}

#elif defined(__AVX2__)

inline constexpr int kSumsTogether = 4;

[[gnu::always_inline]] inline void SumTogether(const Lanes<double>* v, double* out) {
  const Lanes<double> a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) +
                          __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const Lanes<double> b = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) +
                          __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  Store<double>(
      out, __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7));
}

#else

inline constexpr int kSumsTogether = 1;

[[gnu::always_inline]] inline void SumTogether(const Lanes<double>* v, double* out) {
  *out = Sum(*v);
}

#endif

inline Lanes<double> ToDouble(Lanes<double> v) { return v; }
template <std::size_t... i>
inline Lanes<double> LowPlusHigh(Lanes<float> v, std::index_sequence<i...>) {
  return __builtin_convertvector(__builtin_shufflevector(v, v, i...), Lanes<double>) +
         __builtin_convertvector(__builtin_shufflevector(v, v, (i + sizeof...(i))...),
                                 Lanes<double>);
}
inline Lanes<double> ToDouble(Lanes<float> v) {
  return LowPlusHigh(v, std::make_index_sequence<kWidth<double>>());
}

// Sets out[i] to the sum of the lanes of v[i], i < count.
template <int count, typename Vector>
[[gnu::always_inline]] inline void SumAll(const Vector (&v)[count], double (&out)[count]) {
  constexpr int kGroups = (count + kSumsTogether - 1) / kSumsTogether;
  Lanes<double> lanes[kGroups * kSumsTogether];
  double sums[kGroups * kSumsTogether];
#pragma GCC unroll 64
  for (int i = 0; i < count; ++i) lanes[i] = ToDouble(v[i]);
#pragma GCC unroll 8
  for (int i = count; i < kGroups * kSumsTogether; ++i) lanes[i] = Lanes<double>{};
#pragma GCC unroll 8
  for (int g = 0; g < kGroups; ++g) {
    SumTogether(lanes + g * kSumsTogether, sums + g * kSumsTogether);
  }
#pragma GCC unroll 64
  for (int i = 0; i < count; ++i) out[i] = sums[i];
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
