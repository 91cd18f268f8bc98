// Adam (Kingma and Ba, 2015), maximising, and the learning rate over a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

// All of its state is open: checkpoints take it out and put it back.
struct Adam {
  explicit Adam(std::size_t size) : first_moment(size, 0.0), second_moment(size, 0.0) {}

  // parameters += a step up the gradient, with the learning rate `rate` times each one's share.
  void Step(std::span<const double> gradient, double rate, std::span<const double> shares,
            std::span<double> parameters);

  // The same for `size` parameters from `offset` on, whose `count`-th update this is. Parameters
  // that a minibatch does not touch are left out, moments and all: each one's updates are those of
  // plain Adam on the gradients that it had. That needs its own count: corrected by the number of
  // steps that others had, the first updates of a rarely touched one would be three times too long.
  void Update(std::size_t offset, std::size_t size, double count, std::span<const double> gradient,
              double rate, std::span<const double> shares, std::span<double> parameters);

  bool operator==(const Adam&) const = default;

  std::vector<double> first_moment, second_moment;
  std::size_t steps = 0;
};

// Linear warm-up to `peak`, then half a cosine down to zero.
double CosineRate(double peak, std::size_t step, std::size_t warm_up, std::size_t steps);

}  // namespace gpode
