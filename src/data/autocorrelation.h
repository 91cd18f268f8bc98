// Effective numbers of independent values among correlated ones.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <span>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// Returns the integrated autocorrelation time 1 + 2 sum_k rho_k of series with mean zero, counted
// in steps from one value to the next; NaN is a missing value. The sum ends before the first rho_k
// that is not significant. The result is 1 for white noise; n values are worth n divided by it.
double AutocorrelationTime(std::span<const std::vector<double>> series);

// Returns the effective number of independent columns of rows (n, C); NaN is a missing value. It is
// C^2 divided by the sum of all squared correlations, from which their expectation under
// independence is subtracted: C if the columns are independent.
double IndependentColumns(std::span<const Matrix> rows);

}  // namespace gpode
