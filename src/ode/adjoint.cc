// The discrete adjoint: backwards through the recorded steps, sizes held fixed. See ode.h.
//
// One step is x' = x + h sum_i b_i k_i with k_i = f(X_i), X_i = x + h sum_j a_ij k_j, and dense
// outputs y = x + h sum_i B_i(theta) k_i. Its reverse, for cotangents bx' and by:
//   bk_i = h b_i bx' + h sum_y B_i(theta_y) by,      bx = bx' + sum_y by
//   for i from the last stage to the first:  bX = (df/dx)^T bk_i,  bx += bX,  bk_j += h a_ij bX
// A first stage that is the step before's closing stage is pulled back there, once, for both.
#include <algorithm>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "ode/tableau.h"

namespace gpode {
namespace {

void AddScaled(double scale, std::span<const double> from, double* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += scale * from[i];
}

bool AllZero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

}  // namespace

void Solver::Pullback(const Field& field, const SolveRecord& record,
                      std::span<const double> bstates, std::span<double> bx0,
                      std::span<double> bparameters) {
  const std::size_t size = record.size_;
  CheckSize("Solver::Pullback", "bx0", bx0.size(), size);
  CheckSize("Solver::Pullback", "bparameters", bparameters.size(), field.parameter_count());
  CheckSize("Solver::Pullback", "the record's inputs", record.inputs_,
            size / field.dim() * field.inputs());
  if (bstates.size() < record.outputs_.size() * size) {
    CheckSize("Solver::Pullback", "bstates", bstates.size(), record.outputs_.size() * size);
  }
  if (bstate_.size() < size) {
    bslopes_.resize(Tableau::kMostStages * size);
    for (AlignedVector<double>* v : {&bstate_, &bstart_, &bstage_, &pending_}) v->resize(size);
  }
  std::fill_n(bstate_.begin(), size, 0.0);
  const Tableau& tableau = *record.tableau_;
  std::size_t output = record.outputs_.size();
  bool next_shares = false;
  for (std::size_t s = record.steps_.size(); s-- > 0;) {
    const SolveRecord::Step& step = record.steps_[s];
    std::fill_n(bslopes_.begin(), step.stages * size, 0.0);
    std::fill_n(bstart_.begin(), size, 0.0);
    for (; output > 0 && record.outputs_[output - 1].step == s; --output) {
      const double theta = record.outputs_[output - 1].theta;
      const std::span<const double> by = bstates.subspan((output - 1) * size, size);
      if (theta == 1) {
        AddScaled(1, by, bstate_.data());
        continue;
      }
      AddScaled(1, by, bstart_.data());
      for (std::size_t i = 0; i < tableau.all_stages; ++i) {
        AddScaled(step.size * tableau.DenseWeight(i, theta), by, bslopes_.data() + i * size);
      }
    }
    ReverseStep(field, record, s, next_shares, bparameters);
    next_shares = step.shares_first;
  }
  AddScaled(1, {bstate_.data(), size}, bx0.data());
  for (; output > 0; --output) AddScaled(1, bstates.subspan((output - 1) * size, size), bx0.data());
}

// bstate_: cotangent of the step's end on entry, of its start on return. pending_: cotangent of the
// closing stage's slope, from the step after, if that shares it; likewise on return.
void Solver::ReverseStep(const Field& field, const SolveRecord& record, std::size_t s,
                         bool next_shares, std::span<double> bparameters) {
  const SolveRecord::Step& step = record.steps_[s];
  const Tableau& tableau = *record.tableau_;
  const std::size_t size = record.size_;
  const auto bslope = [&](std::size_t stage) {
    return std::span<double>(bslopes_.data() + stage * size, size);
  };
  const std::span<double> bend(bstate_.data(), size), bstart(bstart_.data(), size);
  if (next_shares) AddScaled(1, {pending_.data(), size}, bslope(tableau.closing).data());
  AddScaled(1, bend, bstart.data());
  for (std::size_t i = 0; i < tableau.stages; ++i) {
    if (tableau.b[i] != 0) AddScaled(step.size * tableau.b[i], bend, bslope(i).data());
  }
  for (std::size_t stage = step.stages; stage-- > 0;) {
    if (stage == 0 && step.shares_first) {
      std::copy_n(bslope(0).begin(), size, pending_.begin());
      break;
    }
    if (AllZero(bslope(stage))) continue;
    const std::size_t e = stage == 0 ? step.first : step.rest + stage - 1;
    const std::span<double> bstage(bstage_.data(), size);
    std::fill(bstage.begin(), bstage.end(), 0.0);
    field.Pullback(record.Points(e), {record.Kept(e), record.record_size_}, bslope(stage), bstage,
                   bparameters);
    AddScaled(1, bstage, bstart.data());
    for (std::size_t j = 0; j < stage; ++j) {
      const double a = tableau.Row(stage)[j];
      if (a != 0) AddScaled(step.size * a, bstage, bslope(j).data());
    }
  }
  std::copy(bstart.begin(), bstart.end(), bend.begin());
}

}  // namespace gpode
