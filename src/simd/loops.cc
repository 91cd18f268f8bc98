// The array loops of simd.h. This file is compiled once per instruction set, whose name is
// GPODE_SIMD_TARGET.
#include "simd/elementary.h"
#include "simd/fourier_loops.h"
#include "simd/lanes.h"
#include "simd/normals_loop.h"
#include "simd/polar_loop.h"
#include "simd/simd.h"
#include "simd/update_loops.h"

namespace gpode::simd::GPODE_SIMD_TARGET {
namespace {

// Applies a function `step` from lanes of x to lanes of y to whole arrays. The last elements are
// copied to a full vector, so that every element is computed by the same instructions.
template <typename Real, typename Step>
void ForLanes(std::size_t n, const Real* x, Real* y, Step step) {
  constexpr std::size_t w = kWidth<Real>;
  std::size_t i = 0;
  for (; i + w <= n; i += w) Store<Real>(y + i, step(Load(x + i)));
  if (i == n) return;
  Real in[w] = {}, out[w];
  std::memcpy(in, x + i, (n - i) * sizeof(Real));
  Store<Real>(out, step(Load(in)));
  std::memcpy(y + i, out, (n - i) * sizeof(Real));
}

// Computes sines and cosines in groups of kVectorsPerGroup vectors. n must be a multiple of the
// number of elements in a group.
template <typename Real>
void SinCosGroups(std::size_t n, const Real* x, Real* sine, Real* cosine) {
  constexpr std::size_t w = kWidth<Real>;
  for (std::size_t start = 0; start < n; start += kVectorsPerGroup * w) {
    Lanes<Real> in[kVectorsPerGroup], s[kVectorsPerGroup], c[kVectorsPerGroup];
    for (int i = 0; i < kVectorsPerGroup; ++i) in[i] = Load(x + start + i * w);
    SinCosLanes<Real>(in, s, c);
    for (int i = 0; i < kVectorsPerGroup; ++i) {
      Store<Real>(sine + start + i * w, s[i]);
      Store<Real>(cosine + start + i * w, c[i]);
    }
  }
}

template <typename Real>
void SinCosLoop(std::size_t n, const Real* x, Real* sine, Real* cosine) {
  constexpr std::size_t kGroup = kVectorsPerGroup * kWidth<Real>;
  const std::size_t whole = n / kGroup * kGroup, rest = n - whole;
  SinCosGroups<Real>(whole, x, sine, cosine);
  if (rest == 0) return;
  Real in[kGroup] = {}, s[kGroup], c[kGroup];
  std::memcpy(in, x + whole, rest * sizeof(Real));
  SinCosGroups<Real>(kGroup, in, s, c);
  std::memcpy(sine + whole, s, rest * sizeof(Real));
  std::memcpy(cosine + whole, c, rest * sizeof(Real));
}

template <typename Real>
void ExpLoop(std::size_t n, const Real* x, Real* y) {
  ForLanes<Real>(n, x, y, [](Lanes<Real> v) { return ExpLanes<Real>(v); });
}

void ExpScaledLoop(std::size_t n, double scale, const double* x, double* y) {
  ForLanes<double>(n, x, y, [scale](Lanes<double> v) { return ExpLanes<double>(v * scale); });
}

template <typename Real>
void TanhLoop(std::size_t n, const Real* x, Real* y) {
  ForLanes<Real>(n, x, y, [](Lanes<Real> v) { return TanhLanes<Real>(v); });
}

}  // namespace

extern const Loops kLoops;
const Loops kLoops = {
    .sincos_double = SinCosLoop<double>,
    .sincos_float = SinCosLoop<float>,
    .exp_double = ExpLoop<double>,
    .exp_float = ExpLoop<float>,
    .exp_scaled = ExpScaledLoop,
    .tanh_double = TanhLoop<double>,
    .tanh_float = TanhLoop<float>,
    .polar = PolarLoop,
    .normals = NormalsLoop,
    .fourier_double = Fourier<double>,
    .fourier_float = Fourier<float>,
    .distances = Distances,
    .update_value = UpdateValue,
    .update_jacobian = UpdateJacobian,
    .update_pullback = UpdatePullback,
};

}  // namespace gpode::simd::GPODE_SIMD_TARGET
