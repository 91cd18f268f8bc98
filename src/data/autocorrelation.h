// How many independent values correlated ones are worth.
#pragma once

#include <span>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// The integrated autocorrelation time  1 + 2 sum_k rho_k  of series about zero, in steps from one
// value to the next; NaN is missing. The sum ends with the first rho_k that chance would explain.
// One for white noise; n values are worth n divided by it.
double AutocorrelationTime(std::span<const std::vector<double>> series);

// How many independent columns the rows (n, C) are worth, NaN being missing:  C^2 over the sum of
// all squared correlations, less what chance would explain. C where columns have nothing in common.
double IndependentColumns(std::span<const Matrix> rows);

}  // namespace gpode
