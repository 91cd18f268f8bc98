// Trainer on several ranks: which rank has the parameters of which states.
#include <algorithm>
#include <vector>

#include "gpode/ranks.h"
#include "train/trainer.h"

namespace gpode {

void Trainer::UseRanks(Ranks& ranks) {
  ranks_ = &ranks;
  bound_->UseRanks(ranks, minibatches_->whole());
  choice_.segments.clear();  // so that the next step chooses the states of this rank
  if (validation_) validation_->UseRanks(ranks);
}

// Each rank knows only the gradient of its own states.
bool Trainer::IsUsableOnAllRanks(bool is_usable) const {
  std::vector<double> flags(ranks_->size(), 1.0);
  std::vector<std::size_t> offsets(ranks_->size() + 1);
  for (std::size_t rank = 0; rank < offsets.size(); ++rank) offsets[rank] = rank;
  flags[ranks_->rank()] = is_usable ? 1.0 : 0.0;
  ranks_->Gather(offsets, flags);
  return std::ranges::all_of(flags, [](double flag) { return flag == 1; });
}

template <typename Visit>
void Trainer::ForStatesOf(std::size_t rank, Visit&& visit) {
  TouchedStates states;
  bound_->FindTouchedBy(rank, states);
  std::vector<TouchedParameters> parameters;
  parts_->FindParameters(states, parameters);
  for (const TouchedParameters& touched : parameters) {
    if (touched.first_state == TouchedParameters::kNoState) continue;
    const Stretch flat = layout().FlatOf(touched.range);
    for (std::vector<double>* all :
         {&state_.flat, &state_.adam.first_moment, &state_.adam.second_moment}) {
      visit(std::span(*all).subspan(flat.offset, flat.size));
    }
  }
  const std::span<double> updates(state_.state_updates);
  for (const IndexRun& run : states.x0) visit(updates.subspan(run.first, run.count));
  for (const IndexRun& run : states.shooting) {
    visit(updates.subspan(parts_->shape().trajectories + run.first, run.count));
  }
}

void Trainer::CollectStates() {
  if (is_collected_) return;
  std::vector<std::size_t> offsets(ranks_->size() + 1, 0);
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank) {
    offsets[rank + 1] = offsets[rank];
    ForStatesOf(rank, [&](std::span<double> part) { offsets[rank + 1] += part.size(); });
  }
  std::vector<double> all(offsets.back());
  auto to = all.begin() + static_cast<std::ptrdiff_t>(offsets[ranks_->rank()]);
  ForStatesOf(ranks_->rank(),
              [&](std::span<double> part) { to = std::ranges::copy(part, to).out; });
  ranks_->Gather(offsets, all);
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank) {
    auto from = all.begin() + static_cast<std::ptrdiff_t>(offsets[rank]);
    ForStatesOf(rank, [&](std::span<double> part) {
      std::copy_n(from, part.size(), part.begin());
      from += static_cast<std::ptrdiff_t>(part.size());
    });
  }
  is_collected_ = true;
}

}  // namespace gpode
