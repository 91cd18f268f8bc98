// The array loops of simd.h, compiled once per instruction set: GPODE_SIMD_TARGET names it.
#include "simd/elementary.h"
#include "simd/fourier_loops.h"
#include "simd/lanes.h"
#include "simd/normals_loop.h"
#include "simd/simd.h"
#include "simd/update_loops.h"

namespace gpode::simd::GPODE_SIMD_TARGET {
namespace {

// Applies `step(lanes of x) -> lanes of each output` over arrays; the tail goes through a padded
// copy, so that every element meets the same instructions.
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

template <typename Real>
void SinCosLoop(std::size_t n, const Real* x, Real* sine, Real* cosine) {
  constexpr std::size_t w = kWidth<Real>;
  Lanes<Real> s, c;
  std::size_t i = 0;
  for (; i + w <= n; i += w) {
    SinCosLanes<Real>(Load(x + i), s, c);
    Store<Real>(sine + i, s);
    Store<Real>(cosine + i, c);
  }
  if (i == n) return;
  Real in[w] = {}, out[2][w];
  std::memcpy(in, x + i, (n - i) * sizeof(Real));
  SinCosLanes<Real>(Load(in), s, c);
  Store<Real>(out[0], s);
  Store<Real>(out[1], c);
  std::memcpy(sine + i, out[0], (n - i) * sizeof(Real));
  std::memcpy(cosine + i, out[1], (n - i) * sizeof(Real));
}

template <typename Real>
void ExpLoop(std::size_t n, const Real* x, Real* y) {
  ForLanes<Real>(n, x, y, [](Lanes<Real> v) { return ExpLanes<Real>(v); });
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
    .tanh_double = TanhLoop<double>,
    .tanh_float = TanhLoop<float>,
    .normals = NormalsLoop,
    .fourier_double = Fourier<double>,
    .fourier_float = Fourier<float>,
    .distances = Distances,
    .update_value = UpdateValue,
    .update_jacobian = UpdateJacobian,
    .update_pullback = UpdatePullback,
};

}  // namespace gpode::simd::GPODE_SIMD_TARGET
