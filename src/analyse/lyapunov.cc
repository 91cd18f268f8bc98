#include "gpode/lyapunov.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "analyse/orbit.h"
#include "analyse/variational_field.h"
#include "gpode/error.h"
#include "gpode/limit_cycles.h"
#include "gpode/ode.h"

namespace gpode {
namespace {

constexpr double kUnits = 500, kTransientUnits = 50;
constexpr std::size_t kIntervalsPerUnit = 2;

// Integrates a state and its displacements from one factorisation to the next.
class Spectrum {
 public:
  Spectrum(const Field& field, const StateBox& box, const Vector& start, double interval,
           double tolerance)
      : outer_(box.Enlarged(3)),
        dim_(static_cast<Eigen::Index>(field.dim())),
        both_(field, field.dim()),
        solver_({.method = Method::kDop853,
                 .rtol = tolerance,
                 .atol = tolerance * box.HalfWidths().minCoeff(),
                 .max_steps = 200'000}),
        interval_(interval),
        state_(both_.Start(start, Matrix::Identity(dim_, dim_))) {}

  // Integrates one interval and adds the logarithms of the displacements' growth to `sums` (D).
  // Returns false if the solution cannot be followed or has left the box.
  bool Advance(Vector* sums) {
    Vector end(state_.size());
    const auto size = static_cast<std::size_t>(end.size());
    const double times[] = {interval_};
    const SolveResult result =
        solver_.Solve(both_, {state_.data(), size}, 0, times, {end.data(), size}, hint_);
    if (!result.ok() || !end.allFinite()) return false;
    hint_ = result.step_hint;
    const Vector x = end.head(dim_);
    if (!outer_.Contains(x)) return false;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(both_.MatrixOf(end));
    *sums += qr.matrixQR().diagonal().cwiseAbs().array().log().matrix();
    state_ = both_.Start(x, qr.householderQ() * Eigen::MatrixXd::Identity(dim_, dim_));
    return sums->allFinite();
  }

  Vector State() const { return state_.head(dim_); }

 private:
  StateBox outer_;
  Eigen::Index dim_;
  VariationalField both_;
  Solver solver_;
  double interval_, hint_ = 0;
  Vector state_;
};

double KaplanYorke(const Vector& exponents) {
  double sum = 0;
  for (Eigen::Index d = 0; d < exponents.size(); ++d) {
    if (sum + exponents[d] < 0) {
      return static_cast<double>(d) + sum / std::abs(exponents[d]);
    }
    sum += exponents[d];
  }
  return static_cast<double>(exponents.size());
}

// Sets exponents and standard errors from the growth rates (batches, D) in batches of time.
void Summarise(const Matrix& rates, LyapunovSpectrum* spectrum) {
  const auto n = static_cast<double>(rates.rows());
  spectrum->exponents = rates.colwise().mean().transpose();
  spectrum->standard_errors =
      ((rates.rowwise() - spectrum->exponents.transpose()).colwise().squaredNorm() / (n * (n - 1)))
          .cwiseSqrt()
          .transpose();
  std::sort(spectrum->exponents.begin(), spectrum->exponents.end(), std::greater<>());
  spectrum->dimension = KaplanYorke(spectrum->exponents);
}

}  // namespace

LyapunovSpectrum LyapunovExponents(const Field& field, const StateBox& box, const Vector& start,
                                   const LyapunovOptions& options) {
  CheckBox("LyapunovExponents", box, field.dim());
  CheckAtLeast("LyapunovExponents", "batches", static_cast<std::ptrdiff_t>(options.batches), 2);
  const double unit = TimeScale(field, box);
  const double time = options.time > 0 ? options.time : kUnits * unit;
  const double transient = options.transient > 0 ? options.transient : kTransientUnits * unit;
  const double wanted = unit / static_cast<double>(kIntervalsPerUnit);
  const auto batch = static_cast<std::size_t>(
      std::max(1.0, std::ceil(time / wanted / static_cast<double>(options.batches))));
  const double interval = time / static_cast<double>(batch * options.batches);
  Spectrum spectrum(field, box, start, interval, options.tolerance);
  const auto dim = static_cast<Eigen::Index>(field.dim());
  Vector ignored = Vector::Zero(dim), sum = ignored, squares = ignored;
  for (double t = 0; t < transient; t += interval) {
    if (!spectrum.Advance(&ignored)) return {};
  }
  Matrix rates(static_cast<Eigen::Index>(options.batches), dim);
  for (Eigen::Index b = 0; b < rates.rows(); ++b) {
    if (options.stop && options.stop()) return {};
    Vector sums = Vector::Zero(dim);
    for (std::size_t i = 0; i < batch; ++i) {
      if (!spectrum.Advance(&sums)) return {};
      sum += spectrum.State();
      squares += spectrum.State().cwiseAbs2();
    }
    rates.row(b) = sums.transpose() / (static_cast<double>(batch) * interval);
  }
  LyapunovSpectrum result{.time = time};
  Summarise(rates, &result);
  const auto count = static_cast<double>(batch * options.batches);
  result.spread = (squares / count - (sum / count).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  return result;
}

}  // namespace gpode
