#include "predict/widen.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantile.h"
#include "sample/chain_statistics.h"

namespace gpode {
namespace {

// Returns the normal quantiles of the levels (s + 1/2) / count, s = 0 .. count - 1, scaled to unit
// variance. The last result of each thread is cached, since most values of a forecast have the same
// number of draws.
const std::vector<double>& ScoresOfLevels(std::size_t count) {
  thread_local std::vector<double> scores;
  if (scores.size() == count) return scores;
  scores.resize(count);
  double squares = 0;
  for (std::size_t s = 0; s < count / 2; ++s) {
    const double z = NormalQuantile((static_cast<double>(s) + 0.5) / static_cast<double>(count));
    scores[s] = z;
    scores[count - 1 - s] = -z;
    squares += 2 * z * z;
  }
  if (count % 2 == 1) scores[count / 2] = 0;
  if (squares > 0) {
    const double scale = std::sqrt(static_cast<double>(count) / squares);
    for (double& z : scores) z *= scale;
  }
  return scores;
}

}  // namespace

void WidenAboutMedian(std::span<double> sorted, double deviation, Link link) {
  if (!(deviation > 0) || sorted.size() < 2) return;
  if (link != Link::kIdentity) {
    for (double& value : sorted) value = ToLink(link, value);
    WidenAboutMedian(sorted, deviation);
    for (double& value : sorted) value = FromLink(link, value);
    return;
  }
  const double median = SortedQuantile(sorted, 0.5);
  if (!std::isfinite(median)) return;
  const std::vector<double>& scores = ScoresOfLevels(sorted.size());
  for (std::size_t s = 0; s < sorted.size(); ++s) {
    const double away = std::hypot(sorted[s] - median, scores[s] * deviation);
    sorted[s] = scores[s] < 0 ? median - away : median + away;
  }
}

}  // namespace gpode
