// A field together with its variational equation,
//
//   x' = f(x),   Y' = J(x) Y,   J = df/dx,
//
// as a field of D + D K states: x, then the matrix Y (D, K) row by row. If Y starts as the
// identity, it becomes the derivative of the state with respect to its start.
//
// Solvers evaluate it and never differentiate it: Record and Pullback are not to be called.
//
// Thread safety: like any Field. The field must outlive the object.
//
//   VariationalField both(field, 2);
//   solver.Solve(both, both.Start(x, Matrix::Identity(2, 2)), 0, times, states);
#pragma once

#include "gpode/error.h"
#include "gpode/field.h"

namespace gpode {

class VariationalField final : public Field {
 public:
  VariationalField(const Field& field, std::size_t columns) : field_(field), columns_(columns) {}

  std::size_t dim() const override { return field_.dim() * (1 + columns_); }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override {
    return field_.record_size() + field_.dim() * field_.dim();
  }

  // Returns the state of this field that consists of x (D) and y (D, K).
  Vector Start(const Vector& x, const Matrix& y) const {
    Vector start(x.size() + y.size());
    start << x, Eigen::Map<const Vector>(y.data(), y.size());
    return start;
  }
  // Returns the matrix Y (D, K) in a state of this field.
  Matrix MatrixOf(const Vector& state) const {
    const auto d = static_cast<Eigen::Index>(field_.dim());
    return Eigen::Map<const Matrix>(state.data() + d, d, static_cast<Eigen::Index>(columns_));
  }

  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override {
    const std::size_t size = dim(), d = field_.dim();
    const auto rows = static_cast<Eigen::Index>(d), columns = static_cast<Eigen::Index>(columns_);
    for (std::size_t p = 0; p * size < f.size(); ++p) {
      const std::span<const double> state = points.x.subspan(p * size, size);
      const std::span<double> slope = f.subspan(p * size, size);
      field_.Value(state.first(d), slope.first(d), scratch.first(field_.record_size()));
      const std::span<double> jacobian = scratch.subspan(field_.record_size(), d * d);
      field_.Jacobian(state.first(d), jacobian);
      Eigen::Map<Matrix>(slope.data() + d, rows, columns).noalias() =
          Eigen::Map<const Matrix>(jacobian.data(), rows, rows) *
          Eigen::Map<const Matrix>(state.data() + d, rows, columns);
    }
  }
  void Record(const FieldPoints&, std::span<double>, std::span<double>) const override {
    GPODE_CHECK(false);
  }
  void Pullback(const FieldPoints&, std::span<const double>, std::span<const double>,
                std::span<double>, std::span<double>) const override {
    GPODE_CHECK(false);
  }

 private:
  const Field& field_;
  std::size_t columns_;
};

}  // namespace gpode
