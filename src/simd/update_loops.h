// The kernel part of a draw on lanes, for one instruction set. simd.h has the formulas, lanes.h the
// vectors.
//
// Functions named ...For have the number of inputs as a template argument, so that the compiler
// unrolls loops; functions named ...Any work for any number. Distances computes s; the kernel then
// computes phi and psi from s (kernel.h), which the other loops use.
#pragma once

#include "simd/lanes.h"
#include "simd/simd.h"

namespace gpode::simd::GPODE_SIMD_TARGET {

template <int kInputs>
void DistancesFor(const UpdateTable& table, const double* x, double* s) {
  for (std::size_t m = 0; m < table.stride; m += kWidth<double>) {
    Lanes<double> square[kInputs];  // shared by all outputs
    for (int k = 0; k < kInputs; ++k) {
      const Lanes<double> delta = x[k] - Load(table.locations + k * table.stride + m);
      square[k] = delta * delta;
    }
    for (std::size_t d = 0; d < table.outputs; ++d) {
      Lanes<double> sum = square[0] * table.inverse_squares[d * kInputs];
      for (int k = 1; k < kInputs; ++k) {
        sum = Fma(square[k], Broadcast(table.inverse_squares[d * kInputs + k]), sum);
      }
      Store<double>(s + d * table.stride + m, sum);
    }
  }
}

inline void DistancesAny(const UpdateTable& table, const double* x, double* s) {
  for (std::size_t d = 0; d < table.outputs; ++d) {
    for (std::size_t m = 0; m < table.stride; m += kWidth<double>) {
      Lanes<double> sum{};
      for (std::size_t k = 0; k < table.inputs; ++k) {
        const Lanes<double> delta = x[k] - Load(table.locations + k * table.stride + m);
        sum = Fma(delta * delta, Broadcast(table.inverse_squares[d * table.inputs + k]), sum);
      }
      Store<double>(s + d * table.stride + m, sum);
    }
  }
}

inline void UpdateValue(const UpdateTable& table, const double* phi, double* value) {
  for (std::size_t d = 0; d < table.outputs; ++d) {
    Lanes<double> sum{};
    for (std::size_t m = d * table.stride; m < (d + 1) * table.stride; m += kWidth<double>) {
      sum = Fma(Load(table.weights + m), Load(phi + m), sum);
    }
    value[d] = Sum(sum);
  }
}

// Computes value and Jacobian of outputs d to d + kRows - 1 together, so that the differences
// z - x are computed once. kSame says that psi and phi are the same.
template <int kInputs, int kRows, bool kSame>
void UpdateJacobianRows(const UpdateTable& table, std::size_t d, const double* x, const double* phi,
                        const double* psi, double* value, double* jacobian) {
  const std::size_t stride = table.stride;
  Lanes<double> sum[kRows * (kInputs + 1)];  // per row the value's sum, then the slopes' sums
  for (auto& lanes : sum) lanes = Lanes<double>{};
  for (std::size_t m = 0; m < stride; m += kWidth<double>) {
    Lanes<double> v[kRows];
    for (int r = 0; r < kRows; ++r) {
      const std::size_t i = (d + r) * stride + m;
      const Lanes<double> weight = Load(table.weights + i);
      Lanes<double>& total = sum[r * (kInputs + 1)];
      v[r] = weight * Load(psi + i);
      total = kSame ? total + v[r] : Fma(weight, Load(phi + i), total);
    }
    for (int k = 0; k < kInputs; ++k) {
      const Lanes<double> delta = Load(table.locations + k * stride + m) - x[k];
      for (int r = 0; r < kRows; ++r) {
        Lanes<double>& slope = sum[r * (kInputs + 1) + 1 + k];
        slope = Fma(v[r], delta, slope);
      }
    }
  }
  double sums[kRows * (kInputs + 1)];
  SumAll(sum, sums);
  for (int r = 0; r < kRows; ++r) {
    value[d + r] = sums[r * (kInputs + 1)];
    for (int k = 0; k < kInputs; ++k) {
      const std::size_t i = (d + r) * kInputs + k;
      jacobian[i] = table.inverse_squares[i] * sums[r * (kInputs + 1) + 1 + k];
    }
  }
}

template <int kInputs, bool kSame>
void UpdateJacobianOutputs(const UpdateTable& table, const double* x, const double* phi,
                           const double* psi, double* value, double* jacobian) {
  std::size_t d = 0;
  for (; d + 2 <= table.outputs; d += 2) {
    UpdateJacobianRows<kInputs, 2, kSame>(table, d, x, phi, psi, value, jacobian);
  }
  if (d < table.outputs) {
    UpdateJacobianRows<kInputs, 1, kSame>(table, d, x, phi, psi, value, jacobian);
  }
}

template <int kInputs>
void UpdateJacobianFor(const UpdateTable& table, const double* x, const double* phi,
                       const double* psi, double* value, double* jacobian) {
  if (phi == psi) {
    UpdateJacobianOutputs<kInputs, true>(table, x, phi, psi, value, jacobian);
  } else {
    UpdateJacobianOutputs<kInputs, false>(table, x, phi, psi, value, jacobian);
  }
}

inline void UpdateJacobianAny(const UpdateTable& table, const double* x, const double* phi,
                              const double* psi, double* value, double* jacobian) {
  UpdateValue(table, phi, value);
  const std::size_t stride = table.stride;
  for (std::size_t d = 0; d < table.outputs; ++d) {
    for (std::size_t k = 0; k < table.inputs; ++k) {
      Lanes<double> sum{};
      for (std::size_t m = 0; m < stride; m += kWidth<double>) {
        const Lanes<double> v = Load(table.weights + d * stride + m) * Load(psi + d * stride + m);
        sum = Fma(v, Load(table.locations + k * stride + m) - x[k], sum);
      }
      const std::size_t i = d * table.inputs + k;
      jacobian[i] = table.inverse_squares[i] * Sum(sum);
    }
  }
}

template <int kInputs>
void UpdatePullbackFor(const UpdateTable& table, const double* x, const double* phi,
                       const double* psi, const double* g, double* bweights, double* blocations,
                       double* bsquares) {
  const std::size_t stride = table.stride;
  Lanes<double> sum[kInputs * kInputs];  // (outputs, inputs)
  for (auto& lanes : sum) lanes = Lanes<double>{};
  for (std::size_t m = 0; m < stride; m += kWidth<double>) {
    Lanes<double> delta[kInputs], pull[kInputs];
    for (int k = 0; k < kInputs; ++k) {
      delta[k] = x[k] - Load(table.locations + k * stride + m);
      pull[k] = Lanes<double>{};
    }
    for (int d = 0; d < kInputs; ++d) {
      const std::size_t i = d * stride + m;
      Store<double>(bweights + i, Fma(Broadcast(g[d]), Load(phi + i), Load(bweights + i)));
      const Lanes<double> u = g[d] * Load(table.weights + i) * Load(psi + i);
      for (int k = 0; k < kInputs; ++k) {
        sum[d * kInputs + k] = Fma(u, delta[k] * delta[k], sum[d * kInputs + k]);
        pull[k] = Fma(u, Broadcast(table.inverse_squares[d * kInputs + k]), pull[k]);
      }
    }
    for (int k = 0; k < kInputs; ++k) {
      double* target = blocations + k * stride + m;
      Store<double>(target, Fma(pull[k], delta[k], Load(target)));
    }
  }
  double sums[kInputs * kInputs];
  SumAll(sum, sums);
  for (int i = 0; i < kInputs * kInputs; ++i) bsquares[i] += sums[i];
}

inline void UpdatePullbackAny(const UpdateTable& table, const double* x, const double* phi,
                              const double* psi, const double* g, double* bweights,
                              double* blocations, double* bsquares) {
  const std::size_t stride = table.stride;
  for (std::size_t d = 0; d < table.outputs; ++d) {
    for (std::size_t m = d * stride; m < (d + 1) * stride; m += kWidth<double>) {
      Store<double>(bweights + m, Fma(Broadcast(g[d]), Load(phi + m), Load(bweights + m)));
    }
    for (std::size_t k = 0; k < table.inputs; ++k) {
      Lanes<double> sum{};
      const double scale = table.inverse_squares[d * table.inputs + k];
      for (std::size_t m = 0; m < stride; m += kWidth<double>) {
        const Lanes<double> u =
            g[d] * Load(table.weights + d * stride + m) * Load(psi + d * stride + m);
        const Lanes<double> delta = x[k] - Load(table.locations + k * stride + m);
        double* target = blocations + k * stride + m;
        sum = Fma(u, delta * delta, sum);
        Store<double>(target, Fma(u * scale, delta, Load(target)));
      }
      bsquares[d * table.inputs + k] += Sum(sum);
    }
  }
}

// Calls the ...For loop if the table has as many outputs as inputs, at most six; otherwise the
// ...Any loop.
#define GPODE_BY_INPUTS(form, general, ...)          \
  if (table.inputs != table.outputs) return general; \
  switch (table.inputs) {                            \
    case 1:                                          \
      return form<1>(__VA_ARGS__);                   \
    case 2:                                          \
      return form<2>(__VA_ARGS__);                   \
    case 3:                                          \
      return form<3>(__VA_ARGS__);                   \
    case 4:                                          \
      return form<4>(__VA_ARGS__);                   \
    case 5:                                          \
      return form<5>(__VA_ARGS__);                   \
    case 6:                                          \
      return form<6>(__VA_ARGS__);                   \
    default:                                         \
      return general;                                \
  }

inline void Distances(const UpdateTable& table, const double* x, double* s) {
  GPODE_BY_INPUTS(DistancesFor, DistancesAny(table, x, s), table, x, s)
}

inline void UpdateJacobian(const UpdateTable& table, const double* x, const double* phi,
                           const double* psi, double* value, double* jacobian) {
  GPODE_BY_INPUTS(UpdateJacobianFor, UpdateJacobianAny(table, x, phi, psi, value, jacobian), table,
                  x, phi, psi, value, jacobian)
}

inline void UpdatePullback(const UpdateTable& table, const double* x, const double* phi,
                           const double* psi, const double* g, double* bweights, double* blocations,
                           double* bsquares) {
  GPODE_BY_INPUTS(UpdatePullbackFor,
                  UpdatePullbackAny(table, x, phi, psi, g, bweights, blocations, bsquares), table,
                  x, phi, psi, g, bweights, blocations, bsquares)
}

#undef GPODE_BY_INPUTS

}  // namespace gpode::simd::GPODE_SIMD_TARGET
