// The memory of a record. The solver fills it in solver.cc, and adjoint.cc reads it.
#include <algorithm>

#include "gpode/ode.h"

namespace gpode {

void SolveRecord::Begin(const Field& field, const Stepper& stepper, std::size_t n) {
  stepper_ = &stepper;
  evaluations_.Begin(field, n);
  step_memory_size_ = stepper.memory_size(field, n);
  used_ = 0;
  steps_.clear();
  outputs_.clear();
}

void SolveRecord::Reserve(const Field& field, Method method, std::size_t n, std::size_t steps) {
  const Stepper& stepper = GetStepper(method);
  Begin(field, stepper, n);
  evaluations_.Reserve((steps + 1) * std::max<std::size_t>(stepper.most_evaluations(), 2));
  step_memory_.reserve((steps + 1) * step_memory_size_);
  steps_.reserve(steps);
  outputs_.reserve(steps);
}

}  // namespace gpode
