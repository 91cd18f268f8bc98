// Widens draws so that their quantiles are those of a widened band. All widening of forecasts and
// scores is done here; see gpode/widening.h for the formula.
#pragma once

#include <span>

#include "gpode/link.h"

namespace gpode {

// Moves draws, which are in increasing order, away from their median, as independent normal errors
// of this standard deviation would widen their distribution. Order and median stay the same. Draw s
// of S (from 0) is taken as the quantile of level (s + 1/2) / S; the normal quantiles z of these
// levels are scaled to unit variance.
// With a link, the draws are those of a channel in the user's units, and the deviation is that on
// the scale of the link.
void WidenAboutMedian(std::span<double> sorted, double deviation, Link link = Link::kIdentity);

}  // namespace gpode
