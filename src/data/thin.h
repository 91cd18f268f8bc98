// Thinning of a matrix: a selection of evenly spaced rows.
#pragma once

#include <cstddef>

#include "gpode/matrix.h"

namespace gpode {

// Returns every n-th row, for the smallest n that leaves at most `most` rows.
inline Matrix Thin(const Matrix& rows, std::size_t most) {
  const auto step = static_cast<Eigen::Index>((rows.rows() + most - 1) / most);
  Matrix kept((rows.rows() + step - 1) / step, rows.cols());
  for (Eigen::Index i = 0; i < kept.rows(); ++i) kept.row(i) = rows.row(i * step);
  return kept;
}

}  // namespace gpode
