// Evaluates an autonomous field at one or many states, with a workspace of its own.
//
// Thread safety: each thread needs an evaluator of its own; threads may share the field.
//
//   Evaluator evaluate(field);
//   Vector f = evaluate.At(x);
#pragma once

#include <vector>

#include "gpode/field.h"
#include "gpode/memory.h"

namespace gpode {

class Evaluator {
 public:
  explicit Evaluator(const Field& field) : field_(field) {}

  std::size_t dim() const { return field_.dim(); }
  const Field& field() const { return field_; }

  Vector At(const Vector& x) {
    Vector f(x.size());
    Evaluate(x, f);
    return f;
  }
  // Returns the values (n, D) at the rows of states (n, D).
  Matrix At(const Matrix& states) {
    Matrix f(states.rows(), states.cols());
    Evaluate(states, f);
    return f;
  }
  Matrix JacobianAt(const Vector& x) const {
    Matrix jacobian(x.size(), x.size());
    field_.Jacobian(std::span<const double>(x.data(), dim()), {jacobian.data(), dim() * dim()});
    return jacobian;
  }

 private:
  template <typename In, typename Out>
  void Evaluate(const In& x, Out& f) {
    const auto size = static_cast<std::size_t>(x.size());
    const std::size_t needed = size / dim() * field_.record_size();
    if (scratch_.size() < needed) scratch_.resize(needed);
    field_.Value(std::span<const double>(x.data(), size), {f.data(), size},
                 {scratch_.data(), needed});
  }

  const Field& field_;
  AlignedVector<double> scratch_;
};

}  // namespace gpode
