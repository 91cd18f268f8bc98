#include "gpode/field.h"

#include <vector>

#include "gpode/error.h"

namespace gpode {

void Field::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  const std::size_t d = dim();
  const std::size_t n = x.size() / d;
  std::vector<double> f(d), record(record_size()), g(d), bparameters(parameter_count());
  for (std::size_t p = 0; p < n; ++p) {
    const auto point = x.subspan(p * d, d);
    Record(point, f, record);
    for (std::size_t i = 0; i < d; ++i) {
      std::fill(g.begin(), g.end(), 0.0);
      g[i] = 1.0;
      const auto row = jacobian.subspan((p * d + i) * d, d);
      std::fill(row.begin(), row.end(), 0.0);
      Pullback(point, record, g, row, bparameters);
    }
  }
}

Matrix Evaluate(const Field& field, const Matrix& points) {
  CheckSize("Evaluate", "a row of points", points.cols(), field.dim());
  Matrix values(points.rows(), points.cols());
  std::vector<double> scratch(points.rows() * field.record_size());
  field.Value({points.data(), static_cast<std::size_t>(points.size())},
              {values.data(), static_cast<std::size_t>(values.size())}, scratch);
  return values;
}

Matrix EvaluateJacobian(const Field& field, const Vector& point) {
  CheckSize("EvaluateJacobian", "point", point.size(), field.dim());
  Matrix jacobian(field.dim(), field.dim());
  field.Jacobian({point.data(), static_cast<std::size_t>(point.size())},
                 {jacobian.data(), static_cast<std::size_t>(jacobian.size())});
  return jacobian;
}

}  // namespace gpode
