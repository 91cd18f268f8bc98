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

// Replaces missing values of a column (NaN) by linear interpolation, and before the first and after
// the last value by that value. A column without any value becomes `otherwise`.
void FillGaps(std::span<const double> times, double otherwise, Eigen::Ref<Vector> column);

}  // namespace gpode
