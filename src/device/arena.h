// The memory of an engine: one allocation, in which every array of Work has its place. Kernels
// change no other memory of the device, so that a copy of the allocation holds all that they know.
#pragma once

#include <string>
#include <vector>

#include "device/features.h"
#include "device/kernels/gradient.h"
#include "device/work.h"

namespace gpode::device {

// Calls visit(name, pointer, count) for every array, in the order of their places in memory.
// `steps` is the most steps that are planned at a time, `real_size` the size of a number in the
// feature table.
template <typename Visit>
void ForArrays(Work& w, std::size_t steps, std::size_t real_size, Visit&& visit) {
  const auto n = [](int size) { return static_cast<std::size_t>(size); };
  const std::size_t s = n(w.draws), d = n(w.dim), m = n(w.inducing), f = n(w.features);
  const std::size_t pairs = n(w.pairs), b = n(w.states), t = n(w.times), c = n(w.channels);
  visit("flat", w.flat, n(w.flat_size));
  visit("values", w.values, n(w.flat_size));
  visit("first", w.first, n(w.flat_size));
  visit("second", w.second, n(w.flat_size));
  visit("gradient", w.gradient, n(w.flat_size));
  visit("kind", w.kind, n(w.flat_size));
  visit("segment_start", w.segment_start, n(w.segments));
  visit("segment_first", w.segment_first, n(w.segments));
  visit("segment_count", w.segment_count, n(w.segments));
  visit("segment_state", w.segment_state, n(w.segments));
  visit("segment_next", w.segment_next, n(w.segments));
  visit("state_starts", w.state_starts, b);
  visit("state_ends", w.state_ends, b);
  visit("times", w.times_of, t);
  visit("y", w.y, t * c);
  visit("y_by_channel", w.y_by_channel, t * c);
  visit("map", w.map, c * d);
  visit("map_offset", w.map_offset, c);
  visit("channel_weight", w.channel_weight, c);
  visit("count", w.count, c);
  visit("noise_floor", w.noise_floor, c);
  visit("eps_omega", w.eps_omega, s * d * f * d);
  visit("eps_weight", w.eps_weight, s * 2 * d * f);
  visit("eps_u", w.eps_u, s * d * m);
  visit("eps_x", w.eps_x, s * b * d);
  if (real_size == sizeof(float)) {
    auto* table = static_cast<float*>(w.feature_table);
    visit("feature_table", table, s * d * f * n(w.feature_row));
    w.feature_table = table;
  } else {
    auto* table = static_cast<double*>(w.feature_table);
    visit("feature_table", table, s * d * f * n(w.feature_row));
    w.feature_table = table;
  }
  visit("point_table", w.point_table, s * d * m * n(w.point_row));
  visit("start_states", w.start_states, s * b * d);
  visit("white", w.white, s * d * m);
  visit("inverse", w.inverse, n(w.rows) * m * m);
  visit("inverse_by_column", w.inverse_by_column, n(w.rows) * m * m);
  visit("is_factored", w.is_factored, n(w.rows));
  visit("prior", w.prior, s * d * m);
  visit("prior_slope", w.prior_slope, s * d * d * m);
  visit("white_prior", w.white_prior, s * d * m);
  visit("rest", w.rest, s * d * m);
  visit("nu", w.nu, s * d * m);
  visit("queue", w.queue, s);
  visit("hint", w.hint, pairs);
  visit("new_hint", w.new_hint, pairs);
  visit("steps", w.steps, pairs);
  visit("filled", w.filled, pairs);
  visit("is_ok", w.is_ok, pairs);
  visit("evaluations", w.evaluations, pairs);
  visit("record", w.record, n(w.slots) * kStages * n(w.record_row) * pairs);
  visit("step_size", w.step_size, n(w.slots) * pairs);
  visit("out_state", w.out_state, s * d * t);
  visit("out_theta", w.out_theta, s * t);
  visit("out_slot", w.out_slot, s * t);
  visit("bout", w.bout, s * d * t);
  visit("out_loglik", w.out_loglik, s * t);
  visit("bstart", w.bstart, d * pairs);
  visit("btarget", w.btarget, d * pairs);
  visit("reverse_part", w.reverse_part, s * n(w.reverse_blocks) * kTerms);
  visit("pair_part", w.pair_part, s * n(w.pair_blocks) * (d + d * d));
  visit("noise_part", w.noise_part, n(w.noise_chunks) * c);
  visit("sums_part", w.sums_part, s * n(w.chunks) * (1 + 2 * d) * d * m);
  visit("bwhite", w.bwhite, s * d * m);
  visit("blocations", w.blocations, s * d * d * m);
  visit("bhyper", w.bhyper, s * d * (d + 1));
  visit("turned", w.turned, n(w.rows) * m * m);
  visit("kernel_blocations", w.kernel_blocations, n(w.rows) * d * m);
  visit("kernel_bhyper", w.kernel_bhyper, n(w.rows) * n(w.pull_groups) * (d + 1));
  visit("gradient_part", w.gradient_part, n(w.gradient_blocks) * kGradientSums);
  visit("is_bad", w.is_bad, n(w.gradient_blocks));
  visit("control", w.control, 1);
  visit("next_control", w.next_control, 1);
  visit("plan", w.plan, steps);
  visit("results", w.results, steps);
}

// Sets the pointers of w to their places in memory that begins at `base`. Returns the number of
// bytes that the arrays need.
inline std::size_t PlaceArrays(Work& w, std::size_t steps, std::size_t real_size, std::byte* base) {
  std::size_t used = 0;
  ForArrays(w, steps, real_size, [&]<typename T>(const char*, T*& pointer, std::size_t count) {
    pointer = reinterpret_cast<T*>(base + used);
    used += (count * sizeof(T) + 255) / 256 * 256;
  });
  return used;
}

}  // namespace gpode::device
