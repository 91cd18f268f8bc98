// The classes through which a stepper evaluates the field (Step) and its pullback (StepReverse).
// See stepper.h. The methods themselves are in runge_kutta.cc.
#include <algorithm>

#include "gpode/stepper.h"
#include "ode/spans.h"
#include "ode/step_control.h"

namespace gpode {
namespace {

constexpr std::size_t kCacheLine = 64 / sizeof(double);

std::size_t RoundUp(std::size_t n) { return (n + kCacheLine - 1) / kCacheLine * kCacheLine; }

}  // namespace

void EvaluationMemory::Begin(const Field& field, std::size_t n) {
  size_ = n * field.dim();
  record_size_ = n * field.record_size();
  inputs_ = n * field.inputs();
  slope_ = RoundUp(size_);
  record_ = slope_ + RoundUp(size_);
  input_ = record_ + RoundUp(record_size_);
  stride_ = input_ + RoundUp(inputs_);
}

void EvaluationMemory::Reserve(std::size_t count) {
  const std::size_t needed = count * stride_;
  if (needed > memory_.size()) memory_.resize(std::max(needed, memory_.size() * 3 / 2));
  if (count > times_.size()) times_.resize(std::max(count, times_.size() * 3 / 2));
}

void EvaluationMemory::SetInputs(std::size_t e, double t, double inside,
                                 const InputSignal& signal) {
  const std::size_t each = signal.size();
  const std::span<double> u = Inputs(e);
  signal.AtPiece(t, inside, u.first(each));
  for (std::size_t i = each; i < inputs_; ++i) u[i] = u[i - each];
}

void Step::Evaluate(std::size_t i, double t) {
  const std::size_t e = Index(i);
  memory_->SetTime(e, t, inside_, inputs_);
  const FieldPoints points = memory_->Points(e);
  if (keeps_) {
    field_->Record(points, memory_->Slope(e), memory_->Record(e));
  } else {
    field_->Value(points, memory_->Slope(e), memory_->Record(e));
  }
  evaluations_ = i + 1;
  ++made_;
}

double Step::ErrorNorm(std::span<const double> e) const {
  return gpode::ErrorNorm(e, x_, next_, field_->dim(), atol_, rtol_);
}

std::span<const double> StepReverse::Pullback(std::size_t i) {
  if (AllZero(bslope(i))) return {};
  std::fill(bstate_.begin(), bstate_.end(), 0.0);
  const std::size_t e = Index(i);
  field_->Pullback(memory_->Points(e), memory_->Record(e), bslope(i), bstate_, bparameters_);
  return bstate_;
}

}  // namespace gpode
