// A smooth, positive and increasing function that replaces values that must be positive, such as
// the rate of a count. It is about the value itself well above zero, and small but positive below
// zero:
//
//   rate(v) = w log(1 + exp(v / w))
//
// which differs from v by less than 5e-5 w for v > 10 w.
#pragma once

#include <cmath>
#include <span>

namespace gpode {

struct SoftFloor {
  double rate, slope;  // the rate and its derivative with respect to the value
};

// The likelihoods that see a channel through a soft floor. A forecast shows the floored value, a
// rate or a median, since the value itself may be negative.
class FlooredLikelihood {
 public:
  virtual ~FlooredLikelihood() = default;
  // Returns the floored value, given the channel's parameters.
  virtual double Floored(double value, std::span<const double> p) const = 0;
};

inline SoftFloor FloorAt(double value, double width) {
  constexpr double kSmallest = 1e-300;
  const double x = value / width;
  if (x > 40) return {value, 1};
  const double rate = x < -30 ? width * std::exp(x) : width * std::log1p(std::exp(x));
  return {rate > kSmallest ? rate : kSmallest, 1 / (1 + std::exp(-x))};
}

}  // namespace gpode
