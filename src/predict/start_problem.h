// Inference of the start of one trajectory, and of its process noise, given a field and
// observations.
//
// The unknowns are u = (x0, w): the state at the start in the model's coordinates, and the normals
// of the force on each piece of time (data/noise_pieces.h). All are standard normal a priori. The
// cost is minus the log density of observations and unknowns,
//
//   cost(u) = - sum w_c log p(y | C x(t; u) + b) + |u|^2 / 2
//
// with a weight w_c for each channel, which is one unless the residuals are correlated.
// Its gradient is exact, and its curvature is approximated with the Fisher information of the
// likelihood (Gauss-Newton). The solution is integrated from observation to observation; the
// adjoint of the solver gives the derivatives of each interval.
//
// Thread safety: each thread needs a StartProblem of its own.
//
//   StartProblem problem(field, data, map, noise, deviation, solver);
//   StartMode mode = problem.Search(seed, 16);
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpode/input_signal.h"
#include "gpode/likelihood.h"
#include "gpode/observation.h"
#include "gpode/ode.h"

namespace gpode {

// The observations of one trajectory, in the model's time since its start.
struct StartData {
  std::vector<double> times;                       // (T), not negative
  Matrix values;                                   // (T, channels), NaN where missing
  std::shared_ptr<const InputSignal> inputs = {};  // none if the system is autonomous
  std::vector<double> ends = {};                   // the ends of the P pieces of the force
  std::vector<double> weights = {};  // (channels), those of the log likelihoods; empty: all are one
};

struct StartMode {
  Vector unknowns;            // (D + P D)
  double cost = HUGE_VAL;     // infinite if no solution reached the data
  Eigen::MatrixXd curvature;  // (D + P D, D + P D) at the unknowns
};

class StartProblem {
 public:
  // The arguments must outlive the problem. `deviation` (D) is the standard deviation of the force
  // on a piece; it is empty if there is no process noise.
  StartProblem(const Field& field, const StartData& data, const ObservationMap& map,
               const ObservationNoise& noise, std::span<const double> deviation,
               const SolverOptions& solver);

  std::size_t times() const { return data_.times.size(); }
  Eigen::Index size() const { return size_; }

  // Returns the cost of the first `count` times, or infinity if the solution does not reach them.
  // If `gradient` is given, computes gradient and curvature.
  double Cost(const Vector& u, std::size_t count, Vector* gradient = nullptr,
              Eigen::MatrixXd* curvature = nullptr);
  // Returns the sum over the observed values of (residual / noise)^2.
  double Misfit(const Vector& u);
  // Returns the observations minus the channels (T, channels); all are NaN from the first time that
  // the solution does not reach.
  Matrix Residuals(const Vector& u);

  // Minimises the cost of the first `count` times from a guess.
  StartMode Minimise(const Vector& guess, std::size_t count);
  // Minimises the cost of all times: first that of a short window at the start, then those of
  // longer and longer windows.
  StartMode MinimiseGrowing(const Vector& guess);
  // Runs MinimiseGrowing from the posterior mean of the state given the first row of values, and
  // from `draws` draws of that posterior. Returns the mode with the lowest cost.
  StartMode Search(std::uint64_t seed, std::size_t draws);

 private:
  struct Interval {
    double end;
    std::size_t piece;         // the piece of the force
    std::size_t time = kNone;  // the index of the observations at the end, if there are any
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  };

  bool Advance(const Interval& interval, double begin, const Vector& u, Vector& x,
               Eigen::MatrixXd* derivatives);
  double AddRow(std::size_t time, const Vector& x, const Eigen::MatrixXd* derivatives,
                Vector* gradient, Eigen::MatrixXd* curvature);

  const Field& field_;
  const StartData& data_;
  const ObservationMap& map_;
  const ObservationNoise& noise_;
  std::span<const double> deviation_;
  Eigen::Index dim_, size_;
  Solver solver_;
  SolveRecord record_;
  std::vector<Interval> intervals_;
  std::vector<double> force_, sums_, cotangent_, bstart_, channels_;
  double misfit_ = 0;  // the sum that Misfit returns, as of the last call of Cost
};

}  // namespace gpode
