// The state of a run that samples, for checkpoints: the states of its chains. What comes before the
// chains, such as the point estimate that they start from, is computed again when a run is resumed.
#pragma once

#include <memory>
#include <vector>

#include "sample/chain_state.h"

namespace gpode {

struct SamplingState {
  // One for each chain; null for a chain that has not begun or was never saved.
  std::vector<std::shared_ptr<const NutsChainState>> chains;
};

}  // namespace gpode
