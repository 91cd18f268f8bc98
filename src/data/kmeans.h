// Cluster centres of points, at which inducing points start (paper, section S2.2).
#pragma once

#include <cstdint>

#include "gpode/field.h"

namespace gpode {

// Returns k centres (k, D) of the rows of points (n, D), by k-means++ and Lloyd's iterations. If
// there are fewer than k distinct points, the remaining centres are points moved by a tenth of
// their spread.
Matrix KMeans(const Matrix& points, std::size_t k, std::uint64_t seed);

}  // namespace gpode
