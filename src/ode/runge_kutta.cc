#include "ode/runge_kutta.h"

#include <algorithm>
#include <cmath>

#include "ode/spans.h"

namespace gpode {
namespace {

// Does the work of AddSlopes for states of kSize numbers, whose sums stay in registers.
template <std::size_t kSize>
void AddFewSlopes(const Step& step, std::span<const double> weights, std::span<double> out) {
  double sum[kSize];
  for (std::size_t i = 0; i < kSize; ++i) sum[i] = out[i];
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const double scale = step.h() * weights[j];
    const double* slope = step.Slope(j).data();
    for (std::size_t i = 0; i < kSize; ++i) sum[i] += scale * slope[i];
  }
  for (std::size_t i = 0; i < kSize; ++i) out[i] = sum[i];
}

// Adds h sum_j weight_j k_j to out, where k_j is the slope of stage j.
void AddSlopes(const Step& step, std::span<const double> weights, std::span<double> out) {
  switch (out.size()) {
    case 1:
      return AddFewSlopes<1>(step, weights, out);
    case 2:
      return AddFewSlopes<2>(step, weights, out);
    case 3:
      return AddFewSlopes<3>(step, weights, out);
    case 4:
      return AddFewSlopes<4>(step, weights, out);
    case 5:
      return AddFewSlopes<5>(step, weights, out);
    default:
      break;
  }
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) AddScaled(step.h() * weights[j], step.Slope(j), out);
  }
}

double EstimateError(Step& step, std::span<const double> weights) {
  const std::span<double> error = step.error();
  std::fill(error.begin(), error.end(), 0.0);
  AddSlopes(step, weights, error);
  return step.ErrorNorm(error);
}

}  // namespace

void RungeKutta::EvaluateStage(Step& step, std::size_t stage) const {
  const std::span<double> state = step.State(stage);
  Copy(step.x(), state);
  AddSlopes(step, {tableau_.Row(stage), stage}, state);
  step.Evaluate(stage, step.t() + tableau_.c[stage] * step.h());
}

double RungeKutta::Advance(Step& step) const {
  for (std::size_t stage = 1; stage < tableau_.stages; ++stage) EvaluateStage(step, stage);
  Copy(step.x(), step.next());
  AddSlopes(step, tableau_.b, step.next());
  if (!step.controlled()) return 0;
  const double e = EstimateError(step, tableau_.error);
  if (tableau_.second_error.empty() || !(e > 0)) return e;
  // DOP853 combines its fifth-order estimate e with a third-order one, e3.
  const double e3 = EstimateError(step, tableau_.second_error);
  return e * e / std::sqrt(e * e + 0.01 * e3 * e3);
}

double RungeKutta::Stiffness(Step& step) const {
  // The stability limit of h times an eigenvalue. Along the negative real axis, the stability
  // regions of the methods of order 5 end at about -3.3.
  constexpr double kStable = 3.25;
  const std::size_t last = tableau_.stages - 1;
  if (last < 2 || tableau_.order != 5 || tableau_.c[last] != tableau_.c[last - 1]) return 0;
  double slopes = 0, states = 0;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const double slope = step.Slope(last)[i] - step.Slope(last - 1)[i];
    const double state = step.State(last)[i] - step.State(last - 1)[i];
    slopes += slope * slope;
    states += state * state;
  }
  return states > 0 ? std::fabs(step.h()) * std::sqrt(slopes / states) / kStable : 0;
}

void RungeKutta::Interpolate(Step& step, double theta, std::span<double> y) const {
  for (std::size_t i = step.evaluations(); i < tableau_.all_stages; ++i) EvaluateStage(step, i);
  double weights[Tableau::kMostStages];
  for (std::size_t j = 0; j < tableau_.all_stages; ++j) weights[j] = tableau_.DenseWeight(j, theta);
  Copy(step.x(), y);
  AddSlopes(step, {weights, tableau_.all_stages}, y);
}

void RungeKutta::ReverseInterpolate(StepReverse& step, double theta,
                                    std::span<const double> by) const {
  AddScaled(1, by, step.bx());
  for (std::size_t i = 0; i < tableau_.all_stages; ++i) {
    AddScaled(step.h() * tableau_.DenseWeight(i, theta), by, step.bslope(i));
  }
}

void RungeKutta::ReverseAdvance(StepReverse& step) const {
  const double h = step.h();
  const std::span<double> bx = step.bx(), bnext = step.bnext();
  AddScaled(1, bnext, bx);
  for (std::size_t i = 0; i < tableau_.stages; ++i) {
    if (tableau_.b[i] != 0) AddScaled(h * tableau_.b[i], bnext, step.bslope(i));
  }
  for (std::size_t stage = step.evaluations(); stage-- > 1;) {
    const std::span<const double> bstage = step.Pullback(stage);
    if (bstage.empty()) continue;
    AddScaled(1, bstage, bx);
    const double* a = tableau_.Row(stage);
    for (std::size_t j = 0; j < stage; ++j) {
      if (a[j] != 0) AddScaled(h * a[j], bstage, step.bslope(j));
    }
  }
}

}  // namespace gpode
