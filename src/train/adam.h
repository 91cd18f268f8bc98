// Adam (Kingma and Ba, 2015), maximising, and the learning rate over a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

class Adam {
 public:
  explicit Adam(std::size_t size) : first_(size, 0.0), second_(size, 0.0) {}

  // parameters += a step up the gradient.
  void Step(std::span<const double> gradient, double rate, std::span<double> parameters);

  // The whole state, for checkpoints.
  std::vector<double> first_, second_;
  std::size_t steps_ = 0;
};

// Linear warm-up to `peak`, then half a cosine down to zero.
double CosineRate(double peak, std::size_t step, std::size_t warm_up, std::size_t steps);

}  // namespace gpode
