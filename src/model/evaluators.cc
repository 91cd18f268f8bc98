#include "model/evaluators.h"

#include <algorithm>

namespace gpode {
namespace {

// The number of doubles in one message of the chain. With short messages, the next rank begins
// sooner; with long ones, there are fewer messages.
constexpr std::size_t kPiece = 4096;
// The number of doubles of a group's sum that one thread adds up at a time. If the group has fewer
// than kFewItems items, one thread adds up the whole sum.
constexpr std::size_t kStretch = 512, kFewItems = 32;

// Returns the index of the item at a place in the order of RankEvaluator: by number, then by group.
std::size_t ItemAt(const Objective& objective, std::size_t place) {
  const std::size_t groups = objective.groups(), per_group = objective.items() / groups;
  return place % groups * per_group + place / groups;
}

}  // namespace

void ThreadEvaluator::Evaluate(const Objective& objective, ThreadPool& pool, ItemResults& results) {
  const std::size_t size = objective.slot_size(), summed = objective.summed_size();
  const std::size_t groups = objective.groups(), per_group = objective.items() / groups;
  results.slots.resize(objective.items() * size);
  results.totals.resize(groups * summed);
  results.first = summed;
  results.group_stride = per_group * size;
  results.item_stride = size;
  pool.For(objective.items(), [&](std::size_t item) {
    objective.Sums(item, pool.WorkerIndex(), std::span(results.slots).subspan(item * size, size));
  });
  // Each thread adds up a stretch of the slots in the order of the items, so that the sum has the
  // same bits for any number of threads.
  const std::size_t stretches = per_group < kFewItems ? 1 : (summed + kStretch - 1) / kStretch;
  pool.For(groups * stretches, [&](std::size_t i) {
    const std::size_t group = i / stretches, from = summed * (i % stretches) / stretches;
    const std::size_t to = summed * (i % stretches + 1) / stretches;
    double* total = results.totals.data() + group * summed;
    std::fill(total + from, total + to, 0.0);
    for (std::size_t item = group * per_group; item < (group + 1) * per_group; ++item) {
      const double* slot = results.slots.data() + item * size;
      for (std::size_t k = from; k < to; ++k) total[k] += slot[k];
    }
  });
}

void RankEvaluator::Evaluate(const Objective& objective, ThreadPool& pool, ItemResults& results) {
  const std::size_t ranks = ranks_.size(), size = objective.slot_size();
  begins_.resize(ranks + 1);
  for (std::size_t r = 0; r <= ranks; ++r) begins_[r] = FirstPlace(objective.items(), r, ranks);
  const std::size_t first = begins_[ranks_.rank()], count = begins_[ranks_.rank() + 1] - first;
  own_.resize(count * size);
  pool.For(count, [&](std::size_t i) {
    objective.Sums(ItemAt(objective, first + i), pool.WorkerIndex(),
                   std::span(own_).subspan(i * size, size));
  });
  results.totals.resize(objective.groups() * objective.summed_size());
  AddAlongChain(objective, pool, results.totals);
  GatherRests(objective, results);
}

void RankEvaluator::AddAlongChain(const Objective& objective, ThreadPool& pool,
                                  std::span<double> totals) {
  const std::size_t rank = ranks_.rank(), last = ranks_.size() - 1;
  if (rank == 0) std::ranges::fill(totals, 0.0);
  for (std::size_t from = 0; from < totals.size(); from += kPiece) {
    const std::size_t to = std::min(from + kPiece, totals.size());
    const std::span<double> piece = totals.subspan(from, to - from);
    if (rank > 0) ranks_.Receive(rank - 1, piece);
    AddOwnItems(objective, from, to, pool, totals);
    if (rank < last) ranks_.Send(rank + 1, piece);
  }
  ranks_.Broadcast(last, std::as_writable_bytes(totals));
}

// Adds this rank's items to the totals with indices from .. to - 1.
void RankEvaluator::AddOwnItems(const Objective& objective, std::size_t from, std::size_t to,
                                ThreadPool& pool, std::span<double> totals) {
  const std::size_t summed = objective.summed_size(), size = objective.slot_size();
  const std::size_t groups = objective.groups(), first = begins_[ranks_.rank()];
  const std::size_t count = own_.size() / size;
  pool.For((to - from + kStretch - 1) / kStretch, [&](std::size_t stretch) {
    std::size_t i = from + stretch * kStretch;
    const std::size_t end = std::min(i + kStretch, to);
    while (i < end) {
      const std::size_t group = i / summed, stop = std::min(end, (group + 1) * summed);
      // The first of this rank's places that belongs to the group.
      for (std::size_t own = (group + groups - first % groups) % groups; own < count;
           own += groups) {
        const double* slot = own_.data() + own * size;
        for (std::size_t k = i; k < stop; ++k) totals[k] += slot[k - group * summed];
      }
      i = stop;
    }
  });
}

void RankEvaluator::GatherRests(const Objective& objective, ItemResults& results) {
  const std::size_t summed = objective.summed_size(), size = objective.slot_size();
  const std::size_t rest = size - summed, first = begins_[ranks_.rank()];
  results.slots.resize(objective.items() * rest);
  results.first = 0;
  results.group_stride = rest;
  results.item_stride = objective.groups() * rest;
  for (std::size_t i = 0; i < own_.size() / size; ++i) {
    std::copy_n(own_.begin() + static_cast<std::ptrdiff_t>(i * size + summed), rest,
                results.slots.begin() + static_cast<std::ptrdiff_t>((first + i) * rest));
  }
  offsets_.resize(begins_.size());
  for (std::size_t r = 0; r < begins_.size(); ++r) offsets_[r] = begins_[r] * rest;
  ranks_.Gather(offsets_, results.slots);
}

}  // namespace gpode
