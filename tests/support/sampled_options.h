// The options of a small process whose posterior is sampled.
#pragma once

#include <string>

#include "gpode/fit_options.h"

namespace gpode {

inline FitOptions SampledOptions(const std::string& kernel) {
  FitOptions options;
  options.kernel = kernel;
  options.posterior = "nuts";
  options.features = 16;
  options.threads = 1;
  return options;
}

}  // namespace gpode
