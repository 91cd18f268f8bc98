// Maximisation by Adam, with the choice of the best point by a second function.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gpode/nuts.h"

namespace gpode {

struct ClimbOptions {
  std::size_t steps = 3000;
  double learning_rate = 0.01;  // at its peak; warm-up, then half a cosine
  std::size_t patience = 0;     // checks in a row without gain that end it; 0: all steps are taken
};

struct ClimbResult {
  double score = 0;         // of the point that was chosen; -infinity: none could be used
  std::size_t steps = 0;    // taken
  std::size_t skipped = 0;  // of them, without a usable gradient
};

// Higher is better; not finite: cannot be used.
using PointScore = std::function<double(std::span<const double>)>;

// Climbs from `point`, and leaves there the best of the points at every fiftieth step and the last,
// by `score`; no score: by the objective.
ClimbResult Climb(const LogDensity& objective, const PointScore& score, const ClimbOptions& options,
                  std::vector<double>& point);

}  // namespace gpode
