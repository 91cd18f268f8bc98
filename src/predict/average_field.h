// The mean of several draws as a field, for posteriors whose mean field has no closed form, such as
// sampled ones.
#pragma once

#include <memory>
#include <vector>

#include "gpode/unknown_function.h"

namespace gpode {

class AverageField final : public Field {
 public:
  // Takes at least one draw; all must be draws of the same model.
  explicit AverageField(std::vector<std::unique_ptr<FunctionDraw>> draws);

  std::size_t dim() const override { return fields_[0]->dim(); }
  std::size_t inputs() const override { return fields_[0]->inputs(); }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override;
  void Value(const FieldPoints& at, std::span<double> f, std::span<double> scratch) const override;
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> record) const override;
  void Pullback(const FieldPoints& at, std::span<const double> record, std::span<const double> g,
                std::span<double> bx, std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& at, std::span<double> jacobian) const override;

 private:
  std::vector<std::unique_ptr<FunctionDraw>> draws_;
  std::vector<const Field*> fields_;  // the fields of the draws
};

}  // namespace gpode
