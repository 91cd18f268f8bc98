// The adaptation of the No-U-Turn sampler during its warm-up: the step size changes after every
// iteration, the mass matrix at the end of every window of iterations.
#pragma once

#include <cstddef>
#include <vector>

namespace gpode {

// Dual averaging of the step size, so that the mean acceptance probability approaches a target
// (Hoffman and Gelman 2014, section 3.2, with the constants of that section).
struct DualAveraging {
  double target = 0.8;
  double centre = 0;  // logarithm of the step size that Update returns while the error is zero
  double error = 0;   // running mean of target - acceptance
  double log_average = 0;
  double count = 0;

  // Forgets all updates. The step sizes of the next ones are centred on ten times `step`, so that
  // larger steps, which cost less, are tried first.
  void Restart(double step);
  // Takes the acceptance probability that the last step size had, and returns the next step size
  // to try.
  double Update(double acceptance);
  // Returns the step size to use after the warm-up, a weighted geometric mean of those tried since
  // the last Restart.
  double Average() const;
};

// Stan's warm-up schedule: first iterations in which the chain only moves to where the target has
// most of its probability, then windows of doubling length, each of which ends with a new mass
// matrix estimated from its draws, and last iterations in which only the step size adapts.
struct WarmUpSchedule {
  std::size_t begin = 0;          // first iteration of the first window
  std::vector<std::size_t> ends;  // one past each window's last iteration; none if warm_up < 20

  explicit WarmUpSchedule(std::size_t warm_up);

  bool InWindow(std::size_t iteration) const;
  bool EndsWindow(std::size_t iteration) const;  // true for the last iteration of a window
};

}  // namespace gpode
