#include "train/plateau.h"

#include <algorithm>
#include <cmath>

namespace gpode {

void Plateau::Add(double value) {
  sum += value;
  squares += value * value;
  if (++count < kWindow) return;
  const double n = static_cast<double>(count), mean = sum / n;
  const double error = std::sqrt(std::max(squares / n - mean * mean, 0.0) / n);
  const bool better = windows == 0 || mean > best + 2 * std::hypot(error, best_error);
  stale = better ? 0 : stale + 1;
  if (better) {
    best = mean;
    best_error = error;
  }
  ++windows;
  sum = squares = 0;
  count = 0;
}

}  // namespace gpode
