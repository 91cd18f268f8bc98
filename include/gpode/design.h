// The choice of the next measurement: the expected reduction of the uncertainty of a forecast by
// one more observation at each candidate time and channel.
//
// No model is trained again. The posterior draws give the joint covariance of a candidate's value y
// and the targets g, which are the channels over a window of time, each in units of its standard
// deviation in the data. If y and g are jointly normal, an observation of y with noise variance r
// lowers the total variance of the targets by
//
//   sum_j cov(g_j, y)^2 / (var(y) + r).
//
// A batch is chosen greedily: after each choice, the covariance of all remaining values is
// conditioned on it. Outlying draws are moved to five robust standard deviations from the median,
// and the reduction that a finite number of draws would show by chance is subtracted.
//   Krause, Singh, Guestrin: Near-optimal sensor placements in Gaussian processes (2008).
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them.
//
//   Design design = DesignMeasurements(posterior, data, {.times = candidates, .batch = 5});
//   design.ranked.front().time, design.ranked.front().reduction
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpode/posterior.h"

namespace gpode {

struct DesignOptions {
  std::vector<double> times = {};  // the candidate times, increasing
  std::vector<double> targets =
      {};  // the times of the forecast whose uncertainty counts, increasing
  std::size_t trajectory = 0;
  bool each_channel = false;  // true if one measurement observes one channel instead of all
  std::size_t batch = 1;      // the number of observations to choose
  std::size_t draws = 512;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // Returns the cost of an observation of a channel at a time. The index `channel` is the number of
  // channels if all are measured together. Without a function, all observations cost 1.
  std::function<double(double time, std::size_t channel)> cost = {};
};

struct DesignCandidate {
  double time = 0;
  std::string channel = {};  // "all" if all channels are measured together
  double reduction = 0;      // the expected reduction, as a share of the targets' total variance
  double cost = 1;
};

struct Design {
  std::vector<DesignCandidate> candidates = {};  // by time, then channel
  std::vector<DesignCandidate> ranked = {};      // by decreasing reduction per cost
  std::vector<DesignCandidate> batch = {};  // chosen one after the other; the reduction of each
                                            // is that on top of those before it
  double deviation = 0;  // the root mean square of the targets' standard deviations
  std::size_t draws = 0;
};

// Ranks the candidates and chooses a batch. Throws an InputError if there are no candidates or
// targets, or if fewer than 16 draws can be followed.
Design DesignMeasurements(const Posterior& posterior, const Dataset& data,
                          const DesignOptions& options);

}  // namespace gpode
