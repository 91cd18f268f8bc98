// The state of a chain of the No-U-Turn sampler after one of its iterations. The chain's next
// iterations and its result depend only on this state, the options and the target.
//
// A chain is saved and restored by copying this struct whole. The table of its members for model
// files (store/model_members.h) does not compile until it lists every member, so that none is
// forgotten in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "gpode/nuts.h"
#include "sample/adaptation.h"
#include "sample/metric.h"

namespace gpode {

struct NutsChainState {
  std::size_t iteration = 0;  // completed iterations, warm-up included
  Vector position;            // (n)
  std::vector<double> further;
  double step_size = 1;
  Matrix inverse_mass;  // (1, n) or (n, n)
  DualAveraging averaging = {};
  DrawMoments moments{};
  std::uint64_t trial_steps = 0;  // number of trial steps so far, an address of random numbers
  std::size_t divergent = 0, warm_up_divergent = 0, evaluations = 0;
  Matrix draws = {}, further_draws = {};              // (draws so far, n or further variables)
  std::vector<TransitionStatistics> statistics = {};  // (draws so far)
};

}  // namespace gpode
