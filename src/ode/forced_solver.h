// Solutions of an ODE with a force that is constant on pieces of time:
//
//   dx/dt = f(t, x, u) + w_p   on piece p
//
// The process noise of a model is such a force (docs/design.md, "Process noise"). The solver
// starts anew at the beginning of each piece, so that no step crosses a jump of the force.
//
// Thread safety: each thread needs a solver of its own.
//
//   ForcedSolver solver(options);
//   solver.Solve(field, {.ends = ends, .forces = forces}, x0, 0.0, times, states);
#pragma once

#include <span>
#include <vector>

#include "gpode/field.h"
#include "gpode/ode.h"

namespace gpode {

// A field plus a constant vector. The cotangent of the vector follows those of the field's own
// parameters.
class ForcedField final : public Field {
 public:
  // Both arguments must outlive the object. `force` has a value for each state.
  ForcedField(const Field& field, std::span<const double> force) : field_(field), force_(force) {}

  std::size_t dim() const override { return field_.dim(); }
  std::size_t inputs() const override { return field_.inputs(); }
  std::size_t parameter_count() const override { return field_.parameter_count() + dim(); }
  std::size_t record_size() const override { return field_.record_size(); }
  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override;

 private:
  void Add(std::span<double> f) const;

  const Field& field_;
  std::span<const double> force_;
};

// P pieces of time. Piece p goes from the end of piece p - 1, or from the start of the solution, to
// ends[p]. The ends go away from the start in one direction, forwards or backwards. Beyond the last
// piece there is no force.
struct Force {
  std::span<const double> ends;    // (P)
  std::span<const double> values;  // (P, D)
};

class ForcedSolver {
 public:
  explicit ForcedSolver(const SolverOptions& options) : solver_(options) {}

  // Takes a rule like Solver::SetStopRule. It is asked at the end of each piece.
  void SetStopRule(StopRule* rule) { stop_rule_ = rule; }

  // Computes the states (times, D) at `times` of the solution that is x0 (D) at time t0. The
  // arguments and the result are those of Solver::Solve for a single state.
  SolveResult Solve(const Field& field, const Force& force, std::span<const double> x0, double t0,
                    std::span<const double> times, std::span<double> states, double step_hint = 0,
                    const InputSignal* inputs = nullptr);
  // Does the same and remembers what Pullback needs, until the next call.
  SolveResult SolveRecorded(const Field& field, const Force& force, std::span<const double> x0,
                            double t0, std::span<const double> times, std::span<double> states,
                            double step_hint = 0, const InputSignal* inputs = nullptr);
  // Reverses the last SolveRecorded, whose field and force must not have changed. Given the
  // cotangents bstates (times, D) of the states that were filled, adds the cotangents of x0 (D), of
  // the force's values (P, D) and of the field's parameters.
  void Pullback(const Field& field, const Force& force, std::span<const double> bstates,
                std::span<double> bx0, std::span<double> bforce, std::span<double> bparameters);

 private:
  // One piece of the last integration: the requested times first, ..., first + count - 1 lie in it.
  struct Piece {
    std::size_t first, count;
    SolveRecord record;
  };

  SolveResult Run(const Field& field, const Force& force, std::span<const double> x0, double t0,
                  std::span<const double> times, std::span<double> states, double step_hint,
                  const InputSignal* inputs, bool with_record);

  Solver solver_;
  StopRule* stop_rule_ = nullptr;
  std::vector<Piece> pieces_;  // the first used_ belong to the last integration
  std::size_t used_ = 0;
  std::vector<double> times_, states_, from_, bstates_, bfrom_, sums_, zeros_;
};

}  // namespace gpode
