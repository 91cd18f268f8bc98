// The likelihoods student-t and lognormal, and combinations of one likelihood per channel. See
// gpode/likelihood.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpode/likelihood.h"

namespace gpode {

std::unique_ptr<const Likelihood> MakeStudentTLikelihood();
std::unique_ptr<const Likelihood> MakeLognormalLikelihood();

// Returns a likelihood that uses kinds[c] for channel c. The kinds must outlive it. Its name is the
// list of their names with commas between them.
std::unique_ptr<const Likelihood> MakeMixedLikelihood(std::vector<const Likelihood*> kinds);

}  // namespace gpode
