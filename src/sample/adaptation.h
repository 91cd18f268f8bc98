// What the warm-up of a sampler adapts: the step size all the time, the mass matrix at the ends of
// windows.
#pragma once

#include <cstddef>
#include <vector>

namespace gpode {

// Step sizes whose mean acceptance approaches a target (Hoffman and Gelman 2014, section 3.2, with
// the constants given there).
class DualAveraging {
 public:
  explicit DualAveraging(double target) : target_(target) {}

  // Begins again around `step`.
  void Restart(double step);
  // Learns from the acceptance that the last step had, and returns the next step to try.
  double Update(double acceptance);
  // The step to go on with: a weighted mean of those tried.
  double Average() const;

 private:
  double target_;
  double centre_ = 0;  // log of where steps are drawn to
  double error_ = 0;   // running mean of target - acceptance
  double log_average_ = 0;
  double count_ = 0;
};

// Stan's schedule: a buffer in which the chain finds the bulk of the target, windows of doubling
// length each of which ends with a new mass matrix, a buffer in which the step size settles.
struct WarmUpSchedule {
  std::size_t begin = 0;          // first iteration whose draw counts for a mass matrix
  std::vector<std::size_t> ends;  // one past the last iteration of each window; may be empty

  explicit WarmUpSchedule(std::size_t warm_up);

  bool InWindow(std::size_t iteration) const;
  bool EndsWindow(std::size_t iteration) const;  // a window's last iteration
};

}  // namespace gpode
