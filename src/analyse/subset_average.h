// Bayesian averaging over the subsets of regressors of a linear model.
//
// The model is  y = X_S w_S + e,  e ~ N(0, s^2 I),  with Zellner's g-prior on w_S and p(s) ~ 1 / s.
// Its marginal likelihood needs only R^2 of the regression (Liang et al., Mixtures of g priors for
// Bayesian variable selection, 2008, equation 6):
//
//   log p(y | S) = (n - |S|) / 2 log(1 + g) - n / 2 log(1 + g (1 - R^2)) + constant
//
// All subsets of k out of K regressors together have the prior probability 1 / (K + 1).
//
// Thread safety: any thread may call this function; it shares no state that changes.
//
//   const SubsetAverage average = AverageSubsets(X, y, n, seed);
#pragma once

#include <cstdint>
#include <vector>

#include "gpode/matrix.h"

namespace gpode {

struct SubsetAverage {
  Vector probabilities = {};              // (K): the probability that each regressor is included
  Vector means = {}, variances = {};      // (K): of each coefficient, given that it is included
  std::vector<Eigen::Index> chosen = {};  // regressors with a probability of one half or more
  Vector coefficients = {};               // coefficients of a fit with only the chosen regressors
  Matrix covariance = {};                 // the covariance of these coefficients
};

// Averages over all subsets, or over sampled ones if there are more than 16 regressors. `n` is the
// number of observations minus the degrees of freedom that centring has used; `seed` is that of the
// sampling.
SubsetAverage AverageSubsets(const Matrix& x, const Vector& y, double n, std::uint64_t seed);

}  // namespace gpode
