// The optimiser Adam (Kingma and Ba, 2015), which here maximises, and its learning rate over a run.
// Both are used in train/trainer.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

// The members are public so that checkpoints can save and restore them.
struct Adam {
  explicit Adam(std::size_t size) : first_moment(size, 0.0), second_moment(size, 0.0) {}

  // Moves the parameters up the gradient by one step. The learning rate of a parameter is `rate`
  // times its entry of `shares`.
  void Step(std::span<const double> gradient, double rate, std::span<const double> shares,
            std::span<double> parameters);

  // Updates only the `size` parameters that begin at index `offset`. This is their `count`-th
  // update. Parameters that a minibatch does not use keep their moments, so each parameter is
  // updated as plain Adam would with the gradients that it had. The bias correction therefore needs
  // the parameter's own count: with the number of all steps, the first update of a parameter that
  // is rarely used would be three times too long.
  void Update(std::size_t offset, std::size_t size, double count, std::span<const double> gradient,
              double rate, std::span<const double> shares, std::span<double> parameters);

  bool operator==(const Adam&) const = default;

  std::vector<double> first_moment, second_moment;
  std::size_t steps = 0;
};

// Returns the learning rate at `step`: a linear warm-up to `peak`, then half a cosine down to zero.
double CosineRate(double peak, std::size_t step, std::size_t warm_up, std::size_t steps);

}  // namespace gpode
