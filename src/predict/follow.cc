// From states to forecasts: which state every time is reached from, and the integrations.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "gpode/error.h"
#include "gpode/parallel.h"
#include "gpode/posterior.h"
#include "gpode/random.h"
#include "predict/integrate.h"

namespace gpode {

// A state and the times that are reached from it.
struct Posterior::Leg {
  Vector mean;   // (D), in the model's coordinates
  Matrix chol;   // (D, D), mean + chol eps is a draw; none: known exactly
  double start;  // in the user's time
  // Whose initial state it is, if it is one: a sampler's draws have their own.
  std::optional<std::size_t> trajectory = {};
  std::size_t first = 0, count = 0;
  // Where its random numbers are.
  Purpose purpose = Purpose::kInitialState;
  std::uint64_t first_number = 0;
};

namespace {

// A factor F with F F^T = covariance, which may be singular.
Matrix FactorOf(const Matrix& covariance) {
  CheckFinite("Posterior::From", "covariance",
              {covariance.data(), static_cast<std::size_t>(covariance.size())});
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
  if (!covariance.isApprox(covariance.transpose(), 1e-8) ||
      eigen.eigenvalues().minCoeff() < -1e-8 * largest) {
    ThrowInput("Posterior::From", "covariance", "must be symmetric and positive semidefinite");
  }
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

}  // namespace

void Posterior::CheckTrajectory(std::size_t trajectory) const {
  if (trajectory < model_.start_times.size()) return;
  ThrowInput("ForecastTrajectory", "trajectory",
             fmt::format("is {}, must be less than the model's {}", trajectory,
                         model_.start_times.size()));
}

std::vector<Posterior::Leg> Posterior::LegsOf(std::size_t trajectory, std::span<const double> times,
                                              Origin origin) const {
  const auto d = static_cast<Eigen::Index>(dim());
  std::vector<Leg> legs = {{.mean = model_.x0_mean.row(static_cast<Eigen::Index>(trajectory)),
                            .chol = model_.x0_chol[trajectory],
                            .start = model_.start_times[trajectory],
                            .trajectory = trajectory,
                            .first_number = trajectory * dim()}};
  const std::vector<std::size_t>& owner = model_.shooting_trajectory;
  const auto own = std::equal_range(owner.begin(), owner.end(), trajectory);
  std::size_t reached = 0;  // times before the present leg's
  for (auto it = own.first; origin == Origin::kLatestState && it != own.second; ++it) {
    const std::size_t k = it - owner.begin();
    const double start = model_.shooting_times[k];
    const std::size_t earlier = std::lower_bound(times.begin(), times.end(), start) - times.begin();
    legs.back().first = reached;
    legs.back().count = earlier - reached;
    reached = earlier;
    if (legs.back().count == 0 && legs.size() > 1) legs.pop_back();
    const auto row = static_cast<Eigen::Index>(k);
    legs.push_back({.mean = model_.shooting_mean.row(row),
                    .chol = Eigen::Map<const Matrix>(model_.shooting_chol.row(row).data(), d, d),
                    .start = start,
                    .purpose = Purpose::kShootingState,
                    .first_number = k * dim()});
  }
  legs.back().first = reached;
  legs.back().count = times.size() - reached;
  return legs;
}

bool Posterior::FollowLeg(const Leg& leg, const Field& field, std::uint64_t seed, std::uint64_t i,
                          std::span<const double> times, Matrix& states) const {
  const std::size_t d = dim();
  Vector eps(leg.mean.size());
  RandomStream(seed, kForecastStep, i, leg.purpose).Normals({eps.data(), d}, leg.first_number);
  Vector x0 = leg.mean;
  if (leg.trajectory && IsSampled(model_.options.model)) {
    x0 = model_.draws.x0.row(static_cast<Eigen::Index>(RowOf(seed, i)))
             .segment(static_cast<Eigen::Index>(*leg.trajectory * d), x0.size());
  } else if (leg.chol.size() > 0) {
    for (Eigen::Index r = 0; r < x0.size(); ++r) {
      for (Eigen::Index c = 0; c < x0.size(); ++c) x0[r] += leg.chol(r, c) * eps[c];
    }
  }
  std::vector<double> model_times(times.begin() + leg.first, times.begin() + leg.first + leg.count);
  for (double& t : model_times) t = (t - leg.start) / model_.time_scale;
  Solver solver(model_.options.solver);
  return IntegrateBothWays(solver, field, {x0.data(), d}, model_times,
                           {states.data() + leg.first * d, leg.count * d});
}

Forecast Posterior::Follow(const std::vector<Leg>& legs, std::span<const double> times,
                           const ForecastOptions& options) const {
  CheckAtLeast("Forecast", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  Forecast forecast{.times = {times.begin(), times.end()},
                    .draws = std::vector<Matrix>(options.draws),
                    .noise_variance = model_.noise_variance};
  if (options.states) forecast.states.resize(options.draws);
  std::atomic<std::size_t> diverged{0};
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    const std::unique_ptr<const Field> draw = Draw(options.seed, i);
    Matrix z(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(dim()));
    bool ok = true;
    for (const Leg& leg : legs) ok = FollowLeg(leg, *draw, options.seed, i, times, z) && ok;
    if (!ok) ++diverged;
    forecast.draws[i] = model_.map.Apply(z);
    if (options.states) {
      forecast.states[i] =
          (z * model_.state_scale.asDiagonal()).rowwise() + model_.state_offset.transpose();
    }
  });
  forecast.diverged = diverged;
  return forecast;
}

Forecast Posterior::Trajectory(std::size_t trajectory, std::span<const double> times,
                               const ForecastOptions& options) const {
  CheckTrajectory(trajectory);
  CheckForecastTimes(times);
  return Follow(LegsOf(trajectory, times, options.from), times, options);
}

Forecast Posterior::From(const StartState& start, double time, std::span<const double> times,
                         const ForecastOptions& options) const {
  CheckForecastTimes(times);
  CheckFinite("Posterior::From", "time", time);
  CheckSize("Posterior::From", "mean", start.mean.size(), dim());
  Leg leg{.mean = ToModel(start.mean.transpose()).transpose(),
          .chol = {},
          .start = time,
          .count = times.size()};
  if (start.covariance.size() > 0) {
    CheckSize("Posterior::From", "covariance", start.covariance.rows(), dim());
    CheckSize("Posterior::From", "covariance", start.covariance.cols(), dim());
    leg.chol = model_.state_scale.cwiseInverse().asDiagonal() * FactorOf(start.covariance);
  }
  return Follow({leg}, times, options);
}

}  // namespace gpode
