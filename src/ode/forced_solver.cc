#include "ode/forced_solver.h"

#include <algorithm>
#include <limits>

namespace gpode {

void ForcedField::Add(std::span<double> f) const {
  for (std::size_t i = 0; i < f.size(); ++i) f[i] += force_[i % force_.size()];
}

void ForcedField::Value(const FieldPoints& points, std::span<double> f,
                        std::span<double> scratch) const {
  field_.Value(points, f, scratch);
  Add(f);
}

void ForcedField::Record(const FieldPoints& points, std::span<double> f,
                         std::span<double> record) const {
  field_.Record(points, f, record);
  Add(f);
}

void ForcedField::Pullback(const FieldPoints& points, std::span<const double> record,
                           std::span<const double> g, std::span<double> bx,
                           std::span<double> bparameters) const {
  const std::size_t own = field_.parameter_count();
  field_.Pullback(points, record, g, bx, bparameters.first(own));
  const std::span<double> bforce = bparameters.subspan(own);
  for (std::size_t i = 0; i < g.size(); ++i) bforce[i % bforce.size()] += g[i];
}

void ForcedField::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  field_.Jacobian(points, jacobian);
}

SolveResult ForcedSolver::Solve(const Field& field, const Force& force, std::span<const double> x0,
                                double t0, std::span<const double> times, std::span<double> states,
                                double step_hint, const InputSignal* inputs) {
  return Run(field, force, x0, t0, times, states, step_hint, inputs, false);
}

SolveResult ForcedSolver::SolveRecorded(const Field& field, const Force& force,
                                        std::span<const double> x0, double t0,
                                        std::span<const double> times, std::span<double> states,
                                        double step_hint, const InputSignal* inputs) {
  return Run(field, force, x0, t0, times, states, step_hint, inputs, true);
}

SolveResult ForcedSolver::Run(const Field& field, const Force& force, std::span<const double> x0,
                              double t0, std::span<const double> times, std::span<double> states,
                              double step_hint, const InputSignal* inputs, bool with_record) {
  const std::size_t dim = field.dim();
  const bool backwards = !times.empty() && times.back() < t0;
  SolveResult all;
  all.reached = t0;
  std::ranges::fill(states, std::numeric_limits<double>::quiet_NaN());
  from_.assign(x0.begin(), x0.end());
  zeros_.assign(dim, 0.0);
  used_ = 0;
  double begin = t0;
  for (std::size_t p = 0; all.filled < times.size(); ++p) {
    const bool is_beyond = p >= force.ends.size();
    const double end = is_beyond ? times.back() : force.ends[p];
    std::size_t count = 0;
    while (all.filled + count < times.size() &&
           (is_beyond ||
            (backwards ? times[all.filled + count] >= end : times[all.filled + count] <= end))) {
      ++count;
    }
    // The state at the end of the piece, where the next piece starts, is one more output.
    times_.assign(times.begin() + static_cast<std::ptrdiff_t>(all.filled),
                  times.begin() + static_cast<std::ptrdiff_t>(all.filled + count));
    times_.push_back(end);
    states_.resize(times_.size() * dim);
    if (pieces_.size() <= used_) pieces_.emplace_back();
    Piece& piece = pieces_[used_];
    piece.first = all.filled;
    piece.count = count;
    const ForcedField forced(
        field, is_beyond ? std::span<const double>(zeros_) : force.values.subspan(p * dim, dim));
    const SolveResult result =
        with_record ? solver_.SolveRecorded(forced, from_, begin, times_, states_, piece.record,
                                            step_hint, inputs)
                    : solver_.Solve(forced, from_, begin, times_, states_, step_hint, inputs);
    ++used_;
    all.statistics.accepted += result.statistics.accepted;
    all.statistics.rejected += result.statistics.rejected;
    all.statistics.evaluations += result.statistics.evaluations;
    all.statistics.stiff = all.statistics.stiff || result.statistics.stiff;
    all.reached = result.reached;
    if (p == 0) all.step_hint = result.step_hint;
    const std::size_t filled = std::min(result.filled, count);
    std::copy_n(states_.begin(), filled * dim,
                states.begin() + static_cast<std::ptrdiff_t>(all.filled * dim));
    all.filled += filled;
    if (!result.ok()) {
      all.status = result.status;
      return all;
    }
    if (stop_rule_ != nullptr && filled > 0 && stop_rule_->StopsAfter(all.filled)) {
      all.status = SolveStatus::kStopped;
      return all;
    }
    step_hint = result.step_hint;
    from_.assign(states_.end() - static_cast<std::ptrdiff_t>(dim), states_.end());
    begin = end;
  }
  return all;
}

void ForcedSolver::Pullback(const Field& field, const Force& force, std::span<const double> bstates,
                            std::span<double> bx0, std::span<double> bforce,
                            std::span<double> bparameters) {
  const std::size_t dim = field.dim(), own = field.parameter_count();
  bfrom_.assign(dim, 0.0);  // the cotangent of the state at the end of a piece
  for (std::size_t p = used_; p-- > 0;) {
    const Piece& piece = pieces_[p];
    const bool is_beyond = p >= force.ends.size();
    const ForcedField forced(
        field, is_beyond ? std::span<const double>(zeros_) : force.values.subspan(p * dim, dim));
    const std::span<const double> seen = bstates.subspan(piece.first * dim, piece.count * dim);
    bstates_.assign(seen.begin(), seen.end());
    bstates_.insert(bstates_.end(), bfrom_.begin(), bfrom_.end());
    bfrom_.assign(dim, 0.0);
    sums_.assign(own + dim, 0.0);
    solver_.Pullback(forced, piece.record, bstates_, bfrom_, sums_);
    for (std::size_t i = 0; i < own; ++i) bparameters[i] += sums_[i];
    for (std::size_t d = 0; d < dim && !is_beyond; ++d) bforce[p * dim + d] += sums_[own + d];
  }
  for (std::size_t d = 0; d < dim; ++d) bx0[d] += bfrom_[d];
}

}  // namespace gpode
