// Functions for any field. The paper's f(x) ~ q(f) is drawn in gp_draw.cc, and the ODE is
// integrated in ode/solver.cc.
#include "gpode/field.h"

#include <algorithm>
#include <vector>

#include "gpode/error.h"

namespace gpode {
namespace {

template <typename Dense>
std::span<const double> Entries(const Dense& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

}  // namespace

void Field::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  const std::size_t d = dim();
  const std::size_t n = points.x.size() / d;
  std::vector<double> f(d), record(record_size()), g(d), bparameters(parameter_count());
  for (std::size_t p = 0; p < n; ++p) {
    const FieldPoints point = points.Point(p, d, inputs());
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

Matrix Evaluate(const Field& field, const Matrix& states, double t, const Matrix& inputs) {
  CheckSize("Evaluate", "a row of states", states.cols(), field.dim());
  CheckSize("Evaluate", "inputs", inputs.size(), states.rows() * field.inputs());
  Matrix values(states.rows(), states.cols());
  std::vector<double> scratch(states.rows() * field.record_size());
  field.Value({t, Entries(states), Entries(inputs)},
              {values.data(), static_cast<std::size_t>(values.size())}, scratch);
  return values;
}

Matrix EvaluateJacobian(const Field& field, const Vector& state, double t, const Vector& inputs) {
  CheckSize("EvaluateJacobian", "state", state.size(), field.dim());
  CheckSize("EvaluateJacobian", "inputs", inputs.size(), field.inputs());
  Matrix jacobian(field.dim(), field.dim());
  field.Jacobian({t, Entries(state), Entries(inputs)},
                 {jacobian.data(), static_cast<std::size_t>(jacobian.size())});
  return jacobian;
}

}  // namespace gpode
