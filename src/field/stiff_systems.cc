// Stiff reactions among the systems with known equations (gpode/systems.h).
#include "gpode/error.h"
#include "gpode/systems.h"

namespace gpode {

Robertson::Robertson(double slow, double fast, double cross)
    : System("Robertson", 3, {"slow", "fast", "cross"}, {slow, fast, cross}) {}

void Robertson::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double first = parameter(0) * x[0], second = parameter(1) * x[1] * x[1],
               third = parameter(2) * x[1] * x[2];
  f[0] = third - first;
  f[1] = first - third - second;
  f[2] = second;
}

void Robertson::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double slow = parameter(0), twice = 2 * parameter(1) * x[1], by_b = parameter(2) * x[2],
               by_c = parameter(2) * x[1];
  const double rows[9] = {-slow, by_b, by_c, slow, -by_b - twice, -by_c, 0, twice, 0};
  for (std::size_t i = 0; i < 9; ++i) jacobian[i] = rows[i];
}

void Robertson::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                 std::span<double> bparameters) const {
  bparameters[0] += (g[1] - g[0]) * x[0];
  bparameters[1] += (g[2] - g[1]) * x[1] * x[1];
  bparameters[2] += (g[0] - g[1]) * x[1] * x[2];
}

Oregonator::Oregonator(double scale, double loss, double rate)
    : System("Oregonator", 3, {"scale", "loss", "rate"}, {scale, loss, rate}) {
  CheckPositive("Oregonator", "scale", scale);
}

void Oregonator::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = parameter(0) * (x[1] + x[0] * (1 - parameter(1) * x[0] - x[1]));
  f[1] = (x[2] - (1 + x[0]) * x[1]) / parameter(0);
  f[2] = parameter(2) * (x[0] - x[2]);
}

void Oregonator::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double s = parameter(0), rate = parameter(2);
  const double rows[9] = {s * (1 - 2 * parameter(1) * x[0] - x[1]),
                          s * (1 - x[0]),
                          0,
                          -x[1] / s,
                          -(1 + x[0]) / s,
                          1 / s,
                          rate,
                          0,
                          -rate};
  for (std::size_t i = 0; i < 9; ++i) jacobian[i] = rows[i];
}

void Oregonator::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                  std::span<double> bparameters) const {
  const double s = parameter(0);
  bparameters[0] += g[0] * (x[1] + x[0] * (1 - parameter(1) * x[0] - x[1])) -
                    g[1] * (x[2] - (1 + x[0]) * x[1]) / (s * s);
  bparameters[1] -= g[0] * s * x[0] * x[0];
  bparameters[2] += g[2] * (x[0] - x[2]);
}

}  // namespace gpode
