#include "sample/adaptation.h"

#include <algorithm>
#include <cmath>

namespace gpode {

void DualAveraging::Restart(double step) {
  centre = std::log(10 * step);
  error = log_average = count = 0;
}

double DualAveraging::Update(double acceptance) {
  constexpr double kShrinkage = 0.05, kDecay = 0.75, kDelay = 10;
  ++count;
  const double weight = 1 / (count + kDelay);
  error = (1 - weight) * error + weight * (target - std::min(acceptance, 1.0));
  const double log_step = centre - error * std::sqrt(count) / kShrinkage;
  const double share = std::pow(count, -kDecay);
  log_average = (1 - share) * log_average + share * log_step;
  return std::exp(log_step);
}

double DualAveraging::Average() const { return std::exp(log_average); }

WarmUpSchedule::WarmUpSchedule(std::size_t warm_up) {
  constexpr std::size_t kLeast = 20;
  if (warm_up < kLeast) return;
  std::size_t window = 25, last_buffer = 50;
  begin = 75;
  if (begin + window + last_buffer > warm_up) {
    begin = warm_up * 15 / 100;
    last_buffer = warm_up / 10;
    window = warm_up - begin - last_buffer;
  }
  const std::size_t end = warm_up - last_buffer;
  for (std::size_t at = begin; at < end; window *= 2) {
    // If a window of twice the length would not fit after this one, this one is the last and takes
    // all iterations that are left.
    at = at + 3 * window > end ? end : at + window;
    ends.push_back(at);
  }
}

bool WarmUpSchedule::InWindow(std::size_t iteration) const {
  return !ends.empty() && iteration >= begin && iteration < ends.back();
}

bool WarmUpSchedule::EndsWindow(std::size_t iteration) const {
  return std::binary_search(ends.begin(), ends.end(), iteration + 1);
}

}  // namespace gpode
