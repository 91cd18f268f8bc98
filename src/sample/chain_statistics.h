// Statistics that the diagnostics of chains are computed from. `values` (draws, chains) holds the
// value of one quantity at each draw. The functions `Split…` treat the two halves of each chain as
// two chains, so that a drift within a chain counts as a disagreement; if the number of draws is
// odd, they leave out the middle one. Phi is the standard normal distribution function.
#pragma once

#include "gpode/field.h"

namespace gpode {

// Returns true if the values are finite and not constant, and there are at least four draws.
bool IsInformative(const Matrix& values);

// Returns Phi^-1((rank - 3/8) / (size + 1/4)) for every value, where rank is its rank among all
// `size` values. Equal values all have the mean of their ranks.
Matrix NormalScores(const Matrix& values);

// Returns x with Phi(x) = p, 0 < p < 1, to rounding error.
double NormalQuantile(double p);

// Returns sqrt(V / W), where W is the mean of the variances within chains of n draws, and
// V = W (n - 1) / n + the variance of the chains' means.
double SplitRhat(const Matrix& values);

// Returns the effective sample size, draws * chains / (1 + 2 * sum of autocorrelations). The sum
// runs over pairs of neighbouring lags; it ends before the first pair with a negative sum, and no
// pair counts for more than the pairs before it (C. J. Geyer 1992). NaN unless IsInformative.
double SplitEss(const Matrix& values);

}  // namespace gpode
