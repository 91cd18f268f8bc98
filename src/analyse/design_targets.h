// The targets of a design (gpode/design.h) in the draws of a posterior: the field at points of a
// region, and the leading eigenvalue of a fixed point.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them.
//
//   const TargetDraws targets = FieldTargets(posterior, data, box, options);
#pragma once

#include <vector>

#include "gpode/design.h"

namespace gpode {

struct TargetDraws {
  Matrix values = {};             // (draws, targets)
  std::vector<bool> has_it = {};  // (draws): false if the draw does not have the targets
  Vector fixed_point = {};        // (D): the mean place
  double probability = 1;         // the share of draws that have the targets
};

// Returns the components of the field at points of the box, each divided by its root mean square
// over the states of the data. The points are a grid up to two states, and quasi-random otherwise.
TargetDraws FieldTargets(const Posterior& posterior, const Dataset& data, const StateBox& box,
                         const DesignOptions& options);

// Returns the leading real part of the eigenvalues of the most probable fixed point in the box.
// Throws an InputError if less than half of the draws have it.
TargetDraws StabilityTargets(const Posterior& posterior, const StateBox& box,
                             const DesignOptions& options);

}  // namespace gpode
