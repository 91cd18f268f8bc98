// Integration of  dx/dt = f(t, x, u(t)),  and its discrete adjoint.
//
// Steps are adaptive or fixed. States at requested times come from the method's dense output, so
// that steps need not end at these times. The adjoint is the exact derivative of the computed
// states: it goes backwards through the accepted steps with their sizes held fixed ("discretise,
// then differentiate"). It evaluates no field, since the forward pass recorded what it needs.
//   Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I (1993), sections II.4 -
//   II.6.
//
// A batch of n states can be integrated together with the same steps: x0 is then (n, D), and each
// step is small enough for every state. All states of a batch have the same inputs.
//
// Errors: impossible arguments throw an InputError before anything is computed. After that nothing
// throws; an integration that fails is a status with a message for people.
//
// Memory: a Solver and a SolveRecord keep their memory from one integration to the next, and
// allocate only when an integration needs more than all before it. SolveRecord::Reserve allocates
// ahead of time.
//
// Thread safety: each thread needs a Solver and a SolveRecord of its own; threads may share fields.
//
//   Solver solver({.method = Method::kDormandPrince54, .rtol = 1e-6, .atol = 1e-6});
//   SolveResult result = solver.Solve(VanDerPol(0.5), x0, 0.0, times, states);
//   if (!result.ok()) std::cerr << Message(result.status);
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/field.h"
#include "gpode/input_signal.h"
#include "gpode/memory.h"
#include "gpode/stepper.h"

namespace gpode {

// An integration method: the name of a stepper (stepper.h), built-in or registered.
class Method {
 public:
  static const Method kEuler;              // order 1, fixed steps only
  static const Method kMidpoint;           // order 2, fixed steps only
  static const Method kRungeKutta4;        // order 4, fixed steps only
  static const Method kBogackiShampine32;  // order 3, 4 stages, first same as last
  static const Method kDormandPrince54;    // order 5, 7 stages, first same as last
  static const Method kTsitouras54;        // order 5, 7 stages, first same as last
  static const Method kDop853;             // order 8, 12 stages
  static const Method kEsdirk4;            // order 4, 6 stages, implicit: for stiff systems

  friend constexpr bool operator==(Method a, Method b) { return a.name_ == b.name_; }
  friend constexpr std::string_view Name(Method method) { return method.name_; }

 private:
  friend Method MethodFromName(std::string_view name);

  constexpr explicit Method(std::string_view name) : name_(name) {}

  std::string_view name_;  // refers to the name in the stepper, which is never removed
};

inline constexpr Method Method::kEuler{"euler"};
inline constexpr Method Method::kMidpoint{"midpoint"};
inline constexpr Method Method::kRungeKutta4{"rk4"};
inline constexpr Method Method::kBogackiShampine32{"bs32"};
inline constexpr Method Method::kDormandPrince54{"dopri5"};
inline constexpr Method Method::kTsitouras54{"tsit5"};
inline constexpr Method Method::kDop853{"dop853"};
inline constexpr Method Method::kEsdirk4{"esdirk4"};

// Name returns the name by which users ask for a method. MethodFromName is its inverse; it throws
// an InputError that lists the known names if there is no such method.
constexpr std::string_view Name(Method method);
Method MethodFromName(std::string_view name);
// Returns the names of the built-in methods in the order above, then those of the registered ones.
std::vector<std::string> MethodNames();

const Stepper& GetStepper(Method method);
int Order(Method method);

struct SolverOptions {
  Method method = Method::kDormandPrince54;
  // A step is accepted if its error estimate is about atol + rtol |x| or less: the root mean square
  // over a state's components of error / (atol + rtol |x|) must be at most one for every state.
  double rtol = 1e-5;
  double atol = 1e-5;
  // If this is above zero, steps have this size, made a little smaller so that they divide the time
  // span, or each smooth piece of the inputs, evenly, and errors are not controlled. Methods
  // without an error estimate need it.
  double fixed_step = 0;
  double max_step = std::numeric_limits<double>::infinity();
  // The most steps, accepted and rejected together. One step for each smooth piece of the inputs
  // does not count.
  std::size_t max_steps = 10000;
};

enum class SolveStatus { kOk, kTooManySteps, kStepTooSmall, kNotFinite, kStopped };
// Returns an explanation of the status, for people.
std::string_view Message(SolveStatus status);

struct SolveStatistics {
  std::size_t accepted = 0;
  std::size_t rejected = 0;
  std::size_t evaluations = 0;  // evaluations of the field; that of a whole batch counts as one
  // True if stability rather than accuracy limited many steps of an explicit method, as it does in
  // stiff systems (Stepper::Stiffness).
  bool stiff = false;
};

struct SolveResult {
  SolveStatus status = SolveStatus::kOk;
  SolveStatistics statistics;
  double reached = 0;      // the last time at which the solution is known
  std::size_t filled = 0;  // number of requested times with known states; the other states are NaN
  double step_hint = 0;    // a good first step for an integration like this one

  bool ok() const { return status == SolveStatus::kOk; }
};

// A rule that ends integrations early, which saves the rest of a solution that is of no use.
//
// Thread safety: a solver calls its rule from the thread that integrates.
class StopRule {
 public:
  virtual ~StopRule() = default;
  // Returns true if the integration shall end now. Its first `filled` requested states are known.
  virtual bool StopsAfter(std::size_t filled) = 0;
};

// The accepted steps of one integration with every evaluation of the field, for Pullback and
// Replay. A record can be used again for another integration, and keeps its memory.
//
// Thread safety: each thread needs a record of its own.
//
//   SolveRecord record;
//   solver.SolveRecorded(field, x0, t0, times, states, record);
class SolveRecord {
 public:
  // Allocates memory for `steps` steps of `method` for n states of `field`.
  void Reserve(const Field& field, Method method, std::size_t n, std::size_t steps);

  std::size_t steps() const { return steps_.size(); }
  double step_size(std::size_t step) const { return steps_[step].size; }

 private:
  friend class Solver;

  struct StepEntry {
    double start, size;
    std::size_t first;        // the index of evaluation 0 in evaluations_
    std::size_t rest;         // the index of evaluation 1; the others follow it
    std::size_t evaluations;  // the number of the step's evaluations, with those of dense output
    bool shares_first;        // true if evaluation 0 is the closing one of the step before
  };
  struct Output {
    std::size_t step;  // kAtStart for the initial state
    double theta;      // the time within the step, from 0 to 1; exactly 1 is the step's end
  };
  static constexpr std::size_t kAtStart = std::numeric_limits<std::size_t>::max();

  void Begin(const Field& field, const Stepper& stepper, std::size_t n);

  const Stepper* stepper_ = nullptr;
  EvaluationMemory evaluations_;
  std::size_t used_ = 0;              // number of evaluations of the accepted steps
  std::size_t step_memory_size_ = 0;  // doubles that the stepper keeps for each step
  AlignedVector<double> step_memory_;
  std::vector<StepEntry> steps_;
  std::vector<Output> outputs_;
};

// The integration loop and its adjoint.
//
// Thread safety: each thread needs a solver of its own.
//
//   Solver solver({.rtol = 1e-6, .atol = 1e-6});
//   solver.Solve(field, x0, t0, times, states);
class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});

  const SolverOptions& options() const { return options_; }
  // Takes a rule, or none, for the integrations that follow. They ask it whenever further requested
  // states are known, and end with the status kStopped if it says so.
  void SetStopRule(StopRule* rule) { stop_rule_ = rule; }

  // Computes the states (times, n, D) at `times` of the solution that has the states x0 (n, D) at
  // time t0. The times go away from t0 in one direction, forwards or backwards, and may repeat. If
  // step_hint is above zero, it is the first step to try (such as the step_hint of an earlier
  // result); otherwise the first step is chosen from the field. A field with U inputs needs a
  // signal of U inputs.
  SolveResult Solve(const Field& field, std::span<const double> x0, double t0,
                    std::span<const double> times, std::span<double> states, double step_hint = 0,
                    const InputSignal* inputs = nullptr);

  // Does the same as Solve, and writes to `record` what Pullback needs.
  SolveResult SolveRecorded(const Field& field, std::span<const double> x0, double t0,
                            std::span<const double> times, std::span<double> states,
                            SolveRecord& record, double step_hint = 0,
                            const InputSignal* inputs = nullptr);

  // Integrates again from x0 with the steps of `record`, without choosing step sizes. This is the
  // function that Pullback differentiates. Method and inputs must be those of the record.
  void Replay(const Field& field, const SolveRecord& record, std::span<const double> x0,
              std::span<double> states, const InputSignal* inputs = nullptr);

  // Reverses SolveRecorded. Given the cotangents (field.h) bstates (times, n, D) of the states that
  // were filled,
  //   bx0         += (dstates/dx0)^T bstates
  //   bparameters += (dstates/dparameters)^T bstates
  // The times and inputs at which the field was evaluated are in the record.
  void Pullback(const Field& field, const SolveRecord& record, std::span<const double> bstates,
                std::span<double> bx0, std::span<double> bparameters);

 private:
  struct Run;

  SolveResult Integrate(Run& run, double step_hint);
  void OpenReverse(const SolveRecord& record, std::size_t step, StepReverse& reverse);
  void ReverseStep(const SolveRecord& record, std::size_t step, bool next_shares,
                   StepReverse& reverse);

  SolverOptions options_;
  const Stepper* stepper_;
  StopRule* stop_rule_ = nullptr;
  SolveRecord scratch_;              // the evaluations of one step, if they are not recorded
  AlignedVector<double> workspace_;  // (3, n D)
  AlignedVector<double> bslopes_;    // (evaluations, n D)
  AlignedVector<double> bmemory_;    // the cotangent of the stepper's memory
  AlignedVector<double> bstate_, bstart_, bstage_, pending_;
};

}  // namespace gpode
