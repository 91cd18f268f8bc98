// Student's t, the log-normal likelihood, and different likelihoods in different channels. See
// gpode/likelihood.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpode/likelihood.h"

namespace gpode {

std::unique_ptr<const Likelihood> MakeStudentTLikelihood();
std::unique_ptr<const Likelihood> MakeLognormalLikelihood();

// Returns the likelihood whose channel c has kinds[c], which must outlive it. Its name is that of the
// kinds with commas between them.
std::unique_ptr<const Likelihood> MakeMixedLikelihood(std::vector<const Likelihood*> kinds);

}  // namespace gpode
