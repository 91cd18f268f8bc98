// A smooth, positive and increasing function that replaces values that must be positive, such as
// the rate of a count. It is about the value itself well above zero, and small but positive below
// zero:
//
//   rate(v) = w log(1 + exp(v / w))
//
// which differs from v by less than 5e-5 w for v > 10 w.
#pragma once

#include <cmath>

namespace gpode {

struct SoftFloor {
  double rate, slope;  // the rate and its derivative with respect to the value
};

inline SoftFloor FloorAt(double value, double width) {
  constexpr double kSmallest = 1e-300;
  const double x = value / width;
  if (x > 40) return {value, 1};
  const double rate = x < -30 ? width * std::exp(x) : width * std::log1p(std::exp(x));
  return {rate > kSmallest ? rate : kSmallest, 1 / (1 + std::exp(-x))};
}

}  // namespace gpode
