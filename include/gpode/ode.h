// Integration of dx/dt = f(x), and its discrete adjoint.
//
// Explicit Runge-Kutta methods with adaptive steps; states at requested times come from the
// method's own dense output, so steps need not stop there. The adjoint differentiates the computed
// numbers: it goes back through the accepted steps with their sizes held fixed ("discretise, then
// differentiate"), and evaluates no field, since the forward pass recorded what it needs.
//
// A batch of n states may share the steps: x0 is then (n, D). Each step is as small as the most
// demanding state needs.
//
// Errors: impossible arguments throw an InputError before anything is computed. After that nothing
// throws; a failed integration is a status with a message for people.
//
// Memory: a Solver and a SolveRecord keep their memory, and allocate only when an integration needs
// more than any one before it; SolveRecord::Reserve does that ahead of time.
//
// Thread safety: one Solver and one SolveRecord per thread; fields may be shared.
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

namespace gpode {

struct Tableau;

enum class Method {
  kEuler,              // order 1, fixed steps only
  kMidpoint,           // order 2, fixed steps only
  kRungeKutta4,        // order 4, fixed steps only
  kBogackiShampine32,  // order 3, 4 stages, first same as last
  kDormandPrince54,    // order 5, 7 stages, first same as last
  kTsitouras54,        // order 5, 7 stages, first same as last
  kDop853,             // order 8, 12 stages
};

// The names by which users ask: euler, midpoint, rk4, bs32, dopri5, tsit5, dop853.
std::string_view Name(Method method);
Method MethodFromName(std::string_view name);  // InputError lists the names
std::vector<std::string> MethodNames();
int Order(Method method);
bool HasErrorEstimate(Method method);

struct SolverOptions {
  Method method = Method::kDormandPrince54;
  // A step is accepted when its error estimate is below atol + rtol |x|, in the mean square over a
  // state's components.
  double rtol = 1e-5;
  double atol = 1e-5;
  // Above zero: steps of this size without error control (the last interval is cut into equal
  // ones). Methods without an error estimate need it.
  double fixed_step = 0;
  double max_step = std::numeric_limits<double>::infinity();
  std::size_t max_steps = 10000;  // accepted and rejected together
};

enum class SolveStatus { kOk, kTooManySteps, kStepTooSmall, kNotFinite };
std::string_view Message(SolveStatus status);

struct SolveStatistics {
  std::size_t accepted = 0;
  std::size_t rejected = 0;
  std::size_t evaluations = 0;  // of the field, a batch counting once
};

struct SolveResult {
  SolveStatus status = SolveStatus::kOk;
  SolveStatistics statistics;
  double reached = 0;      // time up to which the solution is known
  std::size_t filled = 0;  // how many of the requested states; the others are NaN
  double step_hint = 0;    // a good first step for an integration like this one

  bool ok() const { return status == SolveStatus::kOk; }
};

// The accepted steps of one integration, with every evaluation of the field: what Pullback needs.
class SolveRecord {
 public:
  // Memory for `steps` steps of `method` for n states of `field`.
  void Reserve(const Field& field, Method method, std::size_t n, std::size_t steps);

  std::size_t steps() const { return steps_.size(); }
  double step_size(std::size_t step) const { return steps_[step].size; }

 private:
  friend class Solver;

  struct Step {
    double start, size;
    std::size_t first;   // evaluation that is the step's first stage
    std::size_t rest;    // evaluation that is its second stage; the others follow
    std::size_t stages;  // how many were evaluated, dense-output stages included
    bool shares_first;   // the first stage is the last step's closing stage
  };
  struct Output {
    std::size_t step;  // kAtStart: the initial state
    double theta;      // within the step; exactly 1 is the step's end
  };
  static constexpr std::size_t kAtStart = std::numeric_limits<std::size_t>::max();

  void Begin(const Field& field, std::size_t n);
  void Grow(std::size_t evaluations);
  double* State(std::size_t evaluation) { return memory_.data() + evaluation * stride_; }
  double* Slope(std::size_t evaluation) { return State(evaluation) + padded_; }
  double* Kept(std::size_t evaluation) { return State(evaluation) + 2 * padded_; }
  double* Inputs(std::size_t evaluation) { return Kept(evaluation) + record_padded_; }
  const double* State(std::size_t e) const { return memory_.data() + e * stride_; }
  const double* Kept(std::size_t e) const { return State(e) + 2 * padded_; }
  // Returns where the field was evaluated.
  FieldPoints Points(std::size_t e) const {
    return {times_[e], {State(e), size_}, {Kept(e) + record_padded_, inputs_}};
  }

  const Tableau* tableau_ = nullptr;
  std::size_t size_ = 0;         // n D
  std::size_t padded_ = 0;       // size_, rounded up to cache lines
  std::size_t record_size_ = 0;  // of the whole batch
  std::size_t record_padded_ = 0;
  std::size_t inputs_ = 0;        // n U
  std::size_t stride_ = 0;        // of one evaluation
  std::size_t evaluations_ = 0;   // in use
  AlignedVector<double> memory_;  // (evaluations, state | slope | what the field keeps | inputs)
  std::vector<double> times_;     // (evaluations)
  std::vector<Step> steps_;
  std::vector<Output> outputs_;
};

class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});

  const SolverOptions& options() const { return options_; }

  // States (times, n, D) of the solution through x0 (n, D) at t0. Times go away from t0 in one
  // direction, forwards or backwards; repeated ones are fine. step_hint above zero is the first
  // step to try (a result's step_hint); otherwise one is chosen from the field.
  SolveResult Solve(const Field& field, std::span<const double> x0, double t0,
                    std::span<const double> times, std::span<double> states, double step_hint = 0,
                    const InputSignal* inputs = nullptr);

  // The same, keeping what Pullback needs.
  SolveResult SolveRecorded(const Field& field, std::span<const double> x0, double t0,
                            std::span<const double> times, std::span<double> states,
                            SolveRecord& record, double step_hint = 0,
                            const InputSignal* inputs = nullptr);

  // Integrates again with the steps of `record`: the function that Pullback differentiates.
  void Replay(const Field& field, const SolveRecord& record, std::span<const double> x0,
              std::span<double> states, const InputSignal* inputs = nullptr);

  // Reverse of SolveRecorded: for cotangents bstates (times, n, D) on the states that were filled,
  //   bx0         += (dstates/dx0)^T bstates
  //   bparameters += (dstates/dparameters)^T bstates
  void Pullback(const Field& field, const SolveRecord& record, std::span<const double> bstates,
                std::span<double> bx0, std::span<double> bparameters);

 private:
  struct Run;

  SolveResult Integrate(Run& run, double step_hint);
  void ReverseStep(const Field& field, const SolveRecord& record, std::size_t step,
                   bool next_shares, std::span<double> bparameters);

  SolverOptions options_;
  const Tableau* tableau_;
  SolveRecord scratch_;              // evaluations of one step, when nothing is kept
  AlignedVector<double> workspace_;  // a few states
  AlignedVector<double> bslopes_;    // (stages, n D)
  AlignedVector<double> bstate_, bstart_, bstage_, pending_;
};

}  // namespace gpode
