#include "neural/gauss_newton.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

namespace gpode {
namespace {

// Adds the share of one trajectory.
class TrajectoryCurvature {
 public:
  TrajectoryCurvature(const NeuralProblem& problem, std::span<const double> flat)
      : problem_(problem),
        flat_(flat),
        network_(problem.dim(), problem.hidden),
        noise_(problem.NoiseOf(flat)),
        solver_(problem.solver) {
    const Vector weights = problem.WeightsOf(flat);
    network_.SetParameters({weights.data(), problem.weights()});
  }

  // Whether it could be integrated.
  bool Add(std::size_t trajectory, Matrix& curvature) {
    const TimedValues& seen = problem_.trajectories[trajectory];
    const std::size_t d = problem_.dim();
    states_.resize(seen.times.size() * d);
    const std::size_t x0 = problem_.weights() + trajectory * d;
    if (!solver_.SolveRecorded(network_, flat_.subspan(x0, d), 0.0, seen.times, states_, record_)
             .ok()) {
      return false;
    }
    for (std::size_t i = 0; i < seen.times.size(); ++i) {
      const Matrix derivative = Derivative(i, x0);
      const Matrix weighted =
          Information(seen.values.row(static_cast<Eigen::Index>(i))) * derivative;
      curvature.noalias() += derivative.transpose() * weighted;
    }
    return true;
  }

 private:
  // J_i (D, n).
  Matrix Derivative(std::size_t time, std::size_t x0) {
    const std::size_t d = problem_.dim(), n = problem_.flat_size();
    Matrix derivative = Matrix::Zero(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < d; ++k) {
      bstates_.assign(states_.size(), 0.0);
      bstates_[time * d + k] = 1;
      const std::span<double> row(derivative.data() + k * n, n);
      solver_.Pullback(network_, record_, bstates_, row.subspan(x0, d),
                       row.first(problem_.weights()));
    }
    const auto weights = static_cast<Eigen::Index>(problem_.weights());
    derivative.leftCols(weights) *= problem_.weight_scale.asDiagonal();
    return derivative;
  }

  // C^T diag(1 / noise_variance) C (D, D) of the channels that were seen.
  Matrix Information(const Eigen::RowVectorXd& values) const {
    Vector precision = noise_.cwiseInverse();
    for (Eigen::Index c = 0; c < precision.size(); ++c) {
      if (std::isnan(values[c])) precision[c] = 0;
    }
    return problem_.map.matrix.transpose() * precision.asDiagonal() * problem_.map.matrix;
  }

  const NeuralProblem& problem_;
  std::span<const double> flat_;
  Mlp network_;
  Vector noise_;
  Solver solver_;
  SolveRecord record_;
  std::vector<double> states_, bstates_;
};

// Of the logarithms of variances: half the number of values, in units of the prior.
void AddNoiseCurvature(const NeuralProblem& problem, Matrix& curvature) {
  const auto first = static_cast<Eigen::Index>(problem.weights() + problem.states());
  for (const TimedValues& t : problem.trajectories) {
    for (Eigen::Index c = 0; c < t.values.cols(); ++c) {
      const auto column = t.values.col(c).array();
      const double unit = problem.log_noise_deviation[c];
      curvature(first + c, first + c) +=
          0.5 * unit * unit * static_cast<double>((column == column).count());
    }
  }
}

}  // namespace

Matrix GaussNewton(const NeuralProblem& problem, std::span<const double> flat) {
  const auto n = static_cast<Eigen::Index>(problem.flat_size());
  Matrix curvature = Matrix::Identity(n, n);
  TrajectoryCurvature trajectories(problem, flat);
  for (std::size_t i = 0; i < problem.trajectories.size(); ++i) {
    if (!trajectories.Add(i, curvature)) return Matrix::Identity(n, n);
  }
  AddNoiseCurvature(problem, curvature);
  return curvature;
}

Matrix InverseOf(const Matrix& positive_definite) {
  const Eigen::LLT<Eigen::MatrixXd> llt(positive_definite);
  const Matrix inverse =
      llt.solve(Eigen::MatrixXd::Identity(positive_definite.rows(), positive_definite.cols()));
  return 0.5 * (inverse + inverse.transpose());
}

}  // namespace gpode
