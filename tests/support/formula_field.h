// A field whose values a function computes, for tests. Its Jacobian comes from central differences
// of fourth order.
//
//   FormulaField field(2, [](const Vector& x) { return Vector{{x[1], -x[0]}}; });
#pragma once

#include <functional>
#include <utility>

#include "gpode/error.h"
#include "gpode/field.h"

namespace gpode {

class FormulaField final : public Field {
 public:
  using Formula = std::function<Vector(const Vector&)>;

  FormulaField(std::size_t dim, Formula formula) : dim_(dim), formula_(std::move(formula)) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
    for (std::size_t i = 0; i < f.size(); i += dim_) {
      const Vector value = formula_(At(points.x.subspan(i, dim_)));
      std::copy(value.begin(), value.end(), f.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override {
    Value(points, f, record);
  }
  void Pullback(const FieldPoints&, std::span<const double>, std::span<const double>,
                std::span<double>, std::span<double>) const override {
    GPODE_CHECK(false);
  }
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override {
    constexpr double kStep = 1e-3;
    const auto d = static_cast<Eigen::Index>(dim_);
    for (std::size_t p = 0; p * dim_ < points.x.size(); ++p) {
      Eigen::Map<Matrix> result(jacobian.data() + p * dim_ * dim_, d, d);
      for (Eigen::Index j = 0; j < d; ++j) {
        const auto moved = [&](double by) {
          Vector x = At(points.x.subspan(p * dim_, dim_));
          x[j] += by * kStep;
          return formula_(x);
        };
        result.col(j) = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * kStep);
      }
    }
  }

 private:
  Vector At(std::span<const double> x) const {
    return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(dim_));
  }

  std::size_t dim_;
  Formula formula_;
};

}  // namespace gpode
