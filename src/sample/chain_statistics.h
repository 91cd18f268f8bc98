// Statistics that the diagnostics of chains are computed from. Values are (draws, chains)
// throughout. The functions `Split…` split each chain into two halves and leave out the middle draw
// of an odd number.
#pragma once

#include "gpode/field.h"

namespace gpode {

// Returns true if the values are finite and not constant, and there are at least four draws.
bool IsInformative(const Matrix& values);

// Returns Phi^-1((rank - 3/8) / (size + 1/4)) for every value; equal values share their mean rank.
Matrix NormalScores(const Matrix& values);

// Returns x with Phi(x) = p, 0 < p < 1, to rounding error.
double NormalQuantile(double p);

// Returns sqrt((mean variance within chains + variance between chains) / mean variance within).
double SplitRhat(const Matrix& values);

// Returns draws * chains / (1 + 2 * sum of autocorrelations). The sum ends before the first pair of
// autocorrelations that is negative, and pairs are made to decrease (C. J. Geyer 1992). NaN for
// constant values.
double SplitEss(const Matrix& values);

}  // namespace gpode
