// The integration loop, which computes x(t) = x_0 + int f(x(tau)) dtau of the paper. See ode.h; the
// reverse is in adjoint.cc. The shooting segments x(t_i; s_(i-1)) are integrated by model/bound.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "ode/spans.h"
#include "ode/step_control.h"

namespace gpode {

std::string_view Message(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOk:
      return "the integration reached its end";
    case SolveStatus::kTooManySteps:
      return "the integration took more steps than allowed: the solution may be stiff or "
             "diverging; allow more steps or a larger tolerance, or try the method esdirk4";
    case SolveStatus::kStepTooSmall:
      return "the step size fell below what the time's precision can express: the solution "
             "probably runs away in finite time";
    case SolveStatus::kNotFinite:
      return "the field or the solution is not finite";
    case SolveStatus::kStopped:
      return "the integration was stopped";
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

}  // namespace

Solver::Solver(const SolverOptions& options)
    : options_(options), stepper_(&GetStepper(options.method)) {
  CheckNonNegative("Solver", "rtol", options.rtol);
  CheckNonNegative("Solver", "atol", options.atol);
  CheckNonNegative("Solver", "fixed_step", options.fixed_step);
  if (!(options.max_step > 0)) ThrowInput("Solver", "max_step", "must be positive");
  if (options.rtol == 0 && options.atol == 0)
    ThrowInput("Solver", "rtol", "and atol are both 0, one must be positive");
  CheckAtLeast("Solver", "max_steps", static_cast<std::ptrdiff_t>(options.max_steps), 1);
  if (!stepper_->has_error_estimate() && options.fixed_step == 0) {
    ThrowInput("Solver", "fixed_step", "must be positive: the method has no error estimate");
  }
}

// The state of an integration. `store` holds the evaluations of all accepted steps if `keep` is
// true, otherwise only those of the current step.
struct Solver::Run {
  const Field& field;
  const Stepper& stepper;
  const SolverOptions& options;
  SolveRecord& store;
  bool keep;
  std::span<const double> times;
  std::span<double> states;

  std::size_t size;  // n D
  std::size_t most;  // largest number of evaluations in a step; at least 2, for ChooseFirstStep
  std::size_t closing;
  std::span<double> x, next;
  Step step;
  bool shares_first = false;
  double t = 0, end = 0;
  double stop = 0;  // the end of the smooth piece of the inputs around t, or `end` if that is first
  std::size_t next_output = 0;
  // The number of steps that were limited by stability, and of other steps in a row after them.
  int suspicious = 0, harmless = 0;
  SolveResult result;

  Run(Solver& solver, const Field& f, std::span<const double> x0, std::span<const double> when,
      std::span<double> out, SolveRecord& where, bool keep_all, const InputSignal* inputs)
      : field(f),
        stepper(*solver.stepper_),
        options(solver.options_),
        store(where),
        keep(keep_all),
        times(when),
        states(out),
        size(x0.size()),
        most(std::max<std::size_t>(stepper.most_evaluations(), 2)),
        closing(stepper.closing()) {
    if (solver.workspace_.size() < 3 * size) solver.workspace_.resize(3 * size);
    const std::span<double> all(solver.workspace_);
    x = all.subspan(0, size);
    next = all.subspan(size, size);
    Copy(x0, x);
    store.Begin(field, stepper, size / field.dim());
    step.field_ = &field;
    step.inputs_ = inputs;
    step.memory_ = &store.evaluations_;
    step.atol_ = options.atol;
    step.rtol_ = options.rtol;
    step.keeps_ = keep;
    step.error_ = all.subspan(2 * size, size);
  }

  // Returns the size of e relative to the tolerances at x.
  double NormAtStart(std::span<const double> e) const {
    return ErrorNorm(e, x, x, field.dim(), options.atol, options.rtol);
  }

  // Begins a step with its evaluation 0: if first_known, that is evaluation `known` of the store,
  // the closing evaluation (Stepper::closing) of the step before; otherwise a new one.
  void OpenStep(bool first_known, std::size_t known) {
    EvaluationMemory& memory = store.evaluations_;
    shares_first = first_known;
    memory.Reserve(keep ? store.used_ + most : most);
    if (!keep) {
      step.first_ = 0;
      step.rest_ = 1;
      if (first_known && known != 0) {
        Copy(memory.Slope(known), memory.Slope(0));
        Copy(memory.Inputs(known), memory.Inputs(0));
      }
    } else {
      step.first_ = first_known ? known : store.used_++;
      step.rest_ = store.used_;
    }
    OpenStepMemory();
    step.t_ = t;
    step.x_ = x;
    step.next_ = next;
    step.evaluations_ = 1;
    if (!first_known) {
      Copy(x, step.State(0));
      step.Evaluate(0, t);
    }
  }

  void OpenStepMemory() {
    const std::size_t each = store.step_memory_size_;
    if (each == 0) return;
    const std::size_t start = keep ? store.steps_.size() * each : 0;
    if (store.step_memory_.size() < start + each) store.step_memory_.resize(start + each);
    step.own_ = std::span(store.step_memory_).subspan(start, each);
  }

  // Takes a step of size h. Returns the norm of its error estimate, or zero if not `controlled`.
  double TryStep(double h, bool controlled) {
    step.h_ = h;
    step.controlled_ = controlled;
    step.evaluations_ = 1;
    return stepper.Advance(step);
  }

  // Writes the state at theta of the current step to the next place of `states`.
  void Emit(double theta) {
    const std::span<double> out = states.subspan(next_output * size, size);
    if (theta == 1) {
      Copy(next, out);
    } else {
      stepper.Interpolate(step, theta, out);
    }
    ++next_output;
  }

  // Ends an accepted step: writes the requested states within it, and makes its end the current
  // state. If its closing evaluation, which is evaluation 0 of the next step, was made, returns
  // true and sets `known` to its index.
  bool CloseStep(double t_next, std::size_t& known) {
    const double h = step.h_;
    while (next_output < times.size() && (times[next_output] - t_next) * h <= 0) {
      const double theta = times[next_output] == t_next ? 1.0 : (times[next_output] - t) / h;
      if (keep) store.outputs_.push_back({store.steps_.size(), theta});
      Emit(theta);
    }
    const bool shared = closing < step.evaluations_;
    if (shared) known = step.Index(closing);
    if (keep) {
      store.used_ = step.rest_ + step.evaluations_ - 1;
      store.steps_.push_back({t, h, step.first_, step.rest_, step.evaluations_, shares_first});
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

  // Begins the smooth piece of the inputs that starts at t, and sets `stop` to its end.
  void OpenPiece(double direction) {
    stop = end;
    if (step.inputs_ == nullptr) return;
    const double jump = step.inputs_->NextBreak(t, direction);
    if ((jump - end) * direction < 0) stop = jump;
    step.inside_ = t + 0.5 * (stop - t);
  }

  // Returns the size of the fixed steps, at most `largest`, that divide the rest of the piece
  // evenly.
  double EvenStep(double largest) const {
    const double left = std::fabs(stop - t);
    return left / std::ceil(left / largest * (1 - 1e-12));
  }

  // Chooses a first step from the sizes of x, of f, and of the change of f along a small Euler step
  // (Hairer, Norsett, Wanner, II.4).
  double ChooseFirstStep(double direction) {
    const std::span<const double> slope = step.Slope(0);
    const double d0 = NormAtStart(x);
    const double d1 = NormAtStart(slope);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = std::min(h0, std::fabs(stop - t));
    // The memory of evaluation 1 is used; the first step overwrites it.
    const std::span<double> state = step.State(1), change = step.error_;
    for (std::size_t i = 0; i < size; ++i) state[i] = x[i] + direction * h0 * slope[i];
    EvaluationMemory& memory = store.evaluations_;
    memory.SetTime(step.rest_, t + direction * h0, step.inside_, step.inputs_);
    field.Value(memory.Points(step.rest_), change, memory.Record(step.rest_));
    ++step.made_;
    for (std::size_t i = 0; i < size; ++i) change[i] -= slope[i];
    const double d2 = NormAtStart(change) / h0;
    const double d = std::max(d1, d2);
    if (!std::isfinite(d)) return h0;
    const double h1 =
        d <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / d, 1.0 / stepper.error_power());
    return std::min(100 * h0, h1);
  }

  // Checks every 20th accepted step for stiffness, and after a suspicious step also the next ones.
  // The system counts as stiff when 15 steps were limited by stability, with fewer than 6 other
  // steps in a row between them.
  void CheckStiffness() {
    if (result.statistics.stiff) return;
    if (suspicious == 0 && (result.statistics.accepted + 1) % 20 != 0) return;
    if (stepper.Stiffness(step) > 1) {
      harmless = 0;
      if (++suspicious == 15) result.statistics.stiff = true;
    } else if (suspicious > 0 && ++harmless == 6) {
      suspicious = harmless = 0;
    }
  }

  SolveResult Finish(SolveStatus status) {
    result.status = status;
    result.statistics.evaluations = step.made_;
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
  run.OpenPiece(direction);
  run.OpenStep(false, 0);
  if (!AllFinite(run.x) || !AllFinite(run.step.Slope(0))) {
    return run.Finish(SolveStatus::kNotFinite);
  }
  double h = options_.fixed_step;
  if (controlled) {
    // If the square of a slope overflows, ChooseFirstStep returns zero.
    h = std::max(step_hint > 0 ? step_hint : run.ChooseFirstStep(direction), smallest);
  } else {
    h = run.EvenStep(options_.fixed_step);
  }
  StepControl control(stepper_->error_power());
  SolveStatistics& count = run.result.statistics;
  // Every piece of the inputs needs a step of its own, which does not count.
  std::size_t allowed = options_.max_steps;
  while (true) {
    if (count.accepted + count.rejected == allowed) {
      return run.Finish(SolveStatus::kTooManySteps);
    }
    h = std::min(h, options_.max_step);
    const double left = std::fabs(run.stop - run.t);
    // The last step is made a little longer if otherwise a tiny step would be left after it.
    const bool last = h * (1 + 1e-9) >= left;
    const double signed_h = last ? run.stop - run.t : direction * h;
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
      // A last step that was shortened to end at `stop` must not make the step size smaller.
      h = last ? std::max(h, std::fabs(signed_h) * factor) : h * factor;
      if (count.accepted == 0) run.result.step_hint = h;
      run.CheckStiffness();
    }
    std::size_t known = 0;
    const std::size_t before = run.next_output;
    bool shared = run.CloseStep(last ? run.stop : run.t + signed_h, known);
    if (stop_rule_ != nullptr && run.next_output > before &&
        stop_rule_->StopsAfter(run.next_output)) {
      return run.Finish(SolveStatus::kStopped);
    }
    if (last) {
      if (run.stop == run.end) return run.Finish(SolveStatus::kOk);
      // The next piece begins with an evaluation of its own, since the inputs may jump.
      run.OpenPiece(direction);
      if (!controlled) h = run.EvenStep(options_.fixed_step);
      shared = false;
      ++allowed;
    }
    run.OpenStep(shared, known);
    if (!shared && !AllFinite(run.step.Slope(0))) {
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
  const std::size_t size = record.evaluations_.size();
  CheckSize("Solver::Replay", "x0", x0.size(), size);
  CheckSize("Solver::Replay", "states", states.size(), record.outputs_.size() * size);
  Run run(*this, field, x0, {}, states, scratch_, false, inputs);
  const auto emit_outputs_of = [&](std::size_t step) {
    while (run.next_output < record.outputs_.size() &&
           record.outputs_[run.next_output].step == step) {
      run.Emit(step == SolveRecord::kAtStart ? 1 : record.outputs_[run.next_output].theta);
    }
  };
  Copy(run.x, run.next);
  emit_outputs_of(SolveRecord::kAtStart);
  std::size_t known = 0;
  bool shared = false;
  for (std::size_t s = 0; s < record.steps_.size(); ++s) {
    run.t = record.steps_[s].start;
    run.step.inside_ = run.t + 0.5 * record.steps_[s].size;
    run.OpenStep(shared && record.steps_[s].shares_first, known);
    run.TryStep(record.steps_[s].size, false);
    emit_outputs_of(s);
    shared = run.CloseStep(0, known);
  }
}

}  // namespace gpode
