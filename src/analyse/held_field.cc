#include "gpode/held_field.h"

#include <algorithm>

#include "gpode/error.h"
#include "predict/jacobian_record.h"

namespace gpode {

HeldField::HeldField(const Field& field, Vector inputs, double direction, double t)
    : field_(field), inputs_(std::move(inputs)), direction_(direction), t_(t) {
  CheckSize("HeldField", "inputs", static_cast<std::size_t>(inputs_.size()), field.inputs());
}

std::size_t HeldField::record_size() const { return std::max(field_.record_size(), dim() * dim()); }

std::vector<double> HeldField::InputsOf(std::size_t n) const {
  std::vector<double> all;
  if (inputs_.size() == 0) return all;
  all.reserve(n * static_cast<std::size_t>(inputs_.size()));
  for (std::size_t i = 0; i < n; ++i) all.insert(all.end(), inputs_.begin(), inputs_.end());
  return all;
}

void HeldField::Value(const FieldPoints& points, std::span<double> f,
                      std::span<double> scratch) const {
  const std::size_t n = points.x.size() / dim();
  field_.Value({t_, points.x, InputsOf(n)}, f, scratch.first(n * field_.record_size()));
  for (double& value : f) value *= direction_;
}

void HeldField::Record(const FieldPoints& points, std::span<double> f,
                       std::span<double> record) const {
  Value(points, f, record);
  const std::size_t d = dim();
  for (std::size_t p = 0; p * d < points.x.size(); ++p) {
    Jacobian(points.Point(p, d, 0), record.subspan(p * record_size(), d * d));
  }
}

void HeldField::Pullback(const FieldPoints&, std::span<const double> record,
                         std::span<const double> g, std::span<double> bx, std::span<double>) const {
  PullbackByJacobian(dim(), record, record_size(), g, bx);
}

void HeldField::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  field_.Jacobian({t_, points.x, InputsOf(points.x.size() / dim())}, jacobian);
  for (double& value : jacobian) value *= direction_;
}

}  // namespace gpode
