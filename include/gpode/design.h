// The choice of the next measurement: the expected reduction of a stated uncertainty by one more
// observation at each candidate time and channel, or by a new trajectory from each candidate state.
//
// No model is trained again. The posterior draws give the joint covariance of a candidate's values
// y and the targets g, which are one of
//
//   forecast    the channels over a window of time, in units of their standard deviations
//   field       the field at points of a region, in units of its size at the data
//   stability   the leading real part of the eigenvalues of a fixed point
//
// If y and g are jointly normal, an observation of y with the noise covariance R lowers the total
// variance of the targets by
//
//   sum_j cov(g_j, y) (cov(y) + R)^-1 cov(y, g_j).
//
// A batch is chosen greedily: after each choice, the covariance of all remaining values is
// conditioned on it. Outlying draws are moved to five robust standard deviations from the median,
// and the reduction that a finite number of draws would show by chance is subtracted.
//   Krause, Singh, Guestrin: Near-optimal sensor placements in Gaussian processes (2008).
//
// A new trajectory begins at a state that is known exactly, and is observed at several times. In a
// draw that cannot be followed from a start, the values that are missing count as the mean of the
// others, so that they tell nothing.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them. Any of these threads may call the report callback, but never two at the same time.
//
//   Design design = DesignMeasurements(posterior, data, {.times = candidates, .batch = 5});
//   design.ranked.front().time, design.ranked.front().reduction
//   options = {.starts = GridPoints(box, 6), .start_times = {1, 2}, .target = DesignTarget::kField};
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/fixed_points.h"
#include "gpode/posterior.h"

namespace gpode {

// The uncertainty that an observation shall reduce.
enum class DesignTarget { kForecast, kField, kStability };
// Returns "forecast", "field" or "stability".
std::string_view Name(DesignTarget target);

struct DesignCandidate {
  // The row of DesignOptions::starts if the candidate is a new trajectory.
  std::optional<std::size_t> start = {};
  // The time of the observation; for a new trajectory, the last time since its start.
  double time = 0;
  std::size_t observations = 1;  // the number of times that are observed
  std::string channel = {};      // "all" if all channels are measured together
  double reduction = 0;  // the expected reduction, as a share of the targets' total variance
  double cost = 1;
};

struct DesignOptions {
  std::vector<double> times = {};        // candidate times of the trajectory, increasing
  Matrix starts = {};                    // (S, D): candidate states of new trajectories
  std::vector<double> start_times = {};  // times since the start at which these are observed,
                                         // increasing
  DesignTarget target = DesignTarget::kForecast;
  // The times of the forecast whose uncertainty counts, increasing. The other targets ignore them.
  std::vector<double> targets = {};
  // The region of the field, or the region that holds the fixed point; by default the observed
  // states, enlarged as for an analysis (analysis.h).
  std::optional<StateBox> region = {};
  std::size_t trajectory = 0;
  bool each_channel = false;  // true if one measurement observes one channel instead of all
  std::size_t batch = 1;      // the number of candidates to choose
  std::size_t draws = 512;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // Returns the cost of a candidate, whose reduction is not known yet. Without a function, each
  // observed time costs 1.
  std::function<double(const DesignCandidate& candidate)> cost = {};
  // The callback is called after each start with the number of starts that have been followed and
  // the number of all starts, and before that while fixed points are searched. If it returns false,
  // the other starts, and the draws that have not been searched, are left out.
  std::function<bool(std::size_t done, std::size_t total)> report = {};
};

struct Design {
  std::vector<DesignCandidate> candidates = {};  // times, then starts; by channel
  std::vector<DesignCandidate> ranked = {};      // by decreasing reduction per cost
  std::vector<DesignCandidate> batch = {};  // chosen one after the other; the reduction of each
                                            // is that on top of those before it
  DesignTarget target = DesignTarget::kForecast;
  // The root mean square of the targets' standard deviations, in the units above.
  double deviation = 0;
  std::size_t draws = 0;
  std::vector<std::string> states = {};  // names (D)
  Matrix starts = {};                    // (S, D): those that were followed
  std::optional<StateBox> region = {};   // the region of the targets field and stability
  // The target stability: the mean place of the fixed point, and the share of draws that have it.
  Vector fixed_point = {};  // (D)
  double probability = 0;
};

// Ranks the candidates and chooses a batch. Throws an InputError if there are no candidates or
// targets, if fewer than 16 draws can be followed, or if the region has no fixed point that half of
// the draws have.
Design DesignMeasurements(const Posterior& posterior, const Dataset& data,
                          const DesignOptions& options);

}  // namespace gpode
