// Fields that depend on time and inputs, and signals to drive them, for tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "gpode/field.h"
#include "gpode/input_signal.h"

namespace gpode::testing_support {

// A driven oscillator with two inputs, one of which shakes its suspension:
//   x1' = x2,   x2' = -stiffness x1 - damping x2 + gain u1 + u2 sin(t) x1.
class DrivenOscillator final : public Field {
 public:
  DrivenOscillator(double stiffness, double damping, double gain)
      : stiffness_(stiffness), damping_(damping), gain_(gain) {}

  std::size_t dim() const override { return 2; }
  std::size_t inputs() const override { return 2; }
  std::size_t parameter_count() const override { return 3; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
    const auto& [t, x, u] = points;
    for (std::size_t p = 0; p < x.size(); p += 2) {
      f[p] = x[p + 1];
      f[p + 1] =
          -stiffness_ * x[p] - damping_ * x[p + 1] + gain_ * u[p] + u[p + 1] * std::sin(t) * x[p];
    }
  }
  void Record(const FieldPoints& points, std::span<double> f, std::span<double> r) const override {
    Value(points, f, r);
  }
  void Pullback(const FieldPoints& points, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double> bparameters) const override {
    const auto& [t, x, u] = points;
    for (std::size_t p = 0; p < x.size(); p += 2) {
      bx[p] += g[p + 1] * (u[p + 1] * std::sin(t) - stiffness_);
      bx[p + 1] += g[p] - damping_ * g[p + 1];
      bparameters[0] -= g[p + 1] * x[p];
      bparameters[1] -= g[p + 1] * x[p + 1];
      bparameters[2] += g[p + 1] * u[p];
    }
  }

 private:
  double stiffness_, damping_, gain_;
};

// U smooth inputs: u_i(t) = cos((i + 1) t).
class Cosines final : public InputSignal {
 public:
  explicit Cosines(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  void At(double t, std::span<double> u) const override {
    for (std::size_t i = 0; i < size_; ++i) u[i] = std::cos(static_cast<double>(i + 1) * t);
  }

 private:
  std::size_t size_;
};

// U inputs that jump at all multiples of 0.3 and are linear in between, with different slopes:
// u_i(t) = (-1)^k + (i + k) (t - 0.3 k) in the piece k = floor(t / 0.3).
class Sawteeth final : public InputSignal {
 public:
  explicit Sawteeth(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  void At(double t, std::span<double> u) const override { AtPiece(t, t, u); }
  void AtPiece(double t, double inside, std::span<double> u) const override {
    const double k = std::floor(inside / kPiece);
    for (std::size_t i = 0; i < size_; ++i) {
      u[i] = std::cos(k * std::numbers::pi) + (static_cast<double>(i) + k) * (t - kPiece * k);
    }
  }
  double NextBreak(double t, double direction) const override {
    double k = std::floor(t / kPiece);
    while (direction > 0 && !(kPiece * k > t)) k += 1;
    while (direction < 0 && !(kPiece * k < t)) k -= 1;
    return kPiece * k;
  }

 private:
  static constexpr double kPiece = 0.3;
  std::size_t size_;
};

}  // namespace gpode::testing_support
