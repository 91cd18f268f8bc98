// Likelihoods of positive channels in the user's units. See gpode/link.h.
//
// With a link g and a base likelihood p on its scale, such as a normal distribution,
//
//   log p(y | v) = log p(g(y) | g(v)) + log g'(y)
//
// A square root also has a point mass at y = 0, the probability that p gives to values below zero.
// All distributions follow from those of the base, since links increase; the score CRPS is computed
// in the user's units. Parameters, and the variance, are those of the base.
#pragma once

#include <memory>

#include "gpode/likelihood.h"

namespace gpode {

// The name is "BASE in LINK", as in "gaussian in log". `base` must outlive the result.
std::unique_ptr<const Likelihood> MakeLinkedLikelihood(const Likelihood& base, Link link);

}  // namespace gpode
