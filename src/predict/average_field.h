// The mean of several fields, as a field: of draws whose mean has no closed form.
#pragma once

#include <memory>
#include <vector>

#include "gpode/field.h"

namespace gpode {

class AverageField final : public Field {
 public:
  explicit AverageField(std::vector<std::unique_ptr<const Field>> fields);

  std::size_t dim() const override { return fields_[0]->dim(); }
  std::size_t inputs() const override { return fields_[0]->inputs(); }
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
  std::vector<std::unique_ptr<const Field>> fields_;  // at least one, of the same kind
};

}  // namespace gpode
