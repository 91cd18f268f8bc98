// Forward integration. See ode.h; the reverse is in adjoint.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "ode/step_control.h"
#include "ode/tableau.h"

namespace gpode {

std::string_view Message(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOk:
      return "the integration reached its end";
    case SolveStatus::kTooManySteps:
      return "the integration took more steps than allowed: the solution may be stiff or "
             "diverging; "
             "allow more steps or a larger tolerance";
    case SolveStatus::kStepTooSmall:
      return "the step size fell below what the time's precision can express: the solution "
             "probably "
             "runs away in finite time";
    case SolveStatus::kNotFinite:
      return "the field or the solution is not finite";
  }
  return "unknown status";
}

namespace {

void CheckInputs(const Field& field, const InputSignal* inputs) {
  if (inputs == nullptr && field.inputs() > 0) {
    ThrowInput("Solver", "inputs", fmt::format("are missing: the field has {}", field.inputs()));
  }
  if (inputs != nullptr) CheckSize("Solver", "inputs", inputs->size(), field.inputs());
}

void CheckArguments(const Field& field, std::span<const double> x0, double t0,
                    std::span<const double> times, std::span<const double> states) {
  if (x0.empty() || x0.size() % field.dim() != 0) {
    ThrowInput(
        "Solver", "x0",
        fmt::format("has {} values, must have a positive multiple of {}", x0.size(), field.dim()));
  }
  CheckSize("Solver", "states", states.size(), times.size() * x0.size());
  CheckFinite("Solver", "t0", t0);
  CheckFinite("Solver", "times", times);
  const double direction = times.empty() || times.back() >= t0 ? 1.0 : -1.0;
  double last = t0;
  for (double t : times) {
    if ((t - last) * direction < 0) {
      ThrowInput("Solver", "times", "must go away from t0 in one direction, forwards or backwards");
    }
    last = t;
  }
}

void Copy(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Solver::Solver(const SolverOptions& options)
    : options_(options), tableau_(&GetTableau(options.method)) {
  CheckNonNegative("Solver", "rtol", options.rtol);
  CheckNonNegative("Solver", "atol", options.atol);
  CheckNonNegative("Solver", "fixed_step", options.fixed_step);
  if (!(options.max_step > 0)) ThrowInput("Solver", "max_step", "must be positive");
  if (options.rtol == 0 && options.atol == 0)
    ThrowInput("Solver", "rtol", "and atol are both 0, one must be positive");
  CheckAtLeast("Solver", "max_steps", static_cast<std::ptrdiff_t>(options.max_steps), 1);
  if (tableau_->error.empty() && options.fixed_step == 0) {
    ThrowInput("Solver", "fixed_step", "must be positive: the method has no error estimate");
  }
}

// One integration under way. The evaluations of a step live in `store`: all of them when they are
// to be kept, otherwise only the current step's.
struct Solver::Run {
  const Field& field;
  const Tableau& tableau;
  const SolverOptions& options;
  const InputSignal* inputs;
  SolveRecord& store;
  bool keep;
  std::span<const double> times;
  std::span<double> states;

  std::size_t size;  // n D
  std::span<double> x, next, error;
  double t = 0, end = 0;
  SolveRecord::Step step{};
  std::size_t next_output = 0;
  SolveResult result;

  Run(Solver& solver, const Field& f, std::span<const double> x0, std::span<const double> when,
      std::span<double> out, SolveRecord& where, bool keep_all, const InputSignal* signal)
      : field(f),
        tableau(*solver.tableau_),
        options(solver.options_),
        inputs(signal),
        store(where),
        keep(keep_all),
        times(when),
        states(out),
        size(x0.size()) {
    if (solver.workspace_.size() < 3 * size) solver.workspace_.resize(3 * size);
    const std::span<double> all(solver.workspace_);
    x = all.subspan(0, size);
    next = all.subspan(size, size);
    error = all.subspan(2 * size, size);
    Copy(x0, x);
    store.Begin(field, size / field.dim());
    store.tableau_ = &tableau;
  }

  std::size_t Evaluation(std::size_t stage) const {
    return stage == 0 ? step.first : step.rest + stage - 1;
  }
  std::span<double> State(std::size_t e) const { return {store.State(e), size}; }
  std::span<double> Slope(std::size_t e) const { return {store.Slope(e), size}; }

  // Returns evaluation e's points: the state that stands there, at time `when`.
  FieldPoints PointsAt(std::size_t e, double when) {
    store.times_[e] = when;
    if (store.inputs_ > 0) {
      const std::size_t each = inputs->size();
      double* u = store.Inputs(e);
      inputs->At(when, {u, each});
      for (std::size_t i = each; i < store.inputs_; ++i) u[i] = u[i - each];
    }
    return store.Points(e);
  }

  // k = f(t, X, u) for the state that stands at evaluation e.
  void Evaluate(std::size_t e, double when) {
    const std::span<double> kept(store.Kept(e), store.record_size_);
    const FieldPoints points = PointsAt(e, when);
    if (keep) {
      field.Record(points, Slope(e), kept);
    } else {
      field.Value(points, Slope(e), kept);
    }
    ++result.statistics.evaluations;
  }

  // out = x + h sum_j weight_j k_j.
  void Combine(std::span<const double> weights, double h, std::span<double> out) const {
    Copy(x, out);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0) continue;
      const double w = h * weights[j];
      const double* k = store.Slope(Evaluation(j));
      for (std::size_t i = 0; i < size; ++i) out[i] += w * k[i];
    }
  }

  void EvaluateStage(std::size_t stage) {
    const std::size_t e = Evaluation(stage);
    Combine({tableau.Row(stage), stage}, step.size, State(e));
    Evaluate(e, t + tableau.c[stage] * step.size);
  }

  // The first stage: the last step's closing one, if there is, or a new evaluation.
  void OpenStep(bool first_known, std::size_t known) {
    if (!keep) {
      store.Grow(tableau.all_stages);
      step.first = 0;
      step.rest = 1;
      step.shares_first = first_known;
      if (first_known && known != 0) {
        Copy(Slope(known), Slope(0));
      }
    } else {
      store.Grow(store.evaluations_ + tableau.all_stages);
      step.shares_first = first_known;
      step.first = first_known ? known : store.evaluations_++;
      step.rest = store.evaluations_;
    }
    if (!first_known) {
      Copy(x, State(step.first));
      Evaluate(step.first, t);
    }
  }

  // All stages of a step of size h, the end point and, with error control, the error's norm.
  double TryStep(double h, bool controlled) {
    step.start = t;
    step.size = h;
    step.stages = tableau.stages;
    for (std::size_t stage = 1; stage < tableau.stages; ++stage) EvaluateStage(stage);
    Combine(tableau.b, h, next);
    if (!controlled) return 0;
    const double e = EstimateError(tableau.error);
    if (tableau.second_error.empty() || !(e > 0)) return e;
    // DOP853: the fifth-order estimate, damped by the third-order one.
    const double e3 = EstimateError(tableau.second_error);
    return e * e / std::sqrt(e * e + 0.01 * e3 * e3);
  }

  double EstimateError(std::span<const double> weights) {
    std::fill(error.begin(), error.end(), 0.0);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0) continue;
      const double w = step.size * weights[j];
      const double* k = store.Slope(Evaluation(j));
      for (std::size_t i = 0; i < size; ++i) error[i] += w * k[i];
    }
    return ErrorNorm(error, x, next, field.dim(), options.atol, options.rtol);
  }

  void EvaluateDenseStages() {
    for (; step.stages < tableau.all_stages; ++step.stages) EvaluateStage(step.stages);
  }

  // The requested state at theta of the current step, into the next place of `states`.
  void Emit(double theta) {
    const std::span<double> out = states.subspan(next_output * size, size);
    if (theta == 1) {
      Copy(next, out);
    } else {
      EvaluateDenseStages();
      double weights[Tableau::kMostStages];
      for (std::size_t j = 0; j < tableau.all_stages; ++j) {
        weights[j] = tableau.DenseWeight(j, theta);
      }
      Combine({weights, tableau.all_stages}, step.size, out);
    }
    ++next_output;
  }

  // Closes the accepted step: hands out the states in it and moves on. Returns whether the next
  // step's first stage is known, and at which evaluation.
  bool CloseStep(double t_next, std::size_t& known) {
    const double h = step.size;
    while (next_output < times.size() && (times[next_output] - t_next) * h <= 0) {
      const double theta = times[next_output] == t_next ? 1.0 : (times[next_output] - t) / h;
      if (keep) store.outputs_.push_back({store.steps_.size(), theta});
      Emit(theta);
    }
    const bool shared = tableau.closing < step.stages;
    if (shared) known = Evaluation(tableau.closing);
    if (keep) {
      store.evaluations_ = step.rest + step.stages - 1;
      store.steps_.push_back(step);
    }
    ++result.statistics.accepted;
    t = t_next;
    std::swap(x, next);
    return shared;
  }

  void EmitAtStart() {
    while (next_output < times.size() && times[next_output] == t) {
      if (keep) store.outputs_.push_back({SolveRecord::kAtStart, 0});
      Copy(x, states.subspan(next_output * size, size));
      ++next_output;
    }
  }

  // A first step from the sizes of x, f and f's change (Hairer, Norsett, Wanner, II.4).
  double ChooseFirstStep(double direction) {
    const std::span<double> slope = Slope(step.first);
    const double d0 = ErrorNorm(x, x, x, field.dim(), options.atol, options.rtol);
    const double d1 = ErrorNorm(slope, x, x, field.dim(), options.atol, options.rtol);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = std::min(h0, std::fabs(end - t));
    for (std::size_t i = 0; i < size; ++i) next[i] = x[i] + direction * h0 * slope[i];
    // Evaluated where the second stage will stand: that is overwritten by the step itself.
    const std::size_t e = tableau.stages > 1 ? step.rest : step.first;
    Copy(next, State(e));
    field.Value(PointsAt(e, t + direction * h0), error, {store.Kept(e), store.record_size_});
    ++result.statistics.evaluations;
    for (std::size_t i = 0; i < size; ++i) error[i] -= slope[i];
    const double d2 = ErrorNorm(error, x, x, field.dim(), options.atol, options.rtol) / h0;
    const double d = std::max(d1, d2);
    if (!std::isfinite(d)) return h0;
    const double h1 =
        d <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / d, 1.0 / tableau.error_power);
    return std::min(100 * h0, h1);
  }

  SolveResult Finish(SolveStatus status) {
    result.status = status;
    result.reached = t;
    result.filled = next_output;
    std::fill(states.begin() + next_output * size, states.end(),
              std::numeric_limits<double>::quiet_NaN());
    return result;
  }
};

SolveResult Solver::Integrate(Run& run, double step_hint) {
  run.EmitAtStart();
  if (run.next_output == run.times.size()) return run.Finish(SolveStatus::kOk);
  run.end = run.times.back();
  const double direction = run.end > run.t ? 1.0 : -1.0;
  const bool controlled = options_.fixed_step == 0;
  const double smallest = 16 * std::numeric_limits<double>::epsilon() *
                          std::max({std::fabs(run.t), std::fabs(run.end), 1e-300});
  run.OpenStep(false, 0);
  if (!AllFinite(run.x) || !AllFinite(run.Slope(run.step.first))) {
    return run.Finish(SolveStatus::kNotFinite);
  }
  // Fixed steps divide the whole span evenly.
  double h = options_.fixed_step;
  if (controlled) {
    // A slope whose square overflows asks for a step of zero.
    h = std::max(step_hint > 0 ? step_hint : run.ChooseFirstStep(direction), smallest);
  } else {
    h = std::fabs(run.end - run.t) / std::ceil(std::fabs(run.end - run.t) / h * (1 - 1e-12));
  }
  StepControl control(tableau_->error_power);
  SolveStatistics& count = run.result.statistics;
  while (true) {
    if (count.accepted + count.rejected == options_.max_steps) {
      return run.Finish(SolveStatus::kTooManySteps);
    }
    h = std::min(h, options_.max_step);
    const double left = std::fabs(run.end - run.t);
    // A sliver is not left over for the last step.
    const bool last = h * (1 + 1e-9) >= left;
    const double signed_h = last ? run.end - run.t : direction * h;
    const double error = run.TryStep(signed_h, controlled);
    const bool finite = std::isfinite(error) && AllFinite(run.next);
    if (!finite && !controlled) return run.Finish(SolveStatus::kNotFinite);
    if (!finite || error > 1) {
      ++count.rejected;
      h = std::fabs(signed_h) * control.Reject(finite ? error : NAN);
      if (h < smallest) {
        return run.Finish(finite ? SolveStatus::kStepTooSmall : SolveStatus::kNotFinite);
      }
      continue;
    }
    if (controlled) {
      const double factor = control.Accept(error);
      // A last step cut short says little about the size that the field allows: keep the longer.
      h = last ? std::max(h, std::fabs(signed_h) * factor) : h * factor;
      if (count.accepted == 0) run.result.step_hint = h;
    }
    std::size_t known = 0;
    const bool shared = run.CloseStep(last ? run.end : run.t + signed_h, known);
    if (last) return run.Finish(SolveStatus::kOk);
    run.OpenStep(shared, known);
    if (!shared && !AllFinite(run.Slope(run.step.first))) {
      return run.Finish(SolveStatus::kNotFinite);
    }
  }
}

SolveResult Solver::Solve(const Field& field, std::span<const double> x0, double t0,
                          std::span<const double> times, std::span<double> states, double step_hint,
                          const InputSignal* inputs) {
  CheckArguments(field, x0, t0, times, states);
  CheckInputs(field, inputs);
  Run run(*this, field, x0, times, states, scratch_, false, inputs);
  run.t = t0;
  return Integrate(run, step_hint);
}

SolveResult Solver::SolveRecorded(const Field& field, std::span<const double> x0, double t0,
                                  std::span<const double> times, std::span<double> states,
                                  SolveRecord& record, double step_hint,
                                  const InputSignal* inputs) {
  CheckArguments(field, x0, t0, times, states);
  CheckInputs(field, inputs);
  Run run(*this, field, x0, times, states, record, true, inputs);
  run.t = t0;
  return Integrate(run, step_hint);
}

void Solver::Replay(const Field& field, const SolveRecord& record, std::span<const double> x0,
                    std::span<double> states, const InputSignal* inputs) {
  CheckInputs(field, inputs);
  CheckSize("Solver::Replay", "x0", x0.size(), record.size_);
  CheckSize("Solver::Replay", "states", states.size(), record.outputs_.size() * record.size_);
  Run run(*this, field, x0, {}, states, scratch_, false, inputs);
  std::size_t known = 0;
  bool shared = false;
  const auto emit_while = [&](auto matches) {
    while (run.next_output < record.outputs_.size() &&
           matches(record.outputs_[run.next_output].step)) {
      run.Emit(record.outputs_[run.next_output].theta);
    }
  };
  Copy(run.x, run.next);
  while (run.next_output < record.outputs_.size() &&
         record.outputs_[run.next_output].step == SolveRecord::kAtStart) {
    run.Emit(1);
  }
  for (std::size_t s = 0; s < record.steps_.size(); ++s) {
    run.t = record.steps_[s].start;
    run.OpenStep(shared, known);
    run.TryStep(record.steps_[s].size, false);
    emit_while([s](std::size_t step) { return step == s; });
    shared = run.CloseStep(0, known);
  }
}

}  // namespace gpode
