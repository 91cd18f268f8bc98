#include <algorithm>

#include "gpode/ode.h"
#include "ode/tableau.h"

namespace gpode {
namespace {

constexpr std::size_t kCacheLine = 64 / sizeof(double);

std::size_t RoundUp(std::size_t n) { return (n + kCacheLine - 1) / kCacheLine * kCacheLine; }

}  // namespace

void SolveRecord::Begin(const Field& field, std::size_t n) {
  size_ = n * field.dim();
  padded_ = RoundUp(size_);
  record_size_ = n * field.record_size();
  record_padded_ = RoundUp(record_size_);
  inputs_ = n * field.inputs();
  stride_ = 2 * padded_ + record_padded_ + RoundUp(inputs_);
  evaluations_ = 0;
  steps_.clear();
  outputs_.clear();
}

void SolveRecord::Grow(std::size_t evaluations) {
  const std::size_t needed = evaluations * stride_;
  if (needed > memory_.size()) memory_.resize(std::max(needed, memory_.size() * 3 / 2));
  if (evaluations > times_.size()) times_.resize(std::max(evaluations, times_.size() * 3 / 2));
}

void SolveRecord::Reserve(const Field& field, Method method, std::size_t n, std::size_t steps) {
  Begin(field, n);
  Grow((steps + 1) * GetTableau(method).all_stages);
  steps_.reserve(steps);
  outputs_.reserve(steps);
}

}  // namespace gpode
