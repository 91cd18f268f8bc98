// Gaussian observation noise: p(y | value) = N(y | value, variance), the likelihood of the paper
// (section 3.2).
#pragma once

#include <memory>

#include "gpode/likelihood.h"

namespace gpode {

std::unique_ptr<const Likelihood> MakeGaussianLikelihood();

}  // namespace gpode
