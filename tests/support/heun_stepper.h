// A stepper that the library does not know: Heun's method with dense output.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "gpode/stepper.h"

namespace gpode::testing_support {

inline void Add(double scale, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += scale * from[i];
}

// Heun's method of order 2, with the difference from Euler's method as its error estimate:
//   k0 = f(t, x),  k1 = f(t + h, x + h k0),  next = x + h (k0 + k1) / 2,  error = h (k1 - k0) / 2.
// Dense output is the cubic Hermite polynomial of x, k0, next and k2 = f(t + h, next). In a step
// with dense output, k2 is the closing evaluation (Stepper::closing).
class Heun final : public Stepper {
 public:
  explicit Heun(std::string name) : name_(std::move(name)) {}

  std::string_view name() const override { return name_; }
  int order() const override { return 2; }
  bool has_error_estimate() const override { return true; }
  std::size_t most_evaluations() const override { return 3; }
  std::size_t closing() const override { return 2; }

  double Advance(Step& step) const override {
    const double h = step.h();
    Start(step.x(), step.State(1));
    Add(h, step.Slope(0), step.State(1));
    step.Evaluate(1, step.t() + h);
    Start(step.x(), step.next());
    Add(h / 2, step.Slope(0), step.next());
    Add(h / 2, step.Slope(1), step.next());
    if (!step.controlled()) return 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
      step.error()[i] = h / 2 * (step.Slope(1)[i] - step.Slope(0)[i]);
    }
    return step.ErrorNorm(step.error());
  }

  void Interpolate(Step& step, double theta, std::span<double> y) const override {
    if (step.evaluations() == 2) {
      Start(step.next(), step.State(2));
      step.Evaluate(2, step.t() + step.h());
    }
    const std::array<double, 4> w = Hermite(theta);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = w[0] * step.x()[i] + w[1] * step.h() * step.Slope(0)[i] + w[2] * step.next()[i] +
             w[3] * step.h() * step.Slope(2)[i];
    }
  }

  void ReverseInterpolate(StepReverse& step, double theta,
                          std::span<const double> by) const override {
    const std::array<double, 4> w = Hermite(theta);
    Add(w[0], by, step.bx());
    Add(w[1] * step.h(), by, step.bslope(0));
    Add(w[2], by, step.bnext());
    Add(w[3] * step.h(), by, step.bslope(2));
  }

  void ReverseAdvance(StepReverse& step) const override {
    const double h = step.h();
    if (step.evaluations() == 3) Add(1, step.Pullback(2), step.bnext());
    Add(1, step.bnext(), step.bx());
    Add(h / 2, step.bnext(), step.bslope(0));
    Add(h / 2, step.bnext(), step.bslope(1));
    const std::span<const double> bstate = step.Pullback(1);
    Add(1, bstate, step.bx());
    Add(h, bstate, step.bslope(0));
  }

 private:
  static void Start(std::span<const double> x, std::span<double> to) {
    std::copy(x.begin(), x.end(), to.begin());
  }
  // Returns the weights of x, h k0, next and h k2 in the polynomial at the share s of a step.
  static std::array<double, 4> Hermite(double s) {
    return {(1 + 2 * s) * (1 - s) * (1 - s), s * (1 - s) * (1 - s), s * s * (3 - 2 * s),
            s * s * (s - 1)};
  }

  std::string name_;
};

}  // namespace gpode::testing_support
