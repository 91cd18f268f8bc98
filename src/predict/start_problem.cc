#include "predict/start_problem.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpode/random.h"
#include "model/model_draws.h"
#include "ode/forced_solver.h"

namespace gpode {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// The largest number of steps of Minimise, and the decrease of the cost below which it has
// converged.
constexpr int kMostSteps = 40;
constexpr double kLeastGain = 1e-4;
// The damping of the first step, the factors by which it changes after a failed and after a
// successful step, and its upper limit.
constexpr double kFirstDamping = 1e-3, kDampMore = 8, kDampLess = 0.2, kMostDamping = 1e8;
// The number of times in the first window, and the factor between windows.
constexpr std::size_t kFirstWindow = 6;
constexpr double kWindowFactor = 1.6;

}  // namespace

StartProblem::StartProblem(const Field& field, const StartData& data, const ObservationMap& map,
                           const ObservationNoise& noise, std::span<const double> deviation,
                           const SolverOptions& solver)
    : field_(field),
      data_(data),
      map_(map),
      noise_(noise),
      deviation_(deviation),
      dim_(static_cast<Eigen::Index>(field.dim())),
      size_(dim_ * (1 + (deviation.empty() ? 0 : std::ssize(data.ends)))),
      solver_(solver),
      force_(field.dim(), 0.0),
      sums_(field.parameter_count() + field.dim()),
      cotangent_(field.dim()),
      bstart_(field.dim()),
      channels_(map.channels()) {
  // The intervals of integration end at observations and at the ends of pieces.
  const std::size_t pieces = deviation.empty() ? 0 : data.ends.size();
  std::size_t p = 0;
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    for (; p + 1 < pieces && data.ends[p] < data.times[i]; ++p) {
      intervals_.push_back({.end = data.ends[p], .piece = p});
    }
    intervals_.push_back({.end = data.times[i], .piece = p, .time = i});
  }
}

// Integrates x over one interval. If `derivatives` (D, D + P D), those of x with respect to the
// unknowns, are given, updates them by the chain rule. Returns false if the integration fails.
bool StartProblem::Advance(const Interval& interval, double begin, const Vector& u, Vector& x,
                           Eigen::MatrixXd* derivatives) {
  const std::size_t dim = field_.dim(), own = field_.parameter_count();
  if (!deviation_.empty()) {
    for (std::size_t d = 0; d < dim; ++d) {
      force_[d] = deviation_[d] * u[static_cast<Eigen::Index>((1 + interval.piece) * dim + d)];
    }
  }
  if (!(interval.end > begin)) return true;
  const ForcedField forced(field_, force_);
  const Vector from = x;
  const std::span<const double> start(from.data(), dim);
  const std::span<double> end(x.data(), dim);
  if (derivatives == nullptr) {
    const SolveResult result =
        solver_.Solve(forced, start, begin, {&interval.end, 1}, end, 0, data_.inputs.get());
    return result.ok() && x.allFinite();
  }
  const SolveResult result = solver_.SolveRecorded(forced, start, begin, {&interval.end, 1}, end,
                                                   record_, 0, data_.inputs.get());
  if (!result.ok() || !x.allFinite()) return false;
  Eigen::MatrixXd by_start(dim_, dim_), by_force(dim_, dim_);
  for (Eigen::Index d = 0; d < dim_; ++d) {
    std::ranges::fill(cotangent_, 0.0);
    std::ranges::fill(bstart_, 0.0);
    std::ranges::fill(sums_, 0.0);
    cotangent_[static_cast<std::size_t>(d)] = 1;
    solver_.Pullback(forced, record_, cotangent_, bstart_, sums_);
    for (Eigen::Index k = 0; k < dim_; ++k) {
      by_start(d, k) = bstart_[static_cast<std::size_t>(k)];
      by_force(d, k) = sums_[own + static_cast<std::size_t>(k)];
    }
  }
  *derivatives = Eigen::MatrixXd(by_start * *derivatives);
  for (Eigen::Index k = 0; k < dim_ && !deviation_.empty(); ++k) {
    const auto column = (1 + static_cast<Eigen::Index>(interval.piece)) * dim_ + k;
    derivatives->col(column) += deviation_[static_cast<std::size_t>(k)] * by_force.col(k);
  }
  return derivatives->allFinite();
}

// Returns minus the log density of the values at one time, and adds its derivatives.
double StartProblem::AddRow(std::size_t time, const Vector& x, const Eigen::MatrixXd* derivatives,
                            Vector* gradient, Eigen::MatrixXd* curvature) {
  map_.ApplyTo({x.data(), field_.dim()}, channels_);
  Eigen::MatrixXd moves;
  if (derivatives != nullptr) moves = map_.matrix * *derivatives;
  double cost = 0;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const double y = data_.values(static_cast<Eigen::Index>(time), static_cast<Eigen::Index>(c));
    if (std::isnan(y)) continue;
    const std::span<const double> p = noise_.Of(c);
    double bvalue = 0;
    std::vector<double> bp(p.size(), 0.0);
    const Likelihood& likelihood = noise_.For(c);
    const double weight = data_.weights.empty() ? 1.0 : data_.weights[c];
    cost -= weight * likelihood.LogDensityReverse(y, channels_[c], p, bvalue, bp);
    const Likelihood::Working working = likelihood.WorkingAt(y, channels_[c], p);
    const double information = working.information;
    misfit_ += (y - channels_[c]) * (y - channels_[c]) * information;
    if (derivatives == nullptr) continue;
    const auto move = moves.row(static_cast<Eigen::Index>(c));
    *gradient -= weight * bvalue * move.transpose();
    curvature->selfadjointView<Eigen::Lower>().rankUpdate(move.transpose(), weight * information);
  }
  return cost;
}

double StartProblem::Cost(const Vector& u, std::size_t count, Vector* gradient,
                          Eigen::MatrixXd* curvature) {
  double cost = 0.5 * u.squaredNorm(), begin = 0;
  Vector x = u.head(dim_);
  Eigen::MatrixXd derivatives;
  if (gradient != nullptr) {
    *gradient = u;
    *curvature = Eigen::MatrixXd::Identity(size_, size_);
    derivatives = Eigen::MatrixXd::Zero(dim_, size_);
    derivatives.leftCols(dim_).setIdentity();
  }
  Eigen::MatrixXd* const moves = gradient == nullptr ? nullptr : &derivatives;
  misfit_ = 0;
  for (const Interval& interval : intervals_) {
    if (interval.time != Interval::kNone && interval.time >= count) break;
    if (!Advance(interval, begin, u, x, moves)) return kInfinite;
    begin = std::max(begin, interval.end);
    if (interval.time != Interval::kNone) {
      cost += AddRow(interval.time, x, moves, gradient, curvature);
    }
  }
  if (gradient != nullptr) {
    *curvature = Eigen::MatrixXd(curvature->selfadjointView<Eigen::Lower>());
    if (!gradient->allFinite() || !curvature->allFinite()) return kInfinite;
  }
  return std::isfinite(cost) ? cost : kInfinite;
}

double StartProblem::Misfit(const Vector& u) {
  return std::isfinite(Cost(u, times())) ? misfit_ : kInfinite;
}

Matrix StartProblem::Residuals(const Vector& u) {
  Matrix residuals = Matrix::Constant(data_.values.rows(), data_.values.cols(), NAN);
  Vector x = u.head(dim_);
  double begin = 0;
  for (const Interval& interval : intervals_) {
    if (!Advance(interval, begin, u, x, nullptr)) break;
    begin = std::max(begin, interval.end);
    if (interval.time == Interval::kNone) continue;
    map_.ApplyTo({x.data(), field_.dim()}, channels_);
    const auto row = static_cast<Eigen::Index>(interval.time);
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      residuals(row, column) = data_.values(row, column) - channels_[c];
    }
  }
  return residuals;
}

// Uses the method of Levenberg and Marquardt: a step that does not lower the cost is tried again
// with more damping.
StartMode StartProblem::Minimise(const Vector& guess, std::size_t count) {
  StartMode mode{.unknowns = guess, .cost = kInfinite, .curvature = {}};
  Vector gradient;
  mode.cost = Cost(guess, count, &gradient, &mode.curvature);
  double damping = kFirstDamping;
  for (int step = 0; step < kMostSteps && std::isfinite(mode.cost); ++step) {
    double lower = kInfinite;
    Vector next, next_gradient;
    Eigen::MatrixXd next_curvature;
    for (; damping < kMostDamping; damping *= kDampMore) {
      Eigen::MatrixXd damped = mode.curvature;
      damped.diagonal() *= 1 + damping;
      const Eigen::LLT<Eigen::MatrixXd> factor(damped);
      if (factor.info() != Eigen::Success) continue;
      next = mode.unknowns - Vector(factor.solve(gradient));
      lower = Cost(next, count, &next_gradient, &next_curvature);
      if (lower < mode.cost) break;
    }
    if (!(lower < mode.cost)) break;
    const double gain = mode.cost - lower;
    mode = {.unknowns = next, .cost = lower, .curvature = next_curvature};
    gradient = next_gradient;
    damping = std::max(damping * kDampLess, 1e-12);
    if (gain < kLeastGain) break;
  }
  return mode;
}

StartMode StartProblem::MinimiseGrowing(const Vector& guess) {
  Vector from = guess;
  for (std::size_t count = std::min(kFirstWindow, times()); count < times();
       count = std::max(count + 1,
                        static_cast<std::size_t>(kWindowFactor * static_cast<double>(count)))) {
    const StartMode mode = Minimise(from, count);
    if (std::isfinite(mode.cost)) from = mode.unknowns;
  }
  return Minimise(from, times());
}

StartMode StartProblem::Search(std::uint64_t seed, std::size_t draws) {
  // The Gaussian posterior of the state given the first row that has values.
  Eigen::MatrixXd precision = Eigen::MatrixXd::Identity(dim_, dim_);
  Vector pull = Vector::Zero(dim_);
  for (Eigen::Index i = 0; i < data_.values.rows(); ++i) {
    if (data_.values.row(i).array().isNaN().all()) continue;
    for (Eigen::Index c = 0; c < data_.values.cols(); ++c) {
      if (std::isnan(data_.values(i, c))) continue;
      const auto channel = static_cast<std::size_t>(c);
      const double information =
          noise_.For(channel).Information(data_.values(i, c), noise_.Of(channel));
      const Vector row = map_.matrix.row(c).transpose();
      precision += information * row * row.transpose();
      pull += information * (data_.values(i, c) - map_.offset[c]) * row;
    }
    break;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(precision);
  const Vector mean = factor.solve(pull);
  std::vector<StartMode> first;
  const std::size_t window = std::min(kFirstWindow, times());
  for (std::size_t k = 0; k <= draws; ++k) {
    Vector guess = Vector::Zero(size_);
    guess.head(dim_) = mean;
    if (k > 0) {
      Vector normals(dim_);
      RandomStream(seed, kForecastStep, k, Purpose::kInitialisation)
          .Normals({normals.data(), static_cast<std::size_t>(dim_)});
      guess.head(dim_) += Vector(factor.matrixU().solve(normals));
    }
    first.push_back(Minimise(guess, window));
  }
  std::ranges::stable_sort(first, {}, &StartMode::cost);
  // The best few modes of the short window are continued, since its best one may turn out to be
  // wrong.
  constexpr std::size_t kKept = 3;
  StartMode best;
  for (std::size_t k = 0; k < std::min(kKept, first.size()); ++k) {
    if (!std::isfinite(first[k].cost)) break;
    StartMode mode = MinimiseGrowing(first[k].unknowns);
    if (k == 0 || mode.cost < best.cost) best = std::move(mode);
  }
  if (best.unknowns.size() == 0) best.unknowns = Vector::Zero(size_);
  return best;
}

}  // namespace gpode
