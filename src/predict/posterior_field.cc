#include <algorithm>
#include <vector>

#include "gpode/error.h"
#include "gpode/posterior.h"
#include "predict/jacobian_record.h"

namespace gpode {

PosteriorField::PosteriorField(std::unique_ptr<const Field> draw, Vector scale, Vector offset,
                               double time_scale)
    : draw_(std::move(draw)),
      scale_(std::move(scale)),
      offset_(std::move(offset)),
      time_scale_(time_scale) {
  const auto d = static_cast<Eigen::Index>(dim());
  GPODE_CHECK(scale_.size() == d && offset_.size() == d);
}

// What the draw itself needs comes first, where it is as well aligned as the caller's memory; then
// a point in the model's coordinates. Between Record and Pullback it holds the Jacobian.
std::size_t PosteriorField::record_size() const {
  return std::max(draw_->record_size(), dim() * dim()) + dim();
}

void PosteriorField::Value(const FieldPoints& points, std::span<double> f,
                           std::span<double> scratch) const {
  const std::span<const double> x = points.x;
  const std::size_t d = dim(), n = x.size() / d;
  GPODE_CHECK(x.size() == n * d && f.size() == x.size() && scratch.size() >= n * record_size());
  const std::span<double> inner = scratch.first(n * draw_->record_size());
  const std::span<double> z = scratch.subspan(scratch.size() - n * d);
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = (x[i] - offset_[i % d]) / scale_[i % d];
  draw_->Value(z, f, inner);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= scale_[i % d] / time_scale_;
}

void PosteriorField::Record(const FieldPoints& points, std::span<double> f,
                            std::span<double> record) const {
  const std::span<const double> x = points.x;
  Value(x, f, record);
  const std::size_t d = dim(), size = record_size();
  for (std::size_t p = 0; p * d < x.size(); ++p) {
    Jacobian(x.subspan(p * d, d), record.subspan(p * size, d * d));
  }
}

void PosteriorField::Pullback(const FieldPoints& points, std::span<const double> record,
                              std::span<const double> g, std::span<double> bx,
                              std::span<double>) const {
  GPODE_CHECK(g.size() == points.x.size() && bx.size() == points.x.size());
  PullbackByJacobian(dim(), record, record_size(), g, bx);
}

void PosteriorField::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  const std::span<const double> x = points.x;
  const std::size_t d = dim();
  GPODE_CHECK(x.size() % d == 0 && jacobian.size() == x.size() * d);
  std::vector<double> z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = (x[i] - offset_[i % d]) / scale_[i % d];
  draw_->Jacobian(z, jacobian);
  for (std::size_t i = 0; i < jacobian.size(); ++i) {
    jacobian[i] *= scale_[i / d % d] / (scale_[i % d] * time_scale_);
  }
}

}  // namespace gpode
