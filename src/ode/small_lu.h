// LU factorisation of small dense matrices in the caller's memory, without allocation.
//
// Thread safety: any thread may call these functions; they share no state.
//
//   if (FactorLu(n, a, pivots)) SolveLu(n, a, pivots, b);
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace gpode {

// Replaces the matrix a (n, n), stored by rows, by its factors L and U with P a = L U, and writes
// the row exchanges to pivots (n). Returns false if the matrix is singular or not finite.
inline bool FactorLu(std::size_t n, std::span<double> a, std::span<double> pivots) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    pivots[k] = static_cast<double>(pivot);
    const double largest = a[pivot * n + k];
    if (!std::isfinite(largest) || largest == 0) return false;
    for (std::size_t j = 0; pivot != k && j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] /= largest;
      for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

// Replaces b (n) by the solution x of a x = b.
inline void SolveLu(std::size_t n, std::span<const double> lu, std::span<const double> pivots,
                    std::span<double> b) {
  for (std::size_t k = 0; k < n; ++k) std::swap(b[k], b[static_cast<std::size_t>(pivots[k])]);
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= lu[i * n + j] * b[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= lu[i * n + j] * b[j];
    b[i] /= lu[i * n + i];
  }
}

// Replaces b (n) by the solution x of a^T x = b.
inline void SolveLuTransposed(std::size_t n, std::span<const double> lu,
                              std::span<const double> pivots, std::span<double> b) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= lu[j * n + i] * b[j];
    b[i] /= lu[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= lu[j * n + i] * b[j];
  }
  for (std::size_t k = n; k-- > 0;) std::swap(b[k], b[static_cast<std::size_t>(pivots[k])]);
}

}  // namespace gpode
