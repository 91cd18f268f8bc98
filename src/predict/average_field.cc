#include "predict/average_field.h"

#include <algorithm>

#include "gpode/error.h"
#include "predict/jacobian_record.h"

namespace gpode {

AverageField::AverageField(std::vector<std::unique_ptr<const Field>> fields)
    : fields_(std::move(fields)) {
  GPODE_CHECK(!fields_.empty());
}

// What one of the fields needs, then its value. Between Record and Pullback: the Jacobian.
std::size_t AverageField::record_size() const {
  return std::max(fields_[0]->record_size() + dim(), dim() * dim());
}

void AverageField::Value(const FieldPoints& points, std::span<double> f,
                         std::span<double> scratch) const {
  const std::span<const double> x = points.x;
  const std::size_t n = x.size() / dim();
  const std::span<double> inner = scratch.first(n * fields_[0]->record_size());
  const std::span<double> value = scratch.subspan(scratch.size() - x.size());
  const double share = 1.0 / static_cast<double>(fields_.size());
  std::fill(f.begin(), f.end(), 0.0);
  for (const auto& field : fields_) {
    field->Value(points, value, inner);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += share * value[i];
  }
}

void AverageField::Record(const FieldPoints& points, std::span<double> f,
                          std::span<double> record) const {
  Value(points, f, record);
  const std::size_t d = dim(), size = record_size();
  for (std::size_t p = 0; p * d < points.x.size(); ++p) {
    Jacobian(points.Point(p, d, inputs()), record.subspan(p * size, d * d));
  }
}

void AverageField::Pullback(const FieldPoints& points, std::span<const double> record,
                            std::span<const double> g, std::span<double> bx,
                            std::span<double>) const {
  GPODE_CHECK(g.size() == points.x.size() && bx.size() == points.x.size());
  PullbackByJacobian(dim(), record, record_size(), g, bx);
}

void AverageField::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  std::vector<double> own(jacobian.size());
  const double share = 1.0 / static_cast<double>(fields_.size());
  std::fill(jacobian.begin(), jacobian.end(), 0.0);
  for (const auto& field : fields_) {
    field->Jacobian(points, own);
    for (std::size_t i = 0; i < jacobian.size(); ++i) jacobian[i] += share * own[i];
  }
}

}  // namespace gpode
