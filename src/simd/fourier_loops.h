// The Fourier part of a draw on lanes, for one instruction set (see lanes.h and simd.h).
//
// One pass over the features i of an output, with amplitudes a_i and frequencies w_i, computes
// value and Jacobian. With c_i and s_i the cosine and sine of w_i . x + phase_i,
//   value      = sum_i a_i c_i
//   jacobian_k = sum_i w_ik (-a_i s_i).
#pragma once

#include <cmath>

#include "simd/elementary.h"
#include "simd/simd.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

// Adds the terms of kBlocks vectors of features, for one output at one point: to sum[0] those of
// the value, to sum[1 + k] minus those of the derivative with respect to x_k. kChecked says that
// arguments may be beyond the range of the fast sine and cosine, which then has to be checked.
template <typename Real, int kInputs, int kBlocks, int kSums, bool kChecked>
[[gnu::always_inline]] inline void AddFeatures(const Real* block, const Real* x,
                                               Lanes<Real> (&sum)[kSums]) {
  constexpr std::size_t kBlock = FourierTable<Real>::kBlock;
  constexpr std::size_t kBlockSize = (kInputs + 2) * kBlock;
  Lanes<Real> phase[kBlocks], s[kBlocks], c[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    phase[i] = Load(block + i * kBlockSize + (kInputs + 1) * kBlock);
    for (int k = 0; k < kInputs; ++k) {
      phase[i] = Fma(Load(block + i * kBlockSize + k * kBlock), Broadcast<Real>(x[k]), phase[i]);
    }
  }
  if constexpr (kChecked) {
    SinCosLanes<Real>(phase, s, c);
  } else {
    SinCosWithin<Real>(phase, s, c);
  }
  for (int i = 0; i < kBlocks; ++i) {
    const Lanes<Real> a = Load(block + i * kBlockSize + kInputs * kBlock);
    sum[0] = Fma(a, c[i], sum[0]);
    const Lanes<Real> g = a * s[i];
    for (int k = 1; k < kSums; ++k) {
      sum[k] = Fma(Load(block + i * kBlockSize + (k - 1) * kBlock), g, sum[k]);
    }
  }
}

// Computes one output at one point.
template <typename Real, int kInputs, bool kJacobian, bool kChecked>
void FourierOutput(const Real* block, std::size_t blocks, const Real* x, double* value,
                   double* jacobian) {
  constexpr std::size_t kBlock = FourierTable<Real>::kBlock;
  constexpr std::size_t kBlockSize = (kInputs + 2) * kBlock;
  constexpr int kSums = kJacobian ? kInputs + 1 : 1;
  Lanes<Real> sum[kSums];
  for (auto& lanes : sum) lanes = Lanes<Real>{};
  for (std::size_t lane = 0; lane < kBlock; lane += kWidth<Real>) {
    std::size_t i = 0;
    for (; i + kVectorsPerGroup <= blocks; i += kVectorsPerGroup) {
      AddFeatures<Real, kInputs, kVectorsPerGroup, kSums, kChecked>(block + i * kBlockSize + lane,
                                                                    x, sum);
    }
    for (; i < blocks; ++i) {
      AddFeatures<Real, kInputs, 1, kSums, kChecked>(block + i * kBlockSize + lane, x, sum);
    }
  }
  double sums[kSums];
  SumAll(sum, sums);
  *value = sums[0];
  for (int k = 1; k < kSums; ++k) jacobian[k - 1] = -sums[k];
}

// Computes one output at one point for any number of inputs. The factors -a_i s_i of up to 16
// blocks are stored in g, then multiplied with the frequencies of one input after the other.
template <typename Real>
void FourierOutputAnyInputs(const Real* features, std::size_t blocks, std::size_t inputs,
                            const Real* x, double* value, double* jacobian) {
  constexpr std::size_t kBlock = FourierTable<Real>::kBlock;
  constexpr std::size_t kAside = 16;
  const std::size_t block_size = (inputs + 2) * kBlock;
  Real g[kAside * kBlock];
  Lanes<Real> sum{};
  if (jacobian) {
    for (std::size_t k = 0; k < inputs; ++k) jacobian[k] = 0;
  }
  for (std::size_t first = 0; first < blocks; first += kAside) {
    const std::size_t count = blocks - first < kAside ? blocks - first : kAside;
    const Real* start = features + first * block_size;
    for (std::size_t i = 0; i < count; ++i) {
      const Real* block = start + i * block_size;
      for (std::size_t lane = 0; lane < kBlock; lane += kWidth<Real>) {
        Lanes<Real> phase[1] = {Load(block + (inputs + 1) * kBlock + lane)}, s[1], c[1];
        for (std::size_t k = 0; k < inputs; ++k) {
          phase[0] = Fma(Load(block + k * kBlock + lane), Broadcast<Real>(x[k]), phase[0]);
        }
        SinCosLanes<Real>(phase, s, c);
        const Lanes<Real> a = Load(block + inputs * kBlock + lane);
        sum = Fma(a, c[0], sum);
        Store<Real>(g + i * kBlock + lane, -a * s[0]);
      }
    }
    if (!jacobian) continue;
    for (std::size_t k = 0; k < inputs; ++k) {
      Lanes<Real> slope{};
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t lane = 0; lane < kBlock; lane += kWidth<Real>) {
          slope = Fma(Load(start + i * block_size + k * kBlock + lane), Load(g + i * kBlock + lane),
                      slope);
        }
      }
      jacobian[k] += Sum(ToDouble(slope));
    }
  }
  *value = Sum(ToDouble(sum));
}

// Returns true if |w_i . x + phase_i| of a feature i may be beyond the range of the fast sine and
// cosine, or if x is not finite. It uses a bound for all features: 4 + sum_k largest_k |x_k|.
template <typename Real>
bool PhaseMayBeLarge(const double* largest, std::size_t inputs, const double* x) {
  double bound = 4;
  for (std::size_t k = 0; k < inputs; ++k) bound += largest[k] * std::fabs(x[k]);
  return !(bound <= 0.99 * static_cast<double>(kSinCosLimit<Real>));
}

template <typename Real, int kInputs, bool kJacobian>
void FourierPoints(const FourierTable<Real>& table, std::size_t n, const double* x, double* value,
                   double* jacobian, std::size_t record_stride) {
  const std::size_t output_size = table.blocks * (kInputs + 2) * FourierTable<Real>::kBlock;
  // The outer loop is over outputs, so that the features of an output stay in the first-level cache
  // for all points.
  for (std::size_t d = 0; d < table.outputs; ++d) {
    const Real* features = table.features + d * output_size;
    for (std::size_t p = 0; p < n; ++p) {
      const double* point = x + p * kInputs;
      Real converted[kInputs];
      for (int k = 0; k < kInputs; ++k) converted[k] = static_cast<Real>(point[k]);
      double* v = value + p * record_stride + d;
      double* j = kJacobian ? jacobian + p * record_stride + d * kInputs : nullptr;
      if (PhaseMayBeLarge<Real>(table.largest + d * kInputs, kInputs, point)) [[unlikely]] {
        FourierOutput<Real, kInputs, kJacobian, true>(features, table.blocks, converted, v, j);
      } else {
        FourierOutput<Real, kInputs, kJacobian, false>(features, table.blocks, converted, v, j);
      }
    }
  }
}

template <typename Real>
void FourierAnyInputs(const FourierTable<Real>& table, std::size_t n, const double* x,
                      double* value, double* jacobian, std::size_t record_stride) {
  constexpr std::size_t kMost = 512;  // the most inputs; they are converted to Real on the stack
  const std::size_t inputs = table.inputs;
  const std::size_t output_size = table.blocks * (inputs + 2) * FourierTable<Real>::kBlock;
  Real point[kMost];
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t k = 0; k < inputs; ++k) point[k] = static_cast<Real>(x[p * inputs + k]);
    for (std::size_t d = 0; d < table.outputs; ++d) {
      FourierOutputAnyInputs<Real>(table.features + d * output_size, table.blocks, inputs, point,
                                   value + p * record_stride + d,
                                   jacobian ? jacobian + p * record_stride + d * inputs : nullptr);
    }
  }
}

template <typename Real>
void Fourier(const FourierTable<Real>& table, std::size_t n, const double* x, double* value,
             double* jacobian, std::size_t record_stride) {
#define GPODE_CASE(inputs)                                                                      \
  case inputs:                                                                                  \
    return jacobian                                                                             \
               ? FourierPoints<Real, inputs, true>(table, n, x, value, jacobian, record_stride) \
               : FourierPoints<Real, inputs, false>(table, n, x, value, jacobian, record_stride)
  switch (table.inputs) {
    GPODE_CASE(1);
    GPODE_CASE(2);
    GPODE_CASE(3);
    GPODE_CASE(4);
    GPODE_CASE(5);
    GPODE_CASE(6);
    default:
      return FourierAnyInputs<Real>(table, n, x, value, jacobian, record_stride);
  }
#undef GPODE_CASE
}

}  // namespace gpode::simd::GPODE_SIMD_TARGET
