#include "ode/esdirk4.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ode/small_lu.h"
#include "ode/spans.h"

namespace gpode {
namespace {

constexpr std::size_t kStages = 6, kLast = kStages - 1;
constexpr double kGamma = 0.25;

// The nodes c_i, the coefficients a_ij below the diagonal, whose last row is b, and b - b_hat, the
// difference from the embedded method.
constexpr std::array<double, kStages> kNodes = {0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1};
constexpr double kA[kStages][kStages] = {
    {},
    {1.0 / 4},
    {8611.0 / 62500, -1743.0 / 31250},
    {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108},
    {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768,
     2285395.0 / 8070912},
    {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211}};
constexpr std::array<double, kStages> kError = {
    82889.0 / 524892 - 4586570599.0 / 29645900160, 0,
    15625.0 / 83664 - 178811875.0 / 945068544,     69875.0 / 102672 - 814220225.0 / 1159782912,
    -2260.0 / 8211 + 3700637.0 / 11593932,         kGamma - 61727.0 / 225920};

// The largest numbers of iterations of a stage and of new Jacobians during them. Convergence is
// slow if a correction is more than kSlow times the correction before.
constexpr int kMostIterations = 12, kMostRefreshes = 3;
constexpr double kSlow = 0.2;
// The iterations have converged when the correction, relative to the tolerances, is below
// kConverged, or is below kRounding and no longer decreases because of rounding errors.
constexpr double kConverged = 1e-8, kRounding = 1e-3;
// The error that a step reports if a stage does not converge. It makes the solver try again with a
// fifth of the step size.
constexpr double kNotConverged = 1e6;

// Views of the parts of a step's memory. In the reverse, they are views of the memory's cotangent,
// which serves as a workspace:
//   slopes   (5, n D)   k_1 .. k_5
//   lu       (n, D, D)  the factors of I - h gamma J, with their pivots (n, D)
//   jacobian (n, D, D)  J
//   change   (n D)      corrections
struct Memory {
  std::size_t dim, count, size;
  std::span<double> slopes, lu, pivots, jacobian, change;

  Memory(std::span<double> all, std::size_t d, std::size_t n) : dim(d), count(n), size(n * d) {
    std::size_t at = 0;
    const auto take = [&](std::size_t length) {
      at += length;
      return all.subspan(at - length, length);
    };
    slopes = take(kLast * size);
    lu = take(size * dim);
    pivots = take(size);
    jacobian = take(size * dim);
    change = take(size);
  }

  std::span<double> Slope(std::size_t stage) const {
    return slopes.subspan((stage - 1) * size, size);
  }

  // Factors I - h gamma J for the Jacobians in `jacobian`.
  bool Factor(double h) const {
    for (std::size_t i = 0; i < lu.size(); ++i) lu[i] = -h * kGamma * jacobian[i];
    for (std::size_t p = 0; p < count; ++p) {
      const std::span<double> own = lu.subspan(p * dim * dim, dim * dim);
      for (std::size_t d = 0; d < dim; ++d) own[d * dim + d] += 1;
      if (!FactorLu(dim, own, pivots.subspan(p * dim, dim))) return false;
    }
    return true;
  }

  void Solve(std::span<double> b) const {
    for (std::size_t p = 0; p < count; ++p) {
      SolveLu(dim, lu.subspan(p * dim * dim, dim * dim), pivots.subspan(p * dim, dim),
              b.subspan(p * dim, dim));
    }
  }

  void SolveTransposed(std::span<double> b) const {
    for (std::size_t p = 0; p < count; ++p) {
      SolveLuTransposed(dim, lu.subspan(p * dim * dim, dim * dim), pivots.subspan(p * dim, dim),
                        b.subspan(p * dim, dim));
    }
  }

  // Adds J^T g to `to`.
  void AddTransposed(std::span<const double> g, std::span<double> to) const {
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < dim; ++i) {
        for (std::size_t j = 0; j < dim; ++j) {
          to[p * dim + j] += jacobian[(p * dim + i) * dim + j] * g[p * dim + i];
        }
      }
    }
  }
};

// Solves for the state of a stage. On entry, step.State(stage) holds the first guess, and `rest` is
// r_i. Writes the state, its evaluation and its slope k_i to the step. Returns false if the
// iterations do not converge.
bool SolveStage(Step& step, std::size_t stage, std::span<const double> rest, const Memory& own) {
  const double h = step.h(), time = step.t() + kNodes[stage] * h;
  const std::span<double> state = step.State(stage);
  double before = std::numeric_limits<double>::infinity();
  int refreshes = 0;
  bool converged = false;
  for (int i = 0; i < kMostIterations * (1 + refreshes); ++i) {
    step.Evaluate(stage, time);
    const std::span<const double> slope = step.Slope(stage);
    for (std::size_t k = 0; k < own.size; ++k) {
      own.change[k] = rest[k] + h * kGamma * slope[k] - state[k];
    }
    own.Solve(own.change);
    if (!AllFinite(own.change)) return false;
    AddScaled(1, own.change, state);
    const double size = step.ErrorNorm(own.change);
    if (size <= kConverged || (size <= kRounding && size >= before)) {
      converged = true;
      break;
    }
    if (size > kSlow * before && refreshes < kMostRefreshes) {
      // The Jacobian at the start of the step is too far off; the one at the present state replaces
      // it.
      step.Evaluate(stage, time);
      step.field().Jacobian(step.Points(stage), own.jacobian);
      if (!own.Factor(h)) return false;
      ++refreshes;
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    if (size > 2 * before) return false;
    before = size;
  }
  if (!converged) return false;
  // The slope comes from the equation of the stage, since f(Y_i) amplifies the error of Y_i in
  // stiff directions.
  const std::span<double> slope = own.Slope(stage);
  for (std::size_t k = 0; k < own.size; ++k) slope[k] = (state[k] - rest[k]) / (h * kGamma);
  step.Evaluate(stage, time);
  return true;
}

// Returns the weights of x, h k_0, next and h k_5 in the Hermite polynomial at the share s of a
// step.
std::array<double, 4> Hermite(double s) {
  return {(1 + 2 * s) * (1 - s) * (1 - s), s * (1 - s) * (1 - s), s * s * (3 - 2 * s),
          s * s * (s - 1)};
}

double Fail(Step& step) {
  std::ranges::fill(step.next(), step.controlled() ? 0.0 : NAN);
  return kNotConverged;
}

}  // namespace

std::size_t Esdirk4::most_evaluations() const { return kStages; }

std::size_t Esdirk4::closing() const { return kLast; }

std::size_t Esdirk4::memory_size(const Field& field, std::size_t n) const {
  return n * field.dim() * (kLast + 2 * field.dim() + 2);
}

double Esdirk4::Advance(Step& step) const {
  const std::size_t dim = step.field().dim();
  const Memory own(step.memory(), dim, step.size() / dim);
  const double h = step.h();
  step.field().Jacobian(step.Points(0), own.jacobian);
  if (!own.Factor(h)) return Fail(step);
  const std::span<double> rest = step.error();
  Copy(step.x(), step.next());  // for the scale of ErrorNorm
  for (std::size_t stage = 1; stage < kStages; ++stage) {
    Copy(step.x(), rest);
    AddScaled(h * kA[stage][0], step.Slope(0), rest);
    for (std::size_t j = 1; j < stage; ++j) AddScaled(h * kA[stage][j], own.Slope(j), rest);
    Copy(rest, step.State(stage));
    AddScaled(h * kGamma, stage == 1 ? step.Slope(0) : own.Slope(stage - 1), step.State(stage));
    if (!SolveStage(step, stage, rest, own)) return Fail(step);
  }
  Copy(step.State(kLast), step.next());
  if (!step.controlled()) return 0;
  const std::span<double> error = step.error();
  std::ranges::fill(error, 0.0);
  AddScaled(h * kError[0], step.Slope(0), error);
  for (std::size_t j = 1; j < kStages; ++j) AddScaled(h * kError[j], own.Slope(j), error);
  own.Solve(error);
  return step.ErrorNorm(error);
}

void Esdirk4::Interpolate(Step& step, double theta, std::span<double> y) const {
  const std::size_t dim = step.field().dim();
  const Memory own(step.memory(), dim, step.size() / dim);
  const std::array<double, 4> w = Hermite(theta);
  std::ranges::fill(y, 0.0);
  AddScaled(w[0], step.x(), y);
  AddScaled(w[1] * step.h(), step.Slope(0), y);
  AddScaled(w[2], step.next(), y);
  AddScaled(w[3] * step.h(), own.Slope(kLast), y);
}

void Esdirk4::ReverseInterpolate(StepReverse& step, double theta,
                                 std::span<const double> by) const {
  const std::size_t dim = step.field().dim();
  const Memory own(step.bmemory(), dim, step.size() / dim);
  const std::array<double, 4> w = Hermite(theta);
  AddScaled(w[0], by, step.bx());
  AddScaled(w[1] * step.h(), by, step.bslope(0));
  AddScaled(w[2], by, step.bnext());
  AddScaled(w[3] * step.h(), by, own.Slope(kLast));
}

void Esdirk4::ReverseAdvance(StepReverse& step) const {
  const std::size_t dim = step.field().dim();
  const Memory own(step.bmemory(), dim, step.size() / dim);
  const double h = step.h();
  for (std::size_t stage = kLast; stage >= 1; --stage) {
    // step.bslope(kLast) is the cotangent of the closing evaluation, which the next step uses; for
    // other stages it is zero. The cotangent of slope k_i joins it.
    const std::span<double> bslope = own.Slope(stage), g = step.bslope(stage);
    AddScaled(1, bslope, g);
    step.field().Jacobian(step.Points(stage), own.jacobian);
    // The last stage is the end of the step, whose cotangent it takes over.
    std::ranges::fill(own.change, 0.0);
    if (stage == kLast) Copy(step.bnext(), own.change);
    own.AddTransposed(g, own.change);
    if (!own.Factor(h)) std::ranges::fill(own.change, NAN);
    own.SolveTransposed(own.change);
    AddScaled(h * kGamma, own.change, g);
    // The cotangent of r_i is the solution of these equations.
    step.Pullback(stage);
    AddScaled(1, own.change, step.bx());
    AddScaled(h * kA[stage][0], own.change, step.bslope(0));
    for (std::size_t j = 1; j < stage; ++j) AddScaled(h * kA[stage][j], own.change, own.Slope(j));
  }
}

}  // namespace gpode
