// The choice of the next measurement: the expected reduction of the uncertainty of a forecast by one
// more observation at each candidate time and channel.
//
// Nothing is trained again. Over posterior draws, a candidate's value y and the targets g (the
// channels over a window of time, each in units of its standard deviation in the data) have a joint
// covariance. An observation of y with noise of variance r then lowers the total variance of the
// targets, if everything is jointly normal, by
//
//   sum_j cov(g_j, y)^2 / (var(y) + r).
//
// A batch is chosen greedily: after each choice, the covariance of everything else is conditioned on
// it. Draws far from the others are moved to five robust standard deviations from the median, and
// the part of a reduction that a finite number of draws gives by chance is subtracted.
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
  bool each_channel = false;  // true if channels are measured one by one, not all at a time
  std::size_t batch = 1;      // the number of observations to choose
  std::size_t draws = 512;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // The cost of an observation of a channel at a time; by default 1. The channel is the number of
  // channels if all are measured together.
  std::function<double(double time, std::size_t channel)> cost = {};
};

struct DesignCandidate {
  double time = 0;
  std::string channel = {};  // "all" if all channels are measured together
  double reduction = 0;      // share of the targets' total variance
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

// Throws an InputError if there are no candidates or targets, or fewer than 16 draws can be followed.
Design DesignMeasurements(const Posterior& posterior, const Dataset& data,
                          const DesignOptions& options);

}  // namespace gpode
