// How many independent values a series with memory is worth.
#pragma once

#include <span>
#include <vector>

namespace gpode {

// The integrated autocorrelation time  1 + 2 sum_k rho_k  of series about zero, in steps from one
// value to the next; NaN is missing. The sum ends with the first rho_k that chance would explain.
// One for white noise; n values are worth n divided by it.
double AutocorrelationTime(std::span<const std::vector<double>> series);

}  // namespace gpode
