// Oscillators among the systems with known equations (gpode/systems.h). The paper's two are in
// systems.cc.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpode/systems.h"

namespace gpode {
namespace {

constexpr double Cube(double x) { return x * x * x; }

// The value (1 + tanh((v - middle) / width)) / 2 and its derivative with respect to v.
struct Activation {
  double value, slope;
};

Activation ActivationAt(double v, double middle, double width) {
  const double t = std::tanh((v - middle) / width);
  return {0.5 * (1 + t), 0.5 * (1 - t * t) / width};
}

Activation Calcium(double v) { return ActivationAt(v, -0.01, 0.15); }
Activation Potassium(double v) { return ActivationAt(v, 0.1, 0.145); }

constexpr double kRateMiddle = 0.1, kRateWidth = 0.29;
constexpr double kLeakRest = -0.5, kPotassiumRest = -0.7, kCalciumRest = 1.0;

}  // namespace

Duffing::Duffing(double stiffness, double cubic, double damping)
    : System("Duffing", 2, {"stiffness", "cubic", "damping"}, {stiffness, cubic, damping}) {}

void Duffing::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = x[1];
  f[1] = -parameter(0) * x[0] - parameter(1) * Cube(x[0]) - parameter(2) * x[1];
}

void Duffing::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  jacobian[0] = 0;
  jacobian[1] = 1;
  jacobian[2] = -parameter(0) - 3 * parameter(1) * x[0] * x[0];
  jacobian[3] = -parameter(2);
}

void Duffing::PullParametersAt(std::span<const double> x, std::span<const double> g,
                               std::span<double> bparameters) const {
  bparameters[0] -= g[1] * x[0];
  bparameters[1] -= g[1] * Cube(x[0]);
  bparameters[2] -= g[1] * x[1];
}

CubicSpiral::CubicSpiral(double decay, double rotation)
    : System("CubicSpiral", 2, {"decay", "rotation"}, {decay, rotation}) {}

void CubicSpiral::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double a = Cube(x[0]), b = Cube(x[1]);
  f[0] = -parameter(0) * a + parameter(1) * b;
  f[1] = -parameter(1) * a - parameter(0) * b;
}

void CubicSpiral::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double a = 3 * x[0] * x[0], b = 3 * x[1] * x[1];
  jacobian[0] = -parameter(0) * a;
  jacobian[1] = parameter(1) * b;
  jacobian[2] = -parameter(1) * a;
  jacobian[3] = -parameter(0) * b;
}

void CubicSpiral::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                   std::span<double> bparameters) const {
  const double a = Cube(x[0]), b = Cube(x[1]);
  bparameters[0] -= g[0] * a + g[1] * b;
  bparameters[1] += g[0] * b - g[1] * a;
}

Brusselator::Brusselator(double a, double b) : System("Brusselator", 2, {"a", "b"}, {a, b}) {}

void Brusselator::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double reaction = x[0] * x[0] * x[1];
  f[0] = parameter(0) + reaction - (parameter(1) + 1) * x[0];
  f[1] = parameter(1) * x[0] - reaction;
}

void Brusselator::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double b = parameter(1);
  jacobian[0] = 2 * x[0] * x[1] - (b + 1);
  jacobian[1] = x[0] * x[0];
  jacobian[2] = b - 2 * x[0] * x[1];
  jacobian[3] = -x[0] * x[0];
}

void Brusselator::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                   std::span<double> bparameters) const {
  bparameters[0] += g[0];
  bparameters[1] += (g[1] - g[0]) * x[0];
}

Selkov::Selkov(double a, double b) : System("Selkov", 2, {"a", "b"}, {a, b}) {}

void Selkov::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double reaction = parameter(0) * x[1] + x[0] * x[0] * x[1];
  f[0] = -x[0] + reaction;
  f[1] = parameter(1) - reaction;
}

void Selkov::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  jacobian[0] = -1 + 2 * x[0] * x[1];
  jacobian[1] = parameter(0) + x[0] * x[0];
  jacobian[2] = -2 * x[0] * x[1];
  jacobian[3] = -jacobian[1];
}

void Selkov::PullParametersAt(std::span<const double> x, std::span<const double> g,
                              std::span<double> bparameters) const {
  bparameters[0] += (g[0] - g[1]) * x[1];
  bparameters[1] += g[1];
}

MorrisLecar::MorrisLecar(double current, double calcium, double potassium, double leak, double rate)
    : System("MorrisLecar", 2, {"current", "calcium", "potassium", "leak", "rate"},
             {current, calcium, potassium, leak, rate}) {}

void MorrisLecar::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double v = x[0], w = x[1];
  f[0] = parameter(0) - parameter(3) * (v - kLeakRest) - parameter(2) * w * (v - kPotassiumRest) -
         parameter(1) * Calcium(v).value * (v - kCalciumRest);
  f[1] = parameter(4) * std::cosh((v - kRateMiddle) / kRateWidth) * (Potassium(v).value - w);
}

void MorrisLecar::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double v = x[0], w = x[1], rate = parameter(4), at = (v - kRateMiddle) / kRateWidth;
  const Activation m = Calcium(v), n = Potassium(v);
  jacobian[0] =
      -parameter(3) - parameter(2) * w - parameter(1) * (m.slope * (v - kCalciumRest) + m.value);
  jacobian[1] = -parameter(2) * (v - kPotassiumRest);
  jacobian[2] = rate * (std::sinh(at) / kRateWidth * (n.value - w) + std::cosh(at) * n.slope);
  jacobian[3] = -rate * std::cosh(at);
}

void MorrisLecar::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                   std::span<double> bparameters) const {
  const double v = x[0], w = x[1];
  bparameters[0] += g[0];
  bparameters[1] -= g[0] * Calcium(v).value * (v - kCalciumRest);
  bparameters[2] -= g[0] * w * (v - kPotassiumRest);
  bparameters[3] -= g[0] * (v - kLeakRest);
  bparameters[4] += g[1] * std::cosh((v - kRateMiddle) / kRateWidth) * (Potassium(v).value - w);
}

Rossler::Rossler(double a, double b, double c) : System("Rossler", 3, {"a", "b", "c"}, {a, b, c}) {}

void Rossler::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = -x[1] - x[2];
  f[1] = x[0] + parameter(0) * x[1];
  f[2] = parameter(1) + x[2] * (x[0] - parameter(2));
}

void Rossler::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const std::array<double, 9> rows = {0.0,  -1.0,         -1.0,  //
                                      1.0,  parameter(0), 0.0,   //
                                      x[2], 0.0,          x[0] - parameter(2)};
  std::copy(rows.begin(), rows.end(), jacobian.begin());
}

void Rossler::PullParametersAt(std::span<const double> x, std::span<const double> g,
                               std::span<double> bparameters) const {
  bparameters[0] += g[1] * x[1];
  bparameters[1] += g[2];
  bparameters[2] -= g[2] * x[2];
}

}  // namespace gpode
