#include "predict/average_field.h"

#include <algorithm>

#include "gpode/error.h"
#include "predict/jacobian_record.h"

namespace gpode {

AverageField::AverageField(std::vector<std::unique_ptr<FunctionDraw>> draws)
    : draws_(std::move(draws)) {
  GPODE_CHECK(!draws_.empty());
  for (const auto& draw : draws_) fields_.push_back(&draw->field());
}

// The memory of a point is used twice. While Value runs, it is the scratch memory of one of the
// fields, followed by that field's value. Between Record and Pullback, it holds the Jacobian of the
// mean.
std::size_t AverageField::record_size() const {
  return std::max(fields_[0]->record_size() + dim(), dim() * dim());
}

void AverageField::Value(const FieldPoints& at, std::span<double> f,
                         std::span<double> scratch) const {
  const std::size_t n = at.x.size() / dim();
  const std::span<double> inner = scratch.first(n * fields_[0]->record_size());
  const std::span<double> value = scratch.subspan(scratch.size() - at.x.size());
  const double share = 1.0 / static_cast<double>(fields_.size());
  std::fill(f.begin(), f.end(), 0.0);
  for (const Field* field : fields_) {
    field->Value(at, value, inner);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += share * value[i];
  }
}

void AverageField::Record(const FieldPoints& at, std::span<double> f,
                          std::span<double> record) const {
  Value(at, f, record);
  const std::size_t d = dim(), size = record_size();
  for (std::size_t p = 0; p * d < at.x.size(); ++p) {
    Jacobian(at.Point(p, d, inputs()), record.subspan(p * size, d * d));
  }
}

void AverageField::Pullback(const FieldPoints& at, std::span<const double> record,
                            std::span<const double> g, std::span<double> bx,
                            std::span<double>) const {
  GPODE_CHECK(g.size() == at.x.size() && bx.size() == at.x.size());
  PullbackByJacobian(dim(), record, record_size(), g, bx);
}

void AverageField::Jacobian(const FieldPoints& at, std::span<double> jacobian) const {
  std::vector<double> own(jacobian.size());
  const double share = 1.0 / static_cast<double>(fields_.size());
  std::fill(jacobian.begin(), jacobian.end(), 0.0);
  for (const Field* field : fields_) {
    field->Jacobian(at, own);
    for (std::size_t i = 0; i < jacobian.size(); ++i) jacobian[i] += share * own[i];
  }
}

}  // namespace gpode
