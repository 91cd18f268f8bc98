// Cluster centres of points: where inducing points start.
#pragma once

#include <cstdint>

#include "gpode/field.h"

namespace gpode {

// k centres (k, D) of the rows of points (n, D), by k-means++ and Lloyd's iterations. With fewer
// than k distinct points, the rest are points moved by a tenth of their spread.
Matrix KMeans(const Matrix& points, std::size_t k, std::uint64_t seed);

}  // namespace gpode
