// Keeps the states of running chains for checkpoints.
//
// Thread safety: chains on any thread may be kept at the same time; Attach and SaveNow must not be
// called while chains run.
//
//   ChainKeeper keeper(state, seconds, [&](const SamplingState& s) { Save(s); });
//   keeper.Attach(nuts);  // then SampleNuts
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "train/sampling_state.h"

namespace gpode {

class ChainKeeper {
 public:
  using Save = std::function<void(const SamplingState&)>;

  // Continues from a state, which may be null. While chains run, `save` is called when `seconds`
  // have passed since the last time, or never if `seconds` is zero or `save` is empty.
  ChainKeeper(std::shared_ptr<const SamplingState> from, double seconds, Save save);

  // Sets the options of a sampler so that its chains continue from the kept state and hand over the
  // states that they reach. The keeper must outlive the sampler.
  void Attach(NutsOptions& nuts);

  // Saves what has been kept, after the sampler was stopped.
  void SaveNow();

 private:
  using Clock = std::chrono::steady_clock;

  void Keep(std::size_t chain, bool is_last, const std::function<NutsChainState()>& state);
  bool IsDue(Clock::time_point last) const;

  std::shared_ptr<const SamplingState> from_;
  double seconds_;
  Save save_;
  std::mutex mutex_;
  SamplingState kept_;
  std::vector<Clock::time_point> kept_at_;  // (chains)
  std::vector<std::size_t> iterations_;     // (chains): completed iterations
  Clock::time_point saved_at_ = Clock::now();
};

}  // namespace gpode
