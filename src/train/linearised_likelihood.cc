// This is not the likelihood in the paper's bounds, which is in model/gaussian_likelihood.cc and
// model/bound.cc.
#include "train/linearised_likelihood.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ode/forced_solver.h"

namespace gpode {
namespace {

// All trajectories together have at most kMostNodes nodes, unless each one would then have fewer
// than kFewestNodes. The fine grid of times has kStepsPerNode steps for each node.
constexpr std::size_t kMostNodes = 64, kFewestNodes = 4;
// At a jump of an input, the field along a solution also jumps, so that a node is needed on either
// side. If all trajectories together have more jumps than this, jumps get no nodes of their own.
constexpr std::size_t kMostJumps = 200;
constexpr std::size_t kStepsPerNode = 8;
// Directions in which the data's information Q^T Q is smaller than this are dropped. The prior's
// information is about one in the model's units, so that the data hardly change the posterior in
// these directions.
constexpr double kLeastInformation = 1e-2;

// A solution on a fine grid of K times. The states are those at the grid times and, between each
// two of them, the one halfway, which the Runge-Kutta steps of Sensitivities need.
struct Path {
  std::vector<double> times;  // (K)
  Matrix states;              // (2 K - 1, D)
  Matrix inputs = {};         // (2 K - 1, U)
  // (K): 1 if an input jumps between the grid time before and this one, else 0
  std::vector<char> jumps = {};
};

// Returns the solution on a grid of `count` equally spaced times from 0 to `end`; the grid is
// shorter if the integration fails before the end.
Path FollowPath(const Field& field, const Force& force, std::span<const double> x0, double end,
                std::size_t count, const SolverOptions& options, const InputSignal* inputs) {
  const std::size_t dim = field.dim(), halves = 2 * count - 1;
  std::vector<double> times(halves), states(halves * dim);
  for (std::size_t i = 0; i < halves; ++i) {
    times[i] = end * static_cast<double>(i) / static_cast<double>(halves - 1);
  }
  std::size_t filled = 0;
  if (force.ends.empty()) {
    Solver solver(options);
    filled = solver.Solve(field, x0, 0.0, times, states, 0, inputs).filled;
  } else {
    ForcedSolver solver(options);
    filled = solver.Solve(field, force, x0, 0.0, times, states, 0, inputs).filled;
  }
  Path path;
  const std::size_t whole = (filled + 1) / 2;
  for (std::size_t i = 0; i < whole; ++i) path.times.push_back(times[2 * i]);
  const std::size_t kept = whole == 0 ? 0 : 2 * whole - 1;
  path.states = Eigen::Map<const Matrix>(states.data(), static_cast<Eigen::Index>(kept),
                                         static_cast<Eigen::Index>(dim));
  path.inputs.resize(path.states.rows(), static_cast<Eigen::Index>(field.inputs()));
  for (std::size_t i = 0; i < kept && inputs != nullptr; ++i) {
    inputs->At(times[i], {path.inputs.data() + i * field.inputs(), field.inputs()});
  }
  path.jumps.assign(whole, 0);
  for (std::size_t i = 1; i < whole && inputs != nullptr; ++i) {
    path.jumps[i] = inputs->NextBreak(path.times[i - 1], 1) <= path.times[i] ? 1 : 0;
  }
  return path;
}

// Chooses the grid indices of the nodes. Each piece between two nodes has about the same share of
// the path, where a share is the mean of the shares of time and of arc length: nodes are dense
// where the state or an input moves fast, and none are far apart in time.
// With `at_jumps`, there is also a node on either side of every jump of the inputs.
std::vector<std::size_t> ChooseNodes(const Path& path, std::size_t nodes, bool at_jumps) {
  const std::size_t n = path.times.size();
  std::vector<double> length(n, 0.0);
  for (std::size_t i = 1; i < n; ++i) {
    const auto at = static_cast<Eigen::Index>(2 * i);
    length[i] = length[i - 1] + (path.states.row(at) - path.states.row(at - 2)).norm();
    if (path.inputs.cols() > 0) {
      length[i] += (path.inputs.row(at) - path.inputs.row(at - 2)).norm();
    }
  }
  const double all = std::max(length.back(), 1e-300), end = std::max(path.times.back(), 1e-300);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0, k = 0; i < n; ++i) {
    const double share = 0.5 * (length[i] / all + path.times[i] / end);
    const bool beside_jump =
        at_jumps && ((i > 0 && path.jumps[i] != 0) || (i + 1 < n && path.jumps[i + 1] != 0));
    if (!beside_jump && share + 1e-12 < static_cast<double>(k) / static_cast<double>(nodes - 1)) {
      continue;
    }
    chosen.push_back(i);
    while (static_cast<double>(k) / static_cast<double>(nodes - 1) <= share + 1e-12) ++k;
  }
  if (chosen.back() != n - 1) chosen.push_back(n - 1);
  return chosen;
}

// The derivatives of the states at the grid times: one matrix (D, S D + D + P D) for each time. The
// first S D columns are derivatives with respect to the field's values at the S nodes, output after
// output; the next D columns are derivatives with respect to x0, and the last P D those with
// respect to the force on each piece. All pieces have the same number of steps of the grid.
class Sensitivities {
 public:
  Sensitivities(const Field& field, const Path& path, std::vector<std::size_t> nodes,
                std::size_t pieces, std::size_t steps_per_piece)
      : path_(path),
        nodes_(std::move(nodes)),
        dim_(static_cast<Eigen::Index>(field.dim())),
        steps_per_piece_(steps_per_piece) {
    const auto halves = static_cast<std::size_t>(path.states.rows());
    jacobians_.resize(halves * field.dim() * field.dim());
    for (std::size_t i = 0; i < halves; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const Matrix j = EvaluateJacobian(field, path.states.row(row), 0, path.inputs.row(row));
      std::copy_n(j.data(), j.size(), jacobians_.data() + i * field.dim() * field.dim());
    }
    const auto s = static_cast<Eigen::Index>(nodes_.size());
    Eigen::MatrixXd at =
        Eigen::MatrixXd::Zero(dim_, s * dim_ + dim_ + static_cast<Eigen::Index>(pieces) * dim_);
    at.middleCols(s * dim_, dim_).setIdentity();
    values_.push_back(at);
    for (std::size_t i = 0; i + 1 < path.times.size(); ++i) {
      at = Step(i, at);
      values_.push_back(at);
    }
  }

  // Returns the derivatives at any time of the path, by linear interpolation on the grid.
  Eigen::MatrixXd At(double time) const {
    const auto [i, share] = Place(time);
    return (1 - share) * values_[i] + share * values_[std::min(i + 1, values_.size() - 1)];
  }
  Vector StateAt(double time) const {
    const auto [i, share] = Place(time);
    const auto row = static_cast<Eigen::Index>(2 * i);
    const auto next = std::min(row + 2, path_.states.rows() - 1);
    // Interpolates by a parabola through the states at the ends and in the middle of the interval.
    const Eigen::Index middle = std::min(row + 1, path_.states.rows() - 1);
    const double a = 2 * (share - 0.5) * (share - 1), b = -4 * share * (share - 1),
                 c = 2 * share * (share - 0.5);
    return (a * path_.states.row(row) + b * path_.states.row(middle) + c * path_.states.row(next))
        .transpose();
  }

 private:
  std::pair<std::size_t, double> Place(double time) const {
    const std::vector<double>& t = path_.times;
    const auto after = std::upper_bound(t.begin(), t.end(), time);
    const auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - t.begin() - 1, 0));
    if (i + 1 >= t.size()) return {t.size() - 1, 0.0};
    return {i, (time - t[i]) / (t[i + 1] - t[i])};
  }

  // Returns dx/dt of the derivatives x in step i of the grid, at row h of the path's states (h / 2
  // is the place on the grid): the linear equation of the header, with one column for each node and
  // output. The force on a piece acts like a change of the field.
  Eigen::MatrixXd Rate(std::size_t i, std::size_t h, const Eigen::MatrixXd& x) const {
    const Eigen::Map<const Matrix> jacobian(
        jacobians_.data() + h * static_cast<std::size_t>(dim_ * dim_), dim_, dim_);
    Eigen::MatrixXd rate = jacobian * x;
    const double place = 0.5 * static_cast<double>(h);
    const auto s = static_cast<Eigen::Index>(nodes_.size());
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const double hat = Hat(j, place);
      if (hat == 0) continue;
      for (Eigen::Index d = 0; d < dim_; ++d) rate(d, d * s + static_cast<Eigen::Index>(j)) += hat;
    }
    if (steps_per_piece_ > 0) {
      const auto piece = static_cast<Eigen::Index>(i / steps_per_piece_);
      for (Eigen::Index d = 0; d < dim_; ++d) rate(d, (s + 1 + piece) * dim_ + d) += 1;
    }
    return rate;
  }

  // Returns the piecewise linear function of the place on the grid that is one at node j and zero
  // at the other nodes.
  double Hat(std::size_t j, double place) const {
    const auto node = static_cast<double>(nodes_[j]);
    if (place <= node) {
      if (j == 0) return place == node ? 1 : 0;
      const auto before = static_cast<double>(nodes_[j - 1]);
      return std::max(0.0, (place - before) / (node - before));
    }
    if (j + 1 == nodes_.size()) return 0;
    const auto next = static_cast<double>(nodes_[j + 1]);
    return std::max(0.0, (next - place) / (next - node));
  }

  Eigen::MatrixXd Step(std::size_t i, const Eigen::MatrixXd& x) const {
    const double h = path_.times[i + 1] - path_.times[i];
    const Eigen::MatrixXd k1 = Rate(i, 2 * i, x), k2 = Rate(i, 2 * i + 1, x + 0.5 * h * k1),
                          k3 = Rate(i, 2 * i + 1, x + 0.5 * h * k2),
                          k4 = Rate(i, 2 * i + 2, x + h * k3);
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

  const Path& path_;
  std::vector<std::size_t> nodes_;
  Eigen::Index dim_;
  std::size_t steps_per_piece_;          // 0 if there is no force
  std::vector<double> jacobians_;        // (2 K - 1, D, D): the field's, at the path's states
  std::vector<Eigen::MatrixXd> values_;  // (K) of (D, S D + D + P D)
};

// Replaces Q and c (`root` and `target`) by smaller ones of about the same likelihood: the data say
// almost nothing about directions with eigenvalues of Q^T Q below kLeastInformation. The squared
// target in the directions that are dropped goes into the factor.
void Compress(LinearisedLikelihood& linear) {
  Eigen::MatrixXd& root = linear.root;
  Vector& target = linear.target;
  const double before = target.squaredNorm();
  // Q^T Q and Q Q^T have the same positive eigenvalues; the smaller matrix takes less time.
  const bool by_rows = root.rows() < root.cols();
  const Eigen::MatrixXd squares =
      by_rows ? Eigen::MatrixXd(root * root.transpose()) : Eigen::MatrixXd(root.transpose() * root);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(squares);
  const Eigen::Index kept = (eigen.eigenvalues().array() > kLeastInformation).count();
  const Eigen::MatrixXd directions = eigen.eigenvectors().rightCols(kept);
  if (by_rows) {
    target = Vector(directions.transpose() * target);
    root = Eigen::MatrixXd(directions.transpose() * root);
    linear.log_factor -= 0.5 * (before - target.squaredNorm());
    return;
  }
  const Vector sizes = eigen.eigenvalues().tail(kept).cwiseSqrt();
  target = Vector(directions.transpose() * (root.transpose() * target)).cwiseQuotient(sizes);
  root = sizes.asDiagonal() * directions.transpose();
  linear.log_factor -= 0.5 * (before - target.squaredNorm());
}

// Returns the number of jumps of the inputs in all trajectories together, or zero if they are more
// than kMostJumps.
std::size_t CountJumps(const std::vector<TimedValues>& trajectories) {
  std::size_t count = 0;
  for (const TimedValues& t : trajectories) {
    if (!t.inputs) continue;
    double time = t.inputs->NextBreak(0, 1);
    for (; time < t.times.back(); ++count) {
      if (count == kMostJumps) return 0;
      time = t.inputs->NextBreak(time, 1);
    }
  }
  return count;
}

// The solutions that start at the rows of x0, with their nodes and derivatives.
class Solutions {
 public:
  Solutions(const Field& field, const Matrix& x0, const std::vector<TimedValues>& trajectories,
            const SolverOptions& solver, const ForceOnPieces& force)
      : x0_(x0), dim_(static_cast<Eigen::Index>(field.dim())), force_(force) {
    const std::size_t count = trajectories.size();
    const std::size_t jumps = CountJumps(trajectories);
    const std::size_t nodes = std::max(kMostNodes / count, kFewestNodes);
    paths_.reserve(count);  // Sensitivities keep references to paths, which must not move.
    for (std::size_t n = 0; n < count; ++n) {
      const auto row = x0.row(static_cast<Eigen::Index>(n));
      // Each piece of the force is divided into a whole number of steps of the grid. The steps must
      // be shorter than the intervals between jumps of the inputs.
      std::size_t steps = std::max(nodes, 2 * jumps / count) * kStepsPerNode, pieces = 0;
      Force own_force;
      if (!force.pieces.counts.empty()) {
        pieces = force.pieces.counts[n];
        steps = (steps + pieces - 1) / pieces * pieces;
        own_force = {
            .ends = force.pieces.ends[n],
            .values = std::span(force.values)
                          .subspan(force.pieces.Before(n) * field.dim(), pieces * field.dim())};
      }
      paths_.push_back(FollowPath(field, own_force, {row.data(), static_cast<std::size_t>(dim_)},
                                  trajectories[n].times.back(), steps + 1, solver,
                                  trajectories[n].inputs.get()));
      const Path& path = paths_.back();
      std::vector<std::size_t> chosen;
      if (path.times.size() >= 2) chosen = ChooseNodes(path, nodes, jumps > 0);
      first_.push_back(points_.rows());
      const auto own = std::ssize(chosen);
      points_.conservativeResize(points_.rows() + own, dim_);
      inputs_.conservativeResize(points_.rows(), static_cast<Eigen::Index>(field.inputs()));
      for (Eigen::Index j = 0; j < own; ++j) {
        const auto at = static_cast<Eigen::Index>(2 * chosen[static_cast<std::size_t>(j)]);
        points_.row(first_.back() + j) = path.states.row(at);
        inputs_.row(first_.back() + j) = path.inputs.row(at);
      }
      counts_.push_back(own);
      sensitivities_.emplace_back();
      if (own > 0) {
        sensitivities_.back().emplace(field, path, std::move(chosen), pieces,
                                      pieces == 0 ? 0 : steps / pieces);
      }
    }
    slopes_ = Evaluate(field, points_, 0, inputs_);
  }

  const Matrix& points() const { return points_; }
  const Matrix& inputs() const { return inputs_; }
  Eigen::Index columns() const {
    return dim_ * points_.rows() + x0_.rows() * dim_ + std::ssize(force_.values);
  }
  bool Reaches(std::size_t n, double time) const {
    return counts_[n] > 0 && time <= paths_[n].times.back() * (1 + 1e-12);
  }
  Vector StateAt(std::size_t n, double time) const { return sensitivities_[n]->StateAt(time); }

  // Appends a row for each component of `map` times the state of solution n at `time`. `left` is
  // the observation minus its prediction by the solution; a component that is NaN gets no row. The
  // row of Q is the derivative of the prediction. Its target is `left` plus that derivative times
  // the present field values, start state and force. Both are multiplied by the component's weight.
  void AddRows(std::size_t n, double time, const Eigen::MatrixXd& map, const Vector& left,
               const Vector& weights, LinearisedLikelihood& linear, Eigen::Index& at) const {
    const Eigen::MatrixXd moves = map * sensitivities_[n]->At(time);
    const Eigen::Index own = counts_[n], first = first_[n], all = points_.rows();
    const auto start_at = static_cast<Eigen::Index>(n);
    for (Eigen::Index c = 0; c < moves.rows(); ++c) {
      if (std::isnan(left[c])) continue;
      double known = 0;  // the derivatives times the present field values, start and force
      for (Eigen::Index d = 0; d < dim_; ++d) {
        const auto part = moves.row(c).segment(d * own, own);
        linear.root.row(at).segment(d * all + first, own) = weights[c] * part;
        known += part.dot(slopes_.col(d).segment(first, own).transpose());
      }
      const auto start = moves.row(c).segment(dim_ * own, dim_);
      linear.root.row(at).segment(dim_ * all + start_at * dim_, dim_) = weights[c] * start;
      known += start.dot(x0_.row(start_at));
      if (!force_.values.empty()) {
        const auto before = static_cast<Eigen::Index>(force_.pieces.Before(n)) * dim_;
        const auto size = static_cast<Eigen::Index>(force_.pieces.counts[n]) * dim_;
        const auto forced = moves.row(c).tail(size);
        linear.root.row(at).segment((all + x0_.rows()) * dim_ + before, size) = weights[c] * forced;
        known += forced.dot(Eigen::Map<const Vector>(force_.values.data() + before, size));
      }
      linear.target[at] = weights[c] * (left[c] + known);
      ++at;
    }
  }

 private:
  Matrix x0_;
  Eigen::Index dim_;
  ForceOnPieces force_;
  std::vector<Path> paths_;
  std::vector<std::optional<Sensitivities>> sensitivities_;
  Matrix points_, inputs_, slopes_;
  std::vector<Eigen::Index> first_, counts_;
};

// Adds a row to `linear` for each observed value, except those after the time at which the
// integration of its solution failed.
void AddObservations(const Solutions& solutions, const std::vector<TimedValues>& trajectories,
                     const ObservationMap& map, const WeightedNoise& noise,
                     LinearisedLikelihood& linear, Eigen::Index& at) {
  Vector left(map.matrix.rows()), weights(map.matrix.rows());
  for (std::size_t n = 0; n < trajectories.size(); ++n) {
    const TimedValues& data = trajectories[n];
    for (std::size_t i = 0; i < data.times.size(); ++i) {
      if (!solutions.Reaches(n, data.times[i])) break;
      const Vector predicted = map.matrix * solutions.StateAt(n, data.times[i]) + map.offset;
      for (Eigen::Index c = 0; c < left.size(); ++c) {
        const auto channel = static_cast<std::size_t>(c);
        const double y = data.values(static_cast<Eigen::Index>(i), c);
        left[c] = NAN;
        if (std::isnan(y)) continue;
        const Likelihood::Working working = noise.At(channel, y, predicted[c]);
        left[c] = working.residual;
        weights[c] = std::sqrt(working.information);
        linear.log_factor += noise.LogFactor(channel, y, predicted[c], working);
      }
      solutions.AddRows(n, data.times[i], map.matrix, left, weights, linear, at);
    }
  }
}

// Adds the rows of all ties. A tie says that the end of segment n minus the start of the next
// segment is about zero.
void AddTies(const Solutions& solutions, const std::vector<TimedValues>& segments,
             const SegmentTies& ties, LinearisedLikelihood& linear, Eigen::Index& at) {
  const Eigen::Index dim = ties.precision.size();
  const Vector weights = ties.precision.cwiseSqrt();
  for (std::size_t n = 0; n < segments.size(); ++n) {
    const double end = segments[n].times.back();
    if (ties.next[n] == SegmentTies::kNone || !solutions.Reaches(n, end)) continue;
    const Eigen::Index first = at;
    solutions.AddRows(n, end, Eigen::MatrixXd::Identity(dim, dim), -solutions.StateAt(n, end),
                      weights, linear, at);
    const Eigen::Index next =
        dim * solutions.points().rows() + static_cast<Eigen::Index>(ties.next[n]) * dim;
    linear.root.block(first, next, dim, dim).diagonal() -= weights;
    linear.log_factor += weights.array().log().sum();
  }
}

// Keeps the rows that are filled, or none if one of them is not finite.
void Finish(Eigen::Index rows, LinearisedLikelihood& linear) {
  linear.root.conservativeResize(rows, Eigen::NoChange);
  linear.target.conservativeResize(rows);
  if (linear.root.allFinite() && linear.target.allFinite()) return;
  linear.root.setZero(0, linear.root.cols());
  linear.target.resize(0);
}

LinearisedLikelihood EmptyRows(const Solutions& solutions, Eigen::Index rows) {
  return {.points = solutions.points(),
          .root = Eigen::MatrixXd::Zero(rows, solutions.columns()),
          .target = Vector::Zero(rows),
          .inputs = solutions.inputs()};
}

Eigen::Index CountValues(const std::vector<TimedValues>& trajectories) {
  Eigen::Index count = 0;
  for (const TimedValues& t : trajectories) count += t.values.size();
  return count;
}

}  // namespace

Matrix LinearisedLikelihood::PointsWithInputs() const {
  Matrix all(points.rows(), points.cols() + inputs.cols());
  all.leftCols(points.cols()) = points;
  if (inputs.cols() > 0) all.rightCols(inputs.cols()) = inputs;
  return all;
}

LinearisedLikelihood Linearise(const Field& field, const Matrix& x0,
                               const std::vector<TimedValues>& trajectories,
                               const ObservationMap& map, const WeightedNoise& noise,
                               const SolverOptions& solver, const ForceOnPieces& force) {
  const Solutions solutions(field, x0, trajectories, solver, force);
  LinearisedLikelihood linear = EmptyRows(solutions, CountValues(trajectories));
  Eigen::Index rows = 0;
  AddObservations(solutions, trajectories, map, noise, linear, rows);
  Finish(rows, linear);
  if (linear.target.size() > 0) Compress(linear);
  return linear;
}

void MakeDesign(const LinearisedLikelihood& linear, std::span<const Matrix> basis,
                std::span<const double> force_scale, Eigen::MatrixXd& design) {
  Eigen::Index from = 0, to = 0, columns = linear.root.cols();
  for (const Matrix& own : basis) columns += own.cols() - own.rows();
  design.resize(linear.root.rows(), columns);
  for (const Matrix& own : basis) {
    design.middleCols(to, own.cols()).noalias() = linear.root.middleCols(from, own.rows()) * own;
    from += own.rows();
    to += own.cols();
  }
  design.rightCols(columns - to) = linear.root.rightCols(columns - to);
  const auto forces = std::ssize(force_scale);
  design.rightCols(forces) *= Eigen::Map<const Vector>(force_scale.data(), forces).asDiagonal();
}

LinearisedLikelihood LineariseSegments(const Field& field, const Matrix& states,
                                       const std::vector<TimedValues>& segments,
                                       const SegmentTies& ties, const ObservationMap& map,
                                       const WeightedNoise& noise, const SolverOptions& solver) {
  const Solutions solutions(field, states, segments, solver, {});
  LinearisedLikelihood linear = EmptyRows(solutions, CountValues(segments) + states.size());
  Eigen::Index rows = 0;
  AddObservations(solutions, segments, map, noise, linear, rows);
  AddTies(solutions, segments, ties, linear, rows);
  Finish(rows, linear);
  return linear;
}

// Let Q = [A, B], where B has the columns of the states b to be integrated out, and let B = U R be
// its QR factorisation. The minimum of |A a + B b - c|^2 over b is |V^T (A a - c)|^2, where the
// columns of V complete those of U to an orthonormal basis. The integral over b leaves the factor
// 1 / |det R|.
LinearisedLikelihood WithoutStates(const LinearisedLikelihood& linear, std::size_t kept) {
  const Eigen::Index dim = linear.points.cols();
  const Eigen::Index left = dim * linear.points.rows() + static_cast<Eigen::Index>(kept) * dim;
  const Eigen::Index states = linear.root.cols() - left, rows = linear.root.rows();
  LinearisedLikelihood rest = linear;
  if (states > 0 && rows > states) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(linear.root.rightCols(states));
    const Eigen::MatrixXd turned = qr.householderQ().transpose() * linear.root.leftCols(left);
    const Vector target = qr.householderQ().transpose() * linear.target;
    rest.root = turned.bottomRows(rows - states);
    rest.target = target.tail(rows - states);
    rest.log_factor -= qr.matrixQR().diagonal().head(states).cwiseAbs().array().log().sum();
  }
  if (rest.target.size() > 0) Compress(rest);
  return rest;
}

}  // namespace gpode
