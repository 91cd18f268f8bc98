// Effective numbers of independent values among correlated ones.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <span>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// Returns the integrated autocorrelation time 1 + 2 sum_k rho_k of series with mean zero, where
// rho_k is the correlation of values that are k places apart; NaN is a missing value. The sum ends
// before the first rho_k that is not significant. The effective number of independent values is
// the number of values divided by this time, which is 1 for white noise. If the variance of the
// values is less than `least_variance`, correlations are relative to that one.
double AutocorrelationTime(std::span<const std::vector<double>> series, double least_variance = 0);

// Returns the effective number of independent columns among C columns with mean zero: C^2 divided
// by the sum of the squared correlations of all pairs of columns (i, j), also i = j. It is between
// 1 (all columns are proportional) and C (none are correlated). The squared correlation 1 / n that
// n rows of independent columns have by chance is subtracted. `rows` are parts (n, C) of the data;
// NaN is a missing value.
double IndependentColumns(std::span<const Matrix> rows);

}  // namespace gpode
