#include "train/chain_keeper.h"

#include <utility>

#include "gpode/error.h"

namespace gpode {

ChainKeeper::ChainKeeper(std::shared_ptr<const SamplingState> from, double seconds, Save save)
    : from_(std::move(from)), seconds_(seconds), save_(std::move(save)) {}

void ChainKeeper::Attach(NutsOptions& nuts) {
  if (from_) {
    if (!from_->chains.empty()) {
      CheckSize("sampling", "chains", from_->chains.size(), nuts.chains);
    }
    nuts.resume = from_->chains;
    kept_ = *from_;
  }
  if (!save_) return;
  kept_.chains.resize(nuts.chains);
  kept_at_.assign(nuts.chains, Clock::now());
  iterations_.assign(nuts.chains, 0);
  for (std::size_t c = 0; c < nuts.chains; ++c) {
    if (kept_.chains[c]) iterations_[c] = kept_.chains[c]->iteration;
  }
  nuts.keep = [this, all = nuts.warm_up + nuts.draws](
                  std::size_t chain, const std::function<NutsChainState()>& state) {
    Keep(chain, ++iterations_[chain] == all, state);
  };
}

bool ChainKeeper::IsDue(Clock::time_point last) const {
  const std::chrono::duration<double> passed = Clock::now() - last;
  return seconds_ > 0 && passed.count() >= seconds_;
}

void ChainKeeper::Keep(std::size_t chain, bool is_last,
                       const std::function<NutsChainState()>& state) {
  if (!is_last && !IsDue(kept_at_[chain])) return;
  auto own = std::make_shared<const NutsChainState>(state());
  kept_at_[chain] = Clock::now();
  const std::lock_guard lock(mutex_);
  kept_.chains[chain] = std::move(own);
  if (!IsDue(saved_at_)) return;
  save_(kept_);
  saved_at_ = Clock::now();
}

void ChainKeeper::SaveNow() {
  const std::lock_guard lock(mutex_);
  if (save_) save_(kept_);
}

}  // namespace gpode
