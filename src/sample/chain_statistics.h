// The statistics that diagnostics of chains are made of. Values are (draws, chains) throughout;
// `Split…` cuts each chain into two halves first, leaving out the middle draw of an odd number.
#pragma once

#include "gpode/field.h"

namespace gpode {

// Finite, not constant, at least four draws.
bool Informative(const Matrix& values);

// Phi^-1((rank - 3/8) / (size + 1/4)); equal values share their mean rank.
Matrix NormalScores(const Matrix& values);

// x with Phi(x) = p, 0 < p < 1, to rounding.
double NormalQuantile(double p);

// sqrt of (mean variance within + variance between) / mean variance within.
double SplitRhat(const Matrix& values);

// draws chains / (1 + 2 sum of autocorrelations); the sum ends where pairs turn negative, and pairs
// are made to decrease (C. J. Geyer 1992). NaN for constant values.
double SplitEss(const Matrix& values);

}  // namespace gpode
