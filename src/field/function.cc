// Functions as fields. The paper's f(x) ~ q(f) is drawn in gp_draw.cc.
#include "gpode/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gpode/error.h"

namespace gpode {

void Function::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  const std::size_t in = inputs(), out = outputs();
  const std::size_t n = x.size() / in;
  std::vector<double> f(out), record(record_size()), g(out), bparameters(parameter_count());
  for (std::size_t p = 0; p < n; ++p) {
    const auto point = x.subspan(p * in, in);
    Record(point, f, record);
    for (std::size_t i = 0; i < out; ++i) {
      std::fill(g.begin(), g.end(), 0.0);
      g[i] = 1.0;
      const auto row = jacobian.subspan((p * out + i) * in, in);
      std::fill(row.begin(), row.end(), 0.0);
      Pullback(point, record, g, row, bparameters);
    }
  }
}

Function::operator FunctionField() const { return FunctionField(*this); }

// Makes a shared pointer that owns nothing: copying it costs nothing, and it does not keep the
// function alive.
FunctionField::FunctionField(const Function& function)
    : FunctionField(std::shared_ptr<const Function>(std::shared_ptr<void>(), &function)) {}

FunctionField::FunctionField(std::shared_ptr<const Function> function)
    : function_(std::move(function)),
      dim_(function_->outputs()),
      inputs_(function_->inputs() - dim_) {
  const std::size_t all = function_->inputs();
  if (all < dim_) {
    ThrowInput("FunctionField", "the function",
               fmt::format("has {} inputs and {} outputs, must have at least as many inputs as "
                           "outputs",
                           all, dim_));
  }
  if (inputs_ > 0 && all > kMostInputs) {
    ThrowInput("FunctionField", "the function",
               fmt::format("has {} inputs, must have at most {}", all, kMostInputs));
  }
}

// If the field has inputs, the joined points [x, u] (n, D + U) are stored after the n records of
// the function itself.
std::size_t FunctionField::record_size() const {
  return function_->record_size() + (inputs_ == 0 ? 0 : dim_ + inputs_);
}

void FunctionField::Join(const FieldPoints& points, std::span<double> joined) const {
  const std::size_t n = points.x.size() / dim_;
  GPODE_CHECK(points.u.size() == n * inputs_);
  double* to = joined.data();
  for (std::size_t p = 0; p < n; ++p) {
    to = std::copy_n(points.x.data() + p * dim_, dim_, to);
    to = std::copy_n(points.u.data() + p * inputs_, inputs_, to);
  }
}

void FunctionField::Value(const FieldPoints& points, std::span<double> f,
                          std::span<double> scratch) const {
  if (inputs_ == 0) return function_->Value(points.x, f, scratch);
  const std::size_t n = points.x.size() / dim_, own = n * function_->record_size();
  const std::span<double> joined = scratch.subspan(own, n * (dim_ + inputs_));
  Join(points, joined);
  function_->Value(joined, f, scratch.first(own));
}

void FunctionField::Record(const FieldPoints& points, std::span<double> f,
                           std::span<double> record) const {
  if (inputs_ == 0) return function_->Record(points.x, f, record);
  const std::size_t n = points.x.size() / dim_, own = n * function_->record_size();
  const std::span<double> joined = record.subspan(own, n * (dim_ + inputs_));
  Join(points, joined);
  function_->Record(joined, f, record.first(own));
}

void FunctionField::Pullback(const FieldPoints& points, std::span<const double> record,
                             std::span<const double> g, std::span<double> bx,
                             std::span<double> bparameters) const {
  // The caller has just written the last two spans to the stack in words of 8 bytes, since there
  // are no registers left. GCC would copy such a span with one load of 16 bytes, for which the
  // processor has to wait. Building a new span makes GCC copy the two members one by one.
  const auto bstates = [&] { return std::span(bx.data(), bx.size()); };
  const auto bothers = [&] { return std::span(bparameters.data(), bparameters.size()); };
  if (inputs_ == 0) return function_->Pullback(points.x, record, g, bstates(), bothers());
  PullbackWithInputs(record, g, bstates(), bothers());
}

// This is a separate function because of its large stack frame, which would cost time even in
// fields without inputs.
void FunctionField::PullbackWithInputs(std::span<const double> record, std::span<const double> g,
                                       std::span<double> bx, std::span<double> bparameters) const {
  const std::size_t n = g.size() / dim_, all = dim_ + inputs_;
  const std::size_t each = function_->record_size();
  std::array<double, kMostInputs> buffer;
  const std::span<double> bjoined = std::span(buffer).first(all);
  for (std::size_t p = 0; p < n; ++p) {
    std::fill(bjoined.begin(), bjoined.end(), 0.0);
    function_->Pullback(record.subspan(n * each + p * all, all), record.subspan(p * each, each),
                        g.subspan(p * dim_, dim_), bjoined, bparameters);
    for (std::size_t i = 0; i < dim_; ++i) bx[p * dim_ + i] += bjoined[i];
  }
}

void FunctionField::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  if (inputs_ == 0) return function_->Jacobian(points.x, jacobian);
  const std::size_t n = points.x.size() / dim_, all = dim_ + inputs_;
  std::vector<double> joined(n * all), whole(n * dim_ * all);
  Join(points, joined);
  function_->Jacobian(joined, whole);
  for (std::size_t row = 0; row < n * dim_; ++row) {
    std::copy_n(whole.begin() + row * all, dim_, jacobian.begin() + row * dim_);
  }
}

Matrix Evaluate(const Function& function, const Matrix& points) {
  CheckSize("Evaluate", "a row of points", points.cols(), function.inputs());
  Matrix values(points.rows(), function.outputs());
  std::vector<double> scratch(points.rows() * function.record_size());
  function.Value({points.data(), static_cast<std::size_t>(points.size())},
                 {values.data(), static_cast<std::size_t>(values.size())}, scratch);
  return values;
}

Matrix EvaluateJacobian(const Function& function, const Vector& point) {
  CheckSize("EvaluateJacobian", "point", point.size(), function.inputs());
  Matrix jacobian(function.outputs(), function.inputs());
  function.Jacobian({point.data(), static_cast<std::size_t>(point.size())},
                    {jacobian.data(), static_cast<std::size_t>(jacobian.size())});
  return jacobian;
}

}  // namespace gpode
