// A drawn or mean field in the user's units. The draw itself is made in field/gp_draw.cc.
#include <algorithm>
#include <vector>

#include "gpode/error.h"
#include "gpode/posterior.h"
#include "predict/jacobian_record.h"

namespace gpode {
namespace {

// Returns the inputs at n points, (n, U) for U inputs, in the model's units.
std::vector<double> InputsToModel(const Coordinates& coordinates, std::span<const double> inputs) {
  std::vector<double> result(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i % coordinates.inputs());
    result[i] = (inputs[i] - coordinates.input_offset[k]) / coordinates.input_scale[k];
  }
  return result;
}

}  // namespace

PosteriorField::PosteriorField(std::shared_ptr<const void> owner, const Field& field,
                               Coordinates coordinates)
    : owner_(std::move(owner)), field_(field), coordinates_(std::move(coordinates)) {
  GPODE_CHECK(coordinates_.dim() == dim());
}

// The memory of the points is used twice. While Value runs, its beginning is the scratch memory of
// the drawn field, which is therefore aligned like the caller's memory, and its end holds the
// points in the model's coordinates. Between Record and Pullback, it holds the Jacobians.
std::size_t PosteriorField::record_size() const {
  return std::max(field_.record_size(), dim() * dim()) + dim();
}

void PosteriorField::Value(const FieldPoints& at, std::span<double> f,
                           std::span<double> scratch) const {
  const std::size_t d = dim(), n = at.x.size() / d;
  GPODE_CHECK(at.x.size() == n * d && f.size() == at.x.size());
  GPODE_CHECK(scratch.size() >= n * record_size());
  const std::span<double> inner = scratch.first(n * field_.record_size());
  const std::span<double> z = scratch.subspan(scratch.size() - n * d);
  coordinates_.ToModel(at.x, z);
  field_.Value({coordinates_.TimeToModel(at.t, 0), z, InputsToModel(coordinates_, at.u)}, f, inner);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] *= coordinates_.SlopeUnit(i % d);
}

void PosteriorField::Record(const FieldPoints& at, std::span<double> f,
                            std::span<double> record) const {
  Value(at, f, record);
  const std::size_t d = dim(), size = record_size();
  for (std::size_t p = 0; p * d < at.x.size(); ++p) {
    Jacobian(at.Point(p, d, inputs()), record.subspan(p * size, d * d));
  }
}

void PosteriorField::Pullback(const FieldPoints& at, std::span<const double> record,
                              std::span<const double> g, std::span<double> bx,
                              std::span<double>) const {
  GPODE_CHECK(g.size() == at.x.size() && bx.size() == at.x.size());
  PullbackByJacobian(dim(), record, record_size(), g, bx);
}

void PosteriorField::Jacobian(const FieldPoints& at, std::span<double> jacobian) const {
  const std::size_t d = dim();
  GPODE_CHECK(at.x.size() % d == 0 && jacobian.size() == at.x.size() * d);
  std::vector<double> z(at.x.size());
  coordinates_.ToModel(at.x, z);
  field_.Jacobian({coordinates_.TimeToModel(at.t, 0), z, InputsToModel(coordinates_, at.u)},
                  jacobian);
  coordinates_.JacobiansToUser(jacobian);
}

}  // namespace gpode
