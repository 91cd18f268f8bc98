// The pullback (gpode/field.h) of fields whose Record stores the Jacobian at each point.
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

// Adds J^T g to bx at each of n points. Row p of `records` (n, record_size) begins with the
// Jacobian J (dim, dim) at point p; g and bx are (n, dim).
inline void PullbackByJacobian(std::size_t dim, std::span<const double> records,
                               std::size_t record_size, std::span<const double> g,
                               std::span<double> bx) {
  for (std::size_t p = 0; p * dim < g.size(); ++p) {
    const double* jacobian = records.data() + p * record_size;
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < dim; ++j) {
        bx[p * dim + j] += jacobian[i * dim + j] * g[p * dim + i];
      }
    }
  }
}

}  // namespace gpode
