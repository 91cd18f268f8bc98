// Replaces missing values of a series by interpolation.
//
// Thread safety: all functions may be called from any thread.
//
//   Vector column = trajectory.values.col(0);
//   FillGaps(trajectory.times, mean, column);
#pragma once

#include <span>

#include "gpode/dataset.h"

namespace gpode {

// Replaces missing values (NaN) of a column by linear interpolation. Before the first value and
// after the last one, it repeats that value. A column without any value becomes `otherwise`.
void FillGaps(std::span<const double> times, double otherwise, Eigen::Ref<Vector> column);

}  // namespace gpode
