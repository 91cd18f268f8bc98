// The one place where draws become wider bands. See gpode/widening.h for the formula.
#pragma once

#include <span>

namespace gpode {

// Moves draws in increasing order away from their median, as an extra normal spread of this standard
// deviation does; their order and their median stay. The level of draw s of S is (s + 1/2) / S, and
// the normal quantiles of these levels are scaled to unit variance.
void WidenAboutMedian(std::span<double> sorted, double deviation);

}  // namespace gpode
