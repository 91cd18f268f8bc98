// A field whose inputs are held at constant values, so that it is autonomous.
//
//   f(x) = direction * field(t, x, u),   t and u constant, direction 1 or -1
//
// Fixed points, limit cycles and Lyapunov exponents are those of autonomous fields. With the
// direction -1, integrations follow the field backwards in time, which makes unstable limit cycles
// attract.
//
// Thread safety: like any Field. The wrapped field must outlive the object.
//
//   HeldField held(posterior.MeanField(), posterior.TypicalInputs());
#pragma once

#include <vector>

#include "gpode/field.h"

namespace gpode {

class HeldField final : public Field {
 public:
  explicit HeldField(const Field& field, Vector inputs = {}, double direction = 1, double t = 0);

  std::size_t dim() const override { return field_.dim(); }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override;
  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override;

 private:
  // Returns the inputs of n points, (n, U).
  std::vector<double> InputsOf(std::size_t n) const;

  const Field& field_;
  Vector inputs_;
  double direction_, t_;
};

}  // namespace gpode
