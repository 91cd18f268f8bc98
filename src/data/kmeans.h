// Cluster centres of points: the initial inducing locations (paper, section S2.2).
#pragma once

#include <cstdint>

#include "gpode/field.h"

namespace gpode {

// Returns k cluster centres (k, D) of the rows of points (n, D), by k-means++ and Lloyd's
// iterations. A centre that coincides with an earlier one, as happens with fewer than k distinct
// points, is moved at random by about a tenth of the points' spread.
Matrix KMeans(const Matrix& points, std::size_t k, std::uint64_t seed);

}  // namespace gpode
