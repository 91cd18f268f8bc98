// The likelihoods of counts: Poisson and negative binomial. See gpode/likelihood.h.
#pragma once

#include <memory>

#include "gpode/likelihood.h"

namespace gpode {

std::unique_ptr<const Likelihood> MakePoissonLikelihood();
std::unique_ptr<const Likelihood> MakeNegativeBinomialLikelihood();

}  // namespace gpode
