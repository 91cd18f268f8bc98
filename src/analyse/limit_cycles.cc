#include "gpode/limit_cycles.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "analyse/newton.h"
#include "analyse/orbit.h"
#include "analyse/variational_field.h"
#include "gpode/error.h"
#include "gpode/held_field.h"
#include "gpode/ode.h"

namespace gpode {
namespace {

constexpr int kMaxIterations = 20;
constexpr double kFollowTolerance = 1e-7, kSamplesPerUnit = 20;
// Distances in half widths of the box: the distance at which a solution has reached a fixed point,
// the distance at which it has returned to an earlier state, and the least size of a cycle.
constexpr double kReached = 2e-3, kReturned = 0.05, kLeastSize = 5e-3;
constexpr double kNeutral = 1e-5;   // distance of a neutral multiplier from the unit circle
constexpr double kFirstUnits = 10;  // the time of the first check for an attractor, in TimeScale

// Newton's method for a state on a cycle and its period, in half widths of the box.
class CycleRefiner {
 public:
  CycleRefiner(const Field& field, const StateBox& box, const Vector& state, double period,
               const CycleOptions& options)
      : field_(field),
        both_(field, field.dim()),
        half_(box.HalfWidths()),
        solver_({.method = Method::kDop853,
                 .rtol = options.tolerance,
                 .atol = options.tolerance * half_.minCoeff(),
                 .max_steps = 200'000}),
        evaluate_(field),
        first_(state),
        state_(state),
        period_(period),
        guess_(period),
        options_(options) {
    normal_ = evaluate_.At(state).cwiseQuotient(half_);
    normal_ /= normal_.norm();
  }

  std::optional<LimitCycle> Run() {
    const double enough = std::max(1e-12, 10 * options_.tolerance);
    for (int k = 0; k < kMaxIterations; ++k) {
      if (!Integrate()) return {};
      const double change = Step();
      if (!std::isfinite(change) || !(period_ > 0.3 * guess_ && period_ < 3 * guess_)) return {};
      if ((state_ - first_).cwiseQuotient(half_).norm() > 0.5) return {};
      if (change < enough) return Finished();
    }
    return {};
  }

 private:
  bool Integrate() {
    const auto d = state_.size();
    const Vector start = both_.Start(state_, Matrix::Identity(d, d));
    Vector end(start.size());
    const double times[] = {period_};
    const auto size = static_cast<std::size_t>(end.size());
    const SolveResult result =
        solver_.Solve(both_, {start.data(), size}, 0, times, {end.data(), size});
    if (!result.ok() || !end.allFinite()) return false;
    end_ = end.head(d);
    monodromy_ = half_.cwiseInverse().asDiagonal() * both_.MatrixOf(end) * half_.asDiagonal();
    return true;
  }

  // Takes one Newton step in state and period, and returns its relative size. In a family of cycles
  // the equations are singular, and the step is the shortest of their least squares solutions.
  double Step() {
    const auto d = state_.size();
    Matrix jacobian = Matrix::Zero(d + 1, d + 1);
    jacobian.topLeftCorner(d, d) = monodromy_ - Matrix::Identity(d, d);
    jacobian.col(d).head(d) = evaluate_.At(end_).cwiseQuotient(half_) * period_;
    jacobian.row(d).head(d) = normal_.transpose();
    Vector miss(d + 1);
    miss << (end_ - state_).cwiseQuotient(half_),
        normal_.dot((state_ - first_).cwiseQuotient(half_));
    Eigen::CompleteOrthogonalDecomposition<Matrix> factors(jacobian.rows(), jacobian.cols());
    factors.setThreshold(1e-7);
    factors.compute(jacobian);
    Vector step = -factors.solve(miss);
    const double size = step.norm();
    if (size > 0.2) step *= 0.2 / size;
    state_ += half_.cwiseProduct(step.head(d));
    period_ *= 1 + step[d];
    return size;
  }

  std::optional<LimitCycle> Finished() {
    if (!Integrate()) return {};
    LimitCycle cycle{.period = period_};
    const std::size_t rows = options_.cycle_rows, d = field_.dim();
    std::vector<double> times(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      times[i] = period_ * static_cast<double>(i) / static_cast<double>(rows - 1);
    }
    cycle.states.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(d));
    const SolveResult result =
        solver_.Solve(field_, {state_.data(), d}, 0, times, {cycle.states.data(), rows * d});
    if (!result.ok()) return {};
    cycle.lower = cycle.states.colwise().minCoeff().transpose();
    cycle.upper = cycle.states.colwise().maxCoeff().transpose();
    if (cycle.Amplitudes().cwiseQuotient(half_).maxCoeff() < kLeastSize) return {};
    SetMultipliers(&cycle);
    return cycle;
  }

  void SetMultipliers(LimitCycle* cycle) const {
    Eigen::VectorXcd all = Eigen::EigenSolver<Matrix>(monodromy_, false).eigenvalues();
    Eigen::Index trivial = 0;
    (all.array() - 1.0).abs().minCoeff(&trivial);
    std::vector<std::complex<double>> others;
    for (Eigen::Index i = 0; i < all.size(); ++i) {
      if (i != trivial) others.push_back(all[i]);
    }
    std::ranges::sort(others, [](std::complex<double> a, std::complex<double> b) {
      return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
    });
    cycle->multipliers = Eigen::Map<Eigen::VectorXcd>(others.data(), std::ssize(others));
    const double largest = others.empty() ? 0 : std::abs(others.front());
    cycle->neutral = std::abs(largest - 1) < kNeutral;
    cycle->stable = largest < 1 - kNeutral;
  }

  const Field& field_;
  VariationalField both_;
  Vector half_;
  Solver solver_;
  Evaluator evaluate_;
  Vector first_, state_, normal_, end_;
  Matrix monodromy_;
  double period_, guess_;
  CycleOptions options_;
};

// Returns the index of the stable fixed point that the state has reached, if any.
std::optional<std::size_t> ReachedPoint(const StateBox& box, std::span<const FixedPoint> points,
                                        const Vector& state) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].stable && BoxDistance(box, points[i].state, state) < kReached) return i;
  }
  return {};
}

// Returns the index of the stable fixed point to which the orbit is close at its end, and closer
// than it was half-way, if any. The orbit need not have reached it.
std::optional<std::size_t> ApproachedPoint(const StateBox& box, std::span<const FixedPoint> points,
                                           const Orbit& orbit) {
  const std::size_t n = orbit.size(), piece = n / 8;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k].stable) continue;
    const auto farthest = [&](std::size_t from) {
      double most = 0;
      for (std::size_t i = from; i < from + piece; ++i) {
        most = std::max(most, BoxDistance(box, points[k].state, orbit.State(i)));
      }
      return most;
    };
    const double before = farthest(n - 4 * piece), after = farthest(n - piece);
    if (after < 0.2 && after < 0.8 * before) return k;
  }
  return {};
}

// Returns the time after sample `from` at which the orbit first returns close to that sample
// through the section there, or nothing.
std::optional<double> ReturnTime(const Field& field, const StateBox& box, const Orbit& orbit,
                                 std::size_t from) {
  Evaluator evaluate(field);
  const Vector half = box.HalfWidths(), start = orbit.State(from);
  const Vector normal = evaluate.At(start).cwiseQuotient(half);
  const auto height = [&](std::size_t i) {
    return normal.dot((orbit.State(i) - start).cwiseQuotient(half));
  };
  for (std::size_t i = from + 2; i + 1 < orbit.size(); ++i) {
    const double a = height(i), b = height(i + 1);
    if (!(a < 0 && b >= 0)) continue;
    const double share = a / (a - b);
    const Vector crossing = (1 - share) * orbit.State(i) + share * orbit.State(i + 1);
    if (BoxDistance(box, crossing, start) < kReturned) {
      return (static_cast<double>(i - from) + share) * orbit.step();
    }
  }
  return {};
}

}  // namespace

double TimeScale(const Field& field, const StateBox& box) {
  constexpr std::size_t kPoints = 127;
  const Matrix f = Evaluator(field).At(HaltonPoints(box, kPoints));
  const Vector half = box.HalfWidths();
  std::vector<double> times;
  for (const auto& row : f.rowwise()) {
    const double speed = row.transpose().cwiseQuotient(half).norm();
    if (speed > 0 && std::isfinite(speed)) times.push_back(1 / speed);
  }
  if (times.empty()) return 1;
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::ranges::nth_element(times, middle);
  return *middle;
}

std::optional<LimitCycle> RefineCycle(const Field& field, const StateBox& box, const Vector& state,
                                      double period, const CycleOptions& options) {
  CheckBox("RefineCycle", box, field.dim());
  CheckPositive("RefineCycle", "period", period);
  return CycleRefiner(field, box, state, period, options).Run();
}

Attractor FollowToAttractor(const Field& field, const StateBox& box,
                            std::span<const FixedPoint> points, const Vector& start,
                            const CycleOptions& options) {
  CheckBox("FollowToAttractor", box, field.dim());
  const double unit = TimeScale(field, box);
  Orbit orbit(field, box, start, unit / kSamplesPerUnit, kFollowTolerance);
  Attractor result;
  for (double units = kFirstUnits, spent = 0; spent < options.longest_time; units *= 1.7) {
    const std::size_t from = orbit.size() - 1;
    spent += units;
    const bool inside = orbit.Extend(static_cast<std::size_t>(units * kSamplesPerUnit));
    result.state = orbit.State(orbit.size() - 1);
    if (!inside) {
      result.fate = Fate::kLeaves;
      return result;
    }
    if (const auto reached = ReachedPoint(box, points, result.state)) {
      result.fate = Fate::kFixedPoint;
      result.fixed_point = *reached;
      return result;
    }
    const auto period = ReturnTime(field, box, orbit, from);
    if (!period) continue;
    result.cycle = RefineCycle(field, box, orbit.State(from), *period, options);
    if (result.cycle && (result.cycle->stable || result.cycle->neutral)) {
      result.fate = Fate::kCycle;
      return result;
    }
    result.cycle.reset();
  }
  if (const auto approached = ApproachedPoint(box, points, orbit)) {
    result.fate = Fate::kFixedPoint;
    result.fixed_point = *approached;
  }
  return result;
}

bool IsSameCycle(const StateBox& box, const LimitCycle& a, const LimitCycle& b) {
  if (std::abs(a.period - b.period) > 1e-3 * a.period) return false;
  return BoxDistance(box, a.lower, b.lower) + BoxDistance(box, a.upper, b.upper) < 0.02;
}

std::vector<LimitCycle> FindLimitCycles(const Field& field, const StateBox& box,
                                        std::span<const FixedPoint> points,
                                        const CycleOptions& options) {
  CheckBox("FindLimitCycles", box, field.dim());
  std::vector<Vector> starts;
  for (const auto& row : options.more_starts.rowwise()) starts.push_back(row.transpose());
  const Matrix scattered = HaltonPoints(box, options.starts);
  for (const auto& row : scattered.rowwise()) starts.push_back(row.transpose());
  // A cycle surrounds a fixed point: the solutions that leave an unstable one end on it, and those
  // that leave a stable one backwards in time end on a repelling one.
  for (const FixedPoint& point : points) {
    starts.push_back(point.state + 0.02 * box.HalfWidths());
  }
  std::vector<LimitCycle> found;
  const auto add = [&](std::optional<LimitCycle> cycle) {
    if (!cycle) return;
    for (const LimitCycle& known : found) {
      if (IsSameCycle(box, known, *cycle)) return;
    }
    found.push_back(std::move(*cycle));
  };
  for (const Vector& start : starts) {
    add(FollowToAttractor(field, box, points, start, options).cycle);
  }
  if (options.repelling && field.dim() == 2) {
    const HeldField backwards(field, {}, -1);
    std::vector<FixedPoint> reversed;
    for (const FixedPoint& point : points) {
      reversed.push_back(ClassifyFixedPoint(backwards, point.state));
    }
    for (const Vector& start : starts) {
      const Attractor end = FollowToAttractor(backwards, box, reversed, start, options);
      if (!end.cycle || end.cycle->neutral) continue;
      add(RefineCycle(field, box, end.cycle->states.row(0).transpose(), end.cycle->period,
                      options));
    }
  }
  std::ranges::sort(found, {}, &LimitCycle::period);
  return found;
}

}  // namespace gpode
