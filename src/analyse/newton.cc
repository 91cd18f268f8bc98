#include "analyse/newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

namespace gpode {
namespace {

constexpr int kMaxIterations = 60, kMostHalvings = 4;
// Lengths in half widths: the longest step, the step below which deflation ends, the step at which
// the iteration has converged, and the distance from the centre at which a search is given up.
constexpr double kLongestStep = 0.25, kPlainStep = 1e-2, kLastStep = 1e-11, kFarAway = 2;
// The largest Newton step that rounding errors can cause at a root, and the displacement over which
// the change of the Jacobian is measured.
constexpr double kAcceptedStep = 1e-8, kDisplacement = 1e-4;
constexpr double kKantorovich = 0.5;

// Returns the Newton step at x in half widths of the box, or NaN if the Jacobian is singular.
Vector NewtonStep(Evaluator& evaluate, const Vector& half, const Vector& x) {
  const Vector g = evaluate.At(x).cwiseQuotient(half);
  const Matrix scaled =
      half.cwiseInverse().asDiagonal() * evaluate.JacobianAt(x) * half.asDiagonal();
  return -scaled.partialPivLu().solve(g);
}

// Returns the factor by which deflation at the known points changes the Newton step.
double DeflationFactor(const StateBox& box, const Vector& x, const Vector& step,
                       std::span<const FixedPoint> known) {
  double slope = 0;  // the derivative of the logarithm of the deflating factor along the step
  for (const FixedPoint& point : known) {
    const Vector away = (x - point.state).cwiseQuotient(box.HalfWidths());
    const double square = away.squaredNorm();
    if (square == 0) return 1;
    slope -= 2 * away.dot(step) / (square * (square + 1));
  }
  const double divisor = 1 - slope;
  return divisor == 0 ? 1 : 1 / divisor;
}

double ScaledResidual(Evaluator& evaluate, const Vector& half, const Vector& x) {
  return evaluate.At(x).cwiseQuotient(half).norm();
}

// Shortens the step until the residual does not grow. Deflated steps must be able to climb away
// from a known root, so that only plain steps are shortened.
Vector Shortened(Evaluator& evaluate, const Vector& half, const Vector& x, Vector step) {
  const double before = ScaledResidual(evaluate, half, x);
  for (int k = 0; k < kMostHalvings; ++k) {
    if (ScaledResidual(evaluate, half, x + half.cwiseProduct(step)) <= before) break;
    step *= 0.5;
  }
  return step;
}

// Tells whether a root is certain near x: beta K |J^-1| < 1/2, where beta is the length of the
// Newton step and K a Lipschitz constant of the Jacobian.
bool IsCertain(Evaluator& evaluate, const StateBox& box, const Vector& x) {
  const Vector half = box.HalfWidths();
  const auto scaled = [&](const Vector& at) -> Matrix {
    return half.cwiseInverse().asDiagonal() * evaluate.JacobianAt(at) * half.asDiagonal();
  };
  const Matrix jacobian = scaled(x);
  const Eigen::FullPivLU<Matrix> lu(jacobian);
  if (!lu.isInvertible()) return false;
  const Matrix inverse = lu.inverse();
  const double beta = (inverse * evaluate.At(x).cwiseQuotient(half)).norm();
  double lipschitz = 0;
  for (Eigen::Index d = 0; d < x.size(); ++d) {
    Vector moved = x;
    moved[d] += kDisplacement * half[d];
    lipschitz = std::max(lipschitz, (scaled(moved) - jacobian).norm() / kDisplacement);
  }
  return std::isfinite(beta) && beta < kAcceptedStep &&
         beta * lipschitz * inverse.norm() < kKantorovich;
}

}  // namespace

double BoxDistance(const StateBox& box, const Vector& a, const Vector& b) {
  return (a - b).cwiseQuotient(box.HalfWidths()).norm();
}

std::optional<Vector> FindRoot(Evaluator& evaluate, const StateBox& box, const Vector& start,
                               std::span<const FixedPoint> known) {
  const Vector half = box.HalfWidths(), centre = box.Centre();
  Vector x = start;
  bool plain = known.empty();
  for (int k = 0; k < kMaxIterations; ++k) {
    Vector step = NewtonStep(evaluate, half, x);
    if (!step.allFinite()) return {};
    const double size = step.norm();
    if (size < kLastStep) break;
    plain = plain || size < kPlainStep;
    if (!plain) step *= DeflationFactor(box, x, step, known);
    if (step.norm() > kLongestStep) step *= kLongestStep / step.norm();
    if (plain) step = Shortened(evaluate, half, x, step);
    x += half.cwiseProduct(step);
    if (!((x - centre).cwiseQuotient(half).cwiseAbs().maxCoeff() < kFarAway)) return {};
  }
  if (!IsCertain(evaluate, box, x)) return {};
  return x;
}

Matrix HaltonPoints(const StateBox& box, std::size_t count) {
  std::vector<std::size_t> primes;
  for (std::size_t n = 2; std::ssize(primes) < box.lower.size(); ++n) {
    if (std::ranges::none_of(primes, [n](std::size_t p) { return n % p == 0; })) {
      primes.push_back(n);
    }
  }
  Matrix points(static_cast<Eigen::Index>(count), box.lower.size());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index d = 0; d < points.cols(); ++d) {
      const std::size_t base = primes[static_cast<std::size_t>(d)];
      double share = 0, weight = 1;
      for (auto rest = static_cast<std::size_t>(i) + 1; rest > 0; rest /= base) {
        weight /= static_cast<double>(base);
        share += weight * static_cast<double>(rest % base);
      }
      points(i, d) = box.lower[d] + share * (box.upper[d] - box.lower[d]);
    }
  }
  return points;
}

}  // namespace gpode
