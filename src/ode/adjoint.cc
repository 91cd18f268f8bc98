// The discrete adjoint: it goes backwards through the recorded steps, with their sizes held fixed.
// See ode.h. (The paper uses the continuous adjoint of torchdiffeq.)
//
// If evaluation 0 of a step is also the closing evaluation (Stepper::closing) of the step before,
// its cotangent from both steps is summed and pulled back once, as part of the step before.
#include <algorithm>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "ode/spans.h"

namespace gpode {

void Solver::Pullback(const Field& field, const SolveRecord& record,
                      std::span<const double> bstates, std::span<double> bx0,
                      std::span<double> bparameters) {
  const std::size_t size = record.evaluations_.size();
  CheckSize("Solver::Pullback", "bx0", bx0.size(), size);
  CheckSize("Solver::Pullback", "bparameters", bparameters.size(), field.parameter_count());
  CheckSize("Solver::Pullback", "the record's inputs", record.evaluations_.inputs(),
            size / field.dim() * field.inputs());
  if (bstates.size() < record.outputs_.size() * size) {
    CheckSize("Solver::Pullback", "bstates", bstates.size(), record.outputs_.size() * size);
  }
  if (size == 0) return;  // nothing was recorded
  if (bstate_.size() < size) {
    for (AlignedVector<double>* v : {&bstate_, &bstart_, &bstage_, &pending_}) v->resize(size);
  }
  const std::size_t slopes = record.stepper_->most_evaluations() * size;
  if (bslopes_.size() < slopes) bslopes_.resize(slopes);
  if (bmemory_.size() < record.step_memory_size_) bmemory_.resize(record.step_memory_size_);

  StepReverse reverse;
  reverse.field_ = &field;
  reverse.memory_ = &record.evaluations_;
  reverse.bparameters_ = bparameters;
  reverse.bx_ = std::span(bstart_).first(size);
  reverse.bnext_ = std::span(bstate_).first(size);
  reverse.bstate_ = std::span(bstage_).first(size);
  reverse.bown_ = std::span(bmemory_).first(record.step_memory_size_);
  reverse.bslopes_ = bslopes_.data();

  std::fill_n(bstate_.begin(), size, 0.0);
  std::size_t output = record.outputs_.size();
  bool next_shares = false;
  for (std::size_t s = record.steps_.size(); s-- > 0;) {
    OpenReverse(record, s, reverse);
    for (; output > 0 && record.outputs_[output - 1].step == s; --output) {
      const double theta = record.outputs_[output - 1].theta;
      const std::span<const double> by = bstates.subspan((output - 1) * size, size);
      if (theta == 1) {
        AddScaled(1, by, reverse.bnext());
      } else {
        record.stepper_->ReverseInterpolate(reverse, theta, by);
      }
    }
    ReverseStep(record, s, next_shares, reverse);
    next_shares = record.steps_[s].shares_first;
  }
  AddScaled(1, reverse.bnext(), bx0);
  for (; output > 0; --output) AddScaled(1, bstates.subspan((output - 1) * size, size), bx0);
}

void Solver::OpenReverse(const SolveRecord& record, std::size_t s, StepReverse& reverse) {
  const SolveRecord::StepEntry& step = record.steps_[s];
  reverse.t_ = step.start;
  reverse.h_ = step.size;
  reverse.first_ = step.first;
  reverse.rest_ = step.rest;
  reverse.evaluations_ = step.evaluations;
  reverse.own_ = std::span(record.step_memory_)
                     .subspan(s * record.step_memory_size_, record.step_memory_size_);
  std::fill_n(bslopes_.begin(), step.evaluations * reverse.size(), 0.0);
  std::fill(reverse.bx_.begin(), reverse.bx_.end(), 0.0);
  std::fill(reverse.bown_.begin(), reverse.bown_.end(), 0.0);
}

// Replaces the cotangent of the step's end, in reverse.bnext(), by that of its start. If
// next_shares, pending_ holds on entry the next step's part of the cotangent of the closing
// evaluation's slope. If this step shares its evaluation 0 with the step before, pending_ holds on
// return the cotangent of that evaluation's slope.
void Solver::ReverseStep(const SolveRecord& record, std::size_t s, bool next_shares,
                         StepReverse& reverse) {
  const Stepper& stepper = *record.stepper_;
  const std::size_t size = reverse.size();
  if (next_shares) {
    AddScaled(1, std::span(pending_).first(size), reverse.bslope(stepper.closing()));
  }
  stepper.ReverseAdvance(reverse);
  if (record.steps_[s].shares_first) {
    std::copy_n(reverse.bslope(0).begin(), size, pending_.begin());
  } else {
    AddScaled(1, reverse.Pullback(0), reverse.bx());
  }
  Copy(reverse.bx(), reverse.bnext());
}

}  // namespace gpode
