// The adaptation of the No-U-Turn sampler during the warm-up: the step size changes after every
// iteration, the mass matrix at the end of every window.
#pragma once

#include <cstddef>
#include <vector>

namespace gpode {

// Dual averaging of the step size, so that the mean acceptance approaches a target (Hoffman and
// Gelman 2014, section 3.2, with the constants given there).
class DualAveraging {
 public:
  explicit DualAveraging(double target) : target_(target) {}

  // Starts over, around the step size `step`.
  void Restart(double step);
  // Takes the acceptance of the last step size and returns the next step size to try.
  double Update(double acceptance);
  // Returns the step size to use after the warm-up, a weighted geometric mean of those tried.
  double Average() const;

 private:
  double target_;
  double centre_ = 0;  // logarithm of the step size that the iterates shrink towards
  double error_ = 0;   // running mean of target - acceptance
  double log_average_ = 0;
  double count_ = 0;
};

// Stan's warm-up schedule: a buffer in which the chain finds the bulk of the target, windows of
// doubling length that each end with a new mass matrix, and a buffer in which the step size
// settles.
struct WarmUpSchedule {
  std::size_t begin = 0;          // first iteration whose draw is used for a mass matrix
  std::vector<std::size_t> ends;  // one past the last iteration of each window; may be empty

  explicit WarmUpSchedule(std::size_t warm_up);

  bool InWindow(std::size_t iteration) const;
  bool EndsWindow(std::size_t iteration) const;  // true for the last iteration of a window
};

}  // namespace gpode
