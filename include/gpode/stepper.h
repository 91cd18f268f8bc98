// One step of an integration method, and its reverse.
//
// A Solver (ode.h) integrates in one loop that is the same for all methods: it controls the step
// sizes, keeps the record and writes the requested states. A Stepper is the method. It takes a step
// of n states from (t, x) to (t + h, next) by evaluating the field:
//
//   next = x + h Phi(t, x, h)                 Advance, with an estimate of the error
//   y(theta) ~ x(t + theta h), 0 < theta < 1  Interpolate, the dense output
//
// Evaluation 0 of every step is f(t, x). The Solver provides it: it makes a new evaluation, or uses
// the closing evaluation of the step before (see Stepper::closing). The stepper makes all others.
// The evaluations of accepted steps are recorded, so that the reverse needs no new ones.
//
// The reverse computes the cotangents (field.h) of x and of the field's parameters from those of
// next and of the dense outputs. It is the exact derivative of the computed numbers with h held
// fixed.
//
// The built-in steppers are explicit Runge-Kutta methods and an implicit one. A program can
// register its own:
//
//   class Heun final : public Stepper { ... };
//   RegisterStepper(std::make_unique<Heun>());
//   Solver solver({.method = MethodFromName("heun"), .fixed_step = 0.1});
//
// Thread safety: steppers do not change; one stepper serves any number of threads at once. A Step
// and a StepReverse belong to one thread.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpode/field.h"
#include "gpode/input_signal.h"
#include "gpode/memory.h"

namespace gpode {

// The evaluations of a field in one block of memory. Each has the time, the states (n, D), the
// inputs (n, U), the slopes (n, D), which are the field's values, and the field's record.
class EvaluationMemory {
 public:
  // Prepares the memory for evaluations of this field at n states.
  void Begin(const Field& field, std::size_t n);
  // Makes room for `count` evaluations. Contents do not change, but their addresses may.
  void Reserve(std::size_t count);

  std::size_t size() const { return size_; }      // n D
  std::size_t inputs() const { return inputs_; }  // n U
  std::span<double> State(std::size_t e) { return {At(e), size_}; }
  std::span<double> Slope(std::size_t e) { return {At(e) + slope_, size_}; }
  std::span<double> Record(std::size_t e) { return {At(e) + record_, record_size_}; }
  std::span<double> Inputs(std::size_t e) { return {At(e) + input_, inputs_}; }
  std::span<const double> State(std::size_t e) const { return {At(e), size_}; }
  std::span<const double> Slope(std::size_t e) const { return {At(e) + slope_, size_}; }
  std::span<const double> Record(std::size_t e) const { return {At(e) + record_, record_size_}; }
  std::span<const double> Inputs(std::size_t e) const { return {At(e) + input_, inputs_}; }
  FieldPoints Points(std::size_t e) const { return {times_[e], State(e), Inputs(e)}; }

  // Sets the time of evaluation e and the inputs at that time, which are the same for all states.
  // `inside` is a time in the smooth piece of the inputs that the step is in (input_signal.h).
  void SetTime(std::size_t e, double t, double inside, const InputSignal* signal) {
    times_[e] = t;
    if (inputs_ > 0) SetInputs(e, t, inside, *signal);
  }

 private:
  void SetInputs(std::size_t e, double t, double inside, const InputSignal& signal);
  double* At(std::size_t e) { return memory_.data() + e * stride_; }
  const double* At(std::size_t e) const { return memory_.data() + e * stride_; }

  std::size_t size_ = 0, record_size_ = 0, inputs_ = 0;
  std::size_t slope_ = 0, record_ = 0, input_ = 0;  // offsets in an evaluation, on cache lines
  std::size_t stride_ = 0;
  AlignedVector<double> memory_;
  std::vector<double> times_;
};

// A step that a stepper takes.
class Step {
 public:
  double t() const { return t_; }
  double h() const { return h_; }
  std::span<const double> x() const { return x_; }  // (n, D), the states at time t
  std::span<double> next() { return next_; }        // (n, D), the states at t + h
  std::size_t size() const { return x_.size(); }    // n D
  const Field& field() const { return *field_; }

  // The number of evaluations made so far. Evaluation i is the field's value Slope(i) (n, D) at
  // State(i) (n, D), which the stepper sets before it calls Evaluate; the state of evaluation 0 is
  // x.
  std::size_t evaluations() const { return evaluations_; }
  std::span<double> State(std::size_t i) { return memory_->State(Index(i)); }
  std::span<const double> Slope(std::size_t i) const { return memory_->Slope(Index(i)); }
  // Makes evaluation i = evaluations(), at time t and with the inputs at that time.
  void Evaluate(std::size_t i, double t);
  // Returns the time, states and inputs of evaluation i, for instance to compute the field's
  // Jacobian there.
  FieldPoints Points(std::size_t i) const {
    if (i == 0) return {t_, x_, memory_->Inputs(first_)};
    return memory_->Points(Index(i));
  }

  // The stepper's own memory of memory_size() doubles, which is recorded with the step.
  std::span<double> memory() { return own_; }

  // Tells whether Advance has to estimate the error.
  bool controlled() const { return controlled_; }
  // A workspace (n, D) for the error estimate.
  std::span<double> error() { return error_; }
  // Returns the size of an error estimate e (n, D) relative to the tolerances: the largest over the
  // n states of  sqrt(mean_i (e_i / (atol + rtol max(|x_i|, |next_i|)))^2),  where i runs over the
  // D components. The step is accepted if it is at most one.
  double ErrorNorm(std::span<const double> e) const;

 private:
  friend class Solver;

  std::size_t Index(std::size_t i) const { return i == 0 ? first_ : rest_ + i - 1; }

  const Field* field_ = nullptr;
  const InputSignal* inputs_ = nullptr;
  EvaluationMemory* memory_ = nullptr;
  double atol_ = 0, rtol_ = 0;
  bool keeps_ = false, controlled_ = false;
  double t_ = 0, h_ = 0;
  double inside_ = 0;  // a time within the smooth piece of the inputs to which the step belongs
  std::span<const double> x_;
  std::span<double> next_, error_, own_;
  std::size_t first_ = 0, rest_ = 1;  // indices of evaluations 0 and 1; the others follow
  std::size_t evaluations_ = 0;       // number of evaluations in this step
  std::size_t made_ = 0;              // number of evaluations in all steps
};

// The reverse of a recorded step. Steppers add to its cotangents. The Solver first calls
// ReverseInterpolate for each dense output of the step, then ReverseAdvance.
class StepReverse {
 public:
  double t() const { return t_; }
  double h() const { return h_; }
  std::size_t size() const { return bx_.size(); }  // n D
  const Field& field() const { return *field_; }
  std::size_t evaluations() const { return evaluations_; }
  std::span<const double> State(std::size_t i) const { return memory_->State(Index(i)); }
  std::span<const double> Slope(std::size_t i) const { return memory_->Slope(Index(i)); }
  FieldPoints Points(std::size_t i) const { return memory_->Points(Index(i)); }
  std::span<const double> memory() const { return own_; }

  // The cotangents of x, of next, of the slopes and of memory(). bmemory() starts at zero.
  std::span<double> bx() { return bx_; }
  std::span<double> bnext() { return bnext_; }
  std::span<double> bslope(std::size_t i) { return {bslopes_ + i * size(), size()}; }
  std::span<double> bmemory() { return bown_; }

  // Pulls bslope(i) back through the field: adds to the cotangent of the field's parameters and
  // returns the cotangent of State(i), which stays valid until the next call. Returns an empty span
  // if bslope(i) is zero. The stepper calls this for all evaluations except 0, for which the Solver
  // does.
  std::span<const double> Pullback(std::size_t i);

 private:
  friend class Solver;

  std::size_t Index(std::size_t i) const { return i == 0 ? first_ : rest_ + i - 1; }

  const Field* field_ = nullptr;
  const EvaluationMemory* memory_ = nullptr;
  double t_ = 0, h_ = 0;
  std::size_t first_ = 0, rest_ = 1, evaluations_ = 0;
  std::span<const double> own_;
  std::span<double> bx_, bnext_, bown_, bstate_, bparameters_;
  double* bslopes_ = nullptr;
};

class Stepper {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  virtual ~Stepper() = default;

  // The name by which users ask for the method. It must stay valid as long as the stepper.
  virtual std::string_view name() const = 0;
  virtual int order() const = 0;
  // A method without an error estimate takes fixed steps only. The estimate shrinks like
  // h^error_power(). For a pair of methods that advances with the higher order, that is order().
  virtual bool has_error_estimate() const = 0;
  virtual int error_power() const { return order(); }
  // The largest number of evaluations in a step, including evaluation 0 and those of dense output.
  virtual std::size_t most_evaluations() const = 0;
  // The index of the closing evaluation f(t + h, next), which is also the next step's evaluation 0;
  // kNone if the method has none. It may be an evaluation that only Interpolate makes.
  virtual std::size_t closing() const { return kNone; }
  // The number of doubles that the stepper keeps with a step of n states.
  virtual std::size_t memory_size(const Field& /*field*/, std::size_t /*n*/) const { return 0; }

  // Writes the states at t + h to step.next(). Returns the ErrorNorm of the error estimate if the
  // step is controlled, otherwise zero. If the Solver rejects the step, it calls Advance again with
  // a smaller h.
  virtual double Advance(Step& step) const = 0;
  // Returns an estimate of h times the largest eigenvalue of the Jacobian, divided by the size of
  // the method's stability region. A step with a result near one is limited by stability. Returns
  // zero if the method has no estimate. Must be called after Advance.
  virtual double Stiffness(Step& /*step*/) const { return 0; }
  // Writes the states at t + theta h, 0 < theta < 1, to y (n, D). May make further evaluations.
  virtual void Interpolate(Step& step, double theta, std::span<double> y) const = 0;

  // Reverses Advance: adds to bx and to the cotangents of the step's slopes, given bnext, and pulls
  // the latter back through the field (StepReverse::Pullback).
  virtual void ReverseAdvance(StepReverse& step) const = 0;
  // Reverses Interpolate: adds to bx, bnext, bslope and bmemory, given the cotangent by (n, D) of
  // y.
  virtual void ReverseInterpolate(StepReverse& step, double theta,
                                  std::span<const double> by) const = 0;

 protected:
  Stepper() = default;
  Stepper(const Stepper&) = default;
  Stepper& operator=(const Stepper&) = default;
};

// Registers a stepper, so that MethodFromName (ode.h) finds it by its name. Throws an InputError if
// the name is empty or taken. May be called from any thread.
void RegisterStepper(std::unique_ptr<const Stepper> stepper);

}  // namespace gpode
