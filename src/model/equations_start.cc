#include "model/equations_start.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpode/memory.h"

namespace gpode {
namespace {

// The number of Gauss-Newton steps, and by how much damping grows and falls between them.
constexpr int kSteps = 40;
constexpr double kMoreDamping = 4, kLessDamping = 0.3, kMostDamping = 1e8;
// The errors of smoothed slopes, as a share of the slopes' size, and the number of points that
// count as independent.
constexpr double kSlopeError = 0.3, kIndependent = 60;
// The cost of a point at which the equations have no finite value.
constexpr double kImpossibleCost = 1e3;
// Unknown functions explain the rest of the slopes up to the share kUnexplained of them. Their size
// is at least kLeastShare of the size that they would have if they explained all slopes.
constexpr double kUnexplained = 0.05, kLeastShare = 0.1;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Eigen::Index Index(std::size_t n) { return static_cast<Eigen::Index>(n); }

// An unknown function that is zero, or any other constant.
class ConstantFunction final : public Function {
 public:
  ConstantFunction(std::size_t inputs, std::size_t outputs, double value)
      : inputs_(inputs), outputs_(outputs), value_(value) {}
  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(std::span<const double>, std::span<double> f, std::span<double>) const override {
    std::ranges::fill(f, value_);
  }
  void Record(std::span<const double>, std::span<double> f, std::span<double>) const override {
    std::ranges::fill(f, value_);
  }
  void Pullback(std::span<const double>, std::span<const double>, std::span<const double>,
                std::span<double>, std::span<double>) const override {}

 private:
  std::size_t inputs_, outputs_;
  double value_;
};

// Evaluates the equations in the user's units, one point at a time, with each unknown function
// replaced by a constant.
class KnownPart {
 public:
  KnownPart(const std::shared_ptr<const EquationSystem>& system, double unknown_value)
      : system_(*system), field_(system), units_(*system) {
    for (const EquationProcess& process : system->processes) {
      values_.push_back(std::make_unique<ConstantFunction>(process.arguments, 1, unknown_value));
      gradients_.push_back(
          std::make_unique<ConstantFunction>(process.arguments, process.arguments, unknown_value));
      functions_.push_back({values_.back().get(), gradients_.back().get()});
    }
  }

  void SetParameters(std::span<const double> parameters) {
    field_.Set(units_, parameters, functions_);
    record_.resize(field_.record_size());
    outputs_ = 0;
    for (std::size_t use = 0; use < system_.uses.size(); ++use) outputs_ += field_.OutputsOf(use);
    bparameters_.resize(field_.parameter_count());
    buses_.resize(outputs_);
  }

  // Evaluates the equations at row p of the data, but with these states.
  Vector At(const EquationData& data, Eigen::Index p, const Vector& state) {
    state_ = state;
    input_ = data.inputs.row(p).transpose();
    Vector f(state.size());
    field_.Record(Point(), {f.data(), static_cast<std::size_t>(f.size())}, record_);
    return f;
  }
  // Computes the derivatives of output d at the point last evaluated.
  void Reverse(Eigen::Index d) {
    Vector unit = Vector::Zero(state_.size());
    unit[d] = 1;
    bstate_ = Vector::Zero(state_.size());
    std::ranges::fill(bparameters_, 0.0);
    field_.PullbackToUses(Point(), record_, {unit.data(), static_cast<std::size_t>(unit.size())},
                          {bstate_.data(), static_cast<std::size_t>(bstate_.size())}, bparameters_,
                          buses_);
  }
  const Vector& bstate() const { return bstate_; }
  const std::vector<double>& bparameters() const { return bparameters_; }
  const std::vector<double>& buses() const { return buses_; }
  std::size_t outputs() const { return outputs_; }
  const EquationField& field() const { return field_; }
  std::span<const double> record() const { return record_; }

 private:
  FieldPoints Point() const {
    return {0,
            {state_.data(), static_cast<std::size_t>(state_.size())},
            {input_.data(), static_cast<std::size_t>(input_.size())}};
  }

  const EquationSystem& system_;
  EquationField field_;
  EquationUnits units_;
  std::vector<std::unique_ptr<ConstantFunction>> values_, gradients_;
  std::vector<EquationField::Unknown> functions_;
  AlignedVector<double> record_;
  Vector state_, input_, bstate_;
  std::vector<double> bparameters_, buses_;
  std::size_t outputs_ = 0;
};

// Returns the root mean square of each column. A zero is replaced by the mean over all columns, or
// by one if all of them are zero.
Vector Sizes(const Matrix& rows) {
  Vector sizes = (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).cwiseSqrt();
  const double mean = sizes.mean() > 0 && std::isfinite(sizes.mean()) ? sizes.mean() : 1.0;
  for (double& size : sizes) {
    if (!(size > 0) || !std::isfinite(size)) size = mean;
  }
  return sizes;
}

// Solves for the hidden states at one point, from a first guess. Returns false if the equations of
// the observed states do not depend on hidden ones there, or have no finite value.
bool SolveHidden(KnownPart& known, const EquationData& data, Eigen::Index p, std::size_t seen,
                 const Vector& sizes, Vector& state) {
  const Eigen::Index first = Index(seen), hidden = state.size() - first;
  const auto errors = [&](const Vector& at) {
    const Vector f = known.At(data, p, at);
    return Vector(
        (data.slopes.row(p).transpose() - f).head(first).cwiseQuotient(sizes.head(first)));
  };
  Vector left = errors(state);
  if (!left.allFinite()) return false;
  double damping = 1e-3;
  bool moves = false;
  for (int step = 0; step < kSteps; ++step) {
    Eigen::MatrixXd jacobian(first, hidden);
    left = errors(state);
    for (Eigen::Index d = 0; d < first; ++d) {
      known.Reverse(d);
      jacobian.row(d) = known.bstate().tail(hidden).transpose() / sizes[d];
    }
    if (!jacobian.allFinite()) return moves;
    const Eigen::MatrixXd square = jacobian.transpose() * jacobian;
    const double size = square.trace();
    if (!(size > 0)) return false;
    moves = true;
    if (left.squaredNorm() < 1e-12) return true;
    bool improved = false;
    for (; damping < kMostDamping && !improved; damping *= kMoreDamping) {
      const Eigen::MatrixXd a = square + damping * size * Eigen::MatrixXd::Identity(hidden, hidden);
      Vector next = state;
      next.tail(hidden) += a.llt().solve(jacobian.transpose() * left);
      const Vector then = errors(next);
      if (then.allFinite() && then.squaredNorm() < left.squaredNorm()) {
        improved = left.squaredNorm() - then.squaredNorm() > 1e-9 * left.squaredNorm();
        state = next;
        if (!improved) return true;
        damping = std::max(damping * kLessDamping, 1e-9);
        break;
      }
    }
    if (!improved) return true;
  }
  return true;
}

}  // namespace

std::vector<double> ParametersAt(const EquationSystem& system, std::span<const double> latent) {
  std::vector<double> values;
  for (const EquationParameter& own : system.parameters) values.push_back(own.value);
  const std::vector<std::size_t> learnt = system.LearntParameters();
  for (std::size_t i = 0; i < learnt.size(); ++i) {
    values[learnt[i]] = system.parameters[learnt[i]].prior.Value(latent[i]);
  }
  return values;
}

namespace {

// Returns true if state d stays zero once it is zero, whatever the unknown functions are.
bool StaysZero(const std::shared_ptr<const EquationSystem>& system, const EquationData& data,
               std::size_t d, std::span<const double> parameters) {
  constexpr Eigen::Index kTried = 5;
  KnownPart known(system, 0.7);
  known.SetParameters(parameters);
  for (Eigen::Index i = 0; i < kTried; ++i) {
    const Eigen::Index p = i * (data.states.rows() - 1) / (kTried - 1);
    Vector state = data.states.row(p).transpose();
    state[Index(d)] = 0;
    if (known.At(data, p, state)[Index(d)] != 0) return false;
  }
  return true;
}

// Sets the columns of hidden states. Each point starts from the solution of the point before.
void GuessHidden(const std::shared_ptr<const EquationSystem>& system, const EquationData& data,
                 std::size_t seen, std::span<const double> parameters, StateFrame& frame) {
  KnownPart known(system, 0);
  known.SetParameters(parameters);
  const Eigen::Index hidden = frame.states.cols() - Index(seen);
  const Vector sizes = Sizes(data.slopes);
  Matrix solved = frame.states;
  Vector last(hidden);
  bool has_last = false;
  Eigen::Index found = 0;
  for (Eigen::Index p = 0; p < frame.states.rows(); ++p) {
    Vector state = frame.states.row(p).transpose();
    bool is_solved = false;
    // Square roots and logarithms need positive numbers.
    for (double trial : {0.0, 1.0, 0.1, 10.0}) {
      for (Eigen::Index h = 0; h < hidden; ++h) {
        const double centre = frame.offset[Index(seen) + h];
        state[Index(seen) + h] = has_last ? last[h] : std::isnan(centre) ? trial : centre + trial;
      }
      is_solved = SolveHidden(known, data, p, seen, sizes, state);
      if (is_solved || has_last) break;
    }
    if (!is_solved || !state.allFinite()) continue;
    last = state.tail(hidden);
    has_last = true;
    solved.row(p) = state.transpose();
    ++found;
  }
  if (found < frame.states.rows() / 2) return;
  // Points without a solution get the mean of the others.
  frame.states = solved;
}

}  // namespace

StateFrame FrameOfStates(const std::shared_ptr<const EquationSystem>& system,
                         const EquationData& data, std::size_t seen) {
  const Eigen::Index dim = data.states.cols();
  StateFrame frame{data.states, Vector::Constant(dim, kNaN), Vector::Constant(dim, kNaN)};
  std::vector<double> latent;
  for (std::size_t i : system->LearntParameters()) {
    latent.push_back(system->parameters[i].prior.Latent(system->parameters[i].value));
  }
  const std::vector<double> parameters = ParametersAt(*system, latent);
  for (std::size_t d = 0; d < system->states.size(); ++d) {
    const EquationPrior& prior = system->state_priors[d];
    if (prior.kind == EquationPrior::Kind::kFixed) continue;
    frame.offset[Index(d)] = prior.first;
    frame.scale[Index(d)] = prior.second;
    frame.states.col(Index(d)).setConstant(prior.first);
  }
  if (static_cast<Eigen::Index>(seen) < dim) GuessHidden(system, data, seen, parameters, frame);
  for (std::size_t d = 0; d < seen; ++d) {
    if (!StaysZero(system, data, d, parameters)) continue;
    const auto column = data.states.col(Index(d));
    frame.offset[Index(d)] = 0;
    frame.scale[Index(d)] = std::sqrt(
        column.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(column.size(), 1)));
    if (!(frame.scale[Index(d)] > 0)) frame.offset[Index(d)] = frame.scale[Index(d)] = kNaN;
  }
  return frame;
}

std::vector<double> StartParameters(const std::shared_ptr<const EquationSystem>& system,
                                    const EquationData& data) {
  const std::vector<std::size_t> learnt = system->LearntParameters();
  const Eigen::Index count = std::ssize(learnt);
  Vector z(count);
  for (std::size_t i = 0; i < learnt.size(); ++i) {
    const EquationParameter& own = system->parameters[learnt[i]];
    z[Index(i)] = own.prior.Latent(own.value);
  }
  if (count == 0) return {};
  KnownPart known(system, 0);
  const auto n = static_cast<double>(data.states.rows());
  const Vector weights =
      (kSlopeError * std::sqrt(std::max(n / kIndependent, 1.0)) * Sizes(data.slopes))
          .cwiseInverse();
  Eigen::MatrixXd square;
  Vector gradient;
  // Returns the cost, and computes its Gauss-Newton matrix and gradient if asked to.
  const auto cost_at = [&](const Vector& at, bool differentiates) {
    const std::span<const double> latent(at.data(), learnt.size());
    known.SetParameters(ParametersAt(*system, latent));
    double cost = at.squaredNorm();
    if (differentiates) {
      square = Eigen::MatrixXd::Identity(count, count);
      gradient = -at;
    }
    for (Eigen::Index p = 0; p < data.states.rows(); ++p) {
      const Vector f = known.At(data, p, data.states.row(p).transpose());
      if (!f.allFinite()) {
        cost += kImpossibleCost;
        continue;
      }
      for (Eigen::Index d = 0; d < f.size(); ++d) {
        const double left = weights[d] * (data.slopes(p, d) - f[d]);
        cost += left * left;
        if (!differentiates) continue;
        known.Reverse(d);
        Vector row(count);
        for (std::size_t i = 0; i < learnt.size(); ++i) {
          row[Index(i)] = weights[d] * known.bparameters()[i] *
                          system->parameters[learnt[i]].prior.Slope(at[Index(i)]);
        }
        if (!row.allFinite()) continue;
        square.noalias() += row * row.transpose();
        gradient += left * row;
      }
    }
    return cost;
  };
  double damping = 1e-3;
  for (int step = 0; step < kSteps; ++step) {
    const double cost = cost_at(z, true);
    bool improved = false;
    for (; damping < kMostDamping && !improved; damping *= kMoreDamping) {
      Eigen::MatrixXd a = square;
      a.diagonal() *= 1 + damping;
      const Vector next = z + a.llt().solve(gradient);
      if (next.allFinite() && cost_at(next, false) < cost - 1e-6) {
        z = next;
        improved = true;
        damping = std::max(damping * kLessDamping, 1e-9);
        break;
      }
    }
    if (!improved) break;
  }
  return {z.begin(), z.end()};
}

bool HaveFiniteValue(const std::shared_ptr<const EquationSystem>& system, const EquationData& data,
                     std::span<const double> latent) {
  KnownPart known(system, 0);
  known.SetParameters(ParametersAt(*system, latent));
  for (Eigen::Index p = 0; p < data.states.rows(); ++p) {
    if (known.At(data, p, data.states.row(p).transpose()).allFinite()) return true;
  }
  return false;
}

std::vector<UnknownValues> StartUnknown(const std::shared_ptr<const EquationSystem>& system,
                                        const EquationData& data, std::span<const double> latent) {
  KnownPart known(system, 0);
  known.SetParameters(ParametersAt(*system, latent));
  const Eigen::Index n = data.states.rows(), dim = data.states.cols();
  const auto outputs = Index(known.outputs());
  const Vector sizes = Sizes(data.slopes);
  // Each use of a function has its own rows of points.
  std::vector<Matrix> arguments;
  std::vector<Eigen::Index> first_output;
  Eigen::Index at = 0;
  for (std::size_t use = 0; use < system->uses.size(); ++use) {
    arguments.push_back(Matrix::Zero(n, std::ssize(system->uses[use].arguments)));
    first_output.push_back(at);
    at += Index(known.field().OutputsOf(use));
  }
  Matrix solved = Matrix::Zero(n, outputs);
  Vector weight_squares = Vector::Zero(outputs);
  for (Eigen::Index p = 0; p < n; ++p) {
    const Vector f = known.At(data, p, data.states.row(p).transpose());
    for (std::size_t use = 0; use < arguments.size(); ++use) {
      const std::span<const double> own = known.field().ArgumentsOf(use, known.record());
      std::ranges::copy(own, arguments[use].row(p).begin());
    }
    Eigen::MatrixXd weights(dim, outputs);
    for (Eigen::Index d = 0; d < dim; ++d) {
      known.Reverse(d);
      weights.row(d) =
          Eigen::Map<const Eigen::RowVectorXd>(known.buses().data(), outputs) / sizes[d];
    }
    const Vector left = (data.slopes.row(p).transpose() - f).cwiseQuotient(sizes);
    if (!left.allFinite() || !weights.allFinite()) continue;
    weight_squares += weights.cwiseAbs2().colwise().sum().transpose() / static_cast<double>(n);
    const Eigen::MatrixXd a =
        weights * weights.transpose() +
        kUnexplained * kUnexplained *
            std::max(weights.squaredNorm() / static_cast<double>(dim), 1e-300) *
            Eigen::MatrixXd::Identity(dim, dim);
    solved.row(p) = (weights.transpose() * a.llt().solve(left)).transpose();
  }
  std::vector<UnknownValues> all(system->processes.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Eigen::Index count = Index(system->processes[k].arguments);
    UnknownValues& own = all[k];
    own.usual_size = 0;
    for (std::size_t use = 0; use < system->uses.size(); ++use) {
      const ProcessUse& u = system->uses[use];
      if (u.process != k) continue;
      const Eigen::Index rows = own.arguments.rows();
      own.arguments.conservativeResize(rows + n, count);
      own.arguments.bottomRows(n) = arguments[use];
      own.values.conservativeResize(rows + n);
      own.gradients.conservativeResize(rows + n, count);
      const Eigen::Index first = first_output[use];
      own.values.tail(n) = u.has_value ? Vector(solved.col(first)) : Vector(Vector::Zero(n));
      own.gradients.bottomRows(n) =
          u.has_gradient ? Matrix(solved.middleCols(first + (u.has_value ? 1 : 0), count))
                         : Matrix(Matrix::Zero(n, count));
      for (Eigen::Index i = first; i < first + Index(known.field().OutputsOf(use)); ++i) {
        if (weight_squares[i] > 0) {
          own.usual_size = std::max(own.usual_size, 1 / std::sqrt(weight_squares[i]));
        }
      }
    }
    own.usual_size = own.usual_size > 0 ? kLeastShare * own.usual_size : 1.0;
    // Equations without a finite value say nothing.
    for (Eigen::Index p = 0; p < own.arguments.rows(); ++p) {
      if (own.arguments.row(p).allFinite() && std::isfinite(own.values[p])) continue;
      own.arguments.row(p).setZero();
      own.values[p] = 0;
    }
  }
  return all;
}

}  // namespace gpode
