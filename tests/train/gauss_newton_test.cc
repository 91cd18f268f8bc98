// The point estimate by Gauss-Newton steps on segments, and the linearised likelihood of segments.
#include "train/gauss_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/simulate.h"

namespace gpode {
namespace {

FitOptions Small(const std::string& kernel) {
  FitOptions options;
  options.kernel = kernel;
  options.posterior = "nuts";
  options.features = 16;
  options.threads = 1;
  return options;
}

// The mean squares of what the estimate leaves over, per noise variance (channels).
Vector LeftOver(const Simulation& simulated, const FitOptions& options, double noise_variance) {
  const Start start = Initialise(simulated.data, options);
  SampledTarget target(simulated.data, options, start);
  const std::vector<double> flat = FitByGaussNewton(target);
  std::vector<double> values(target.parts().layout().value_size());
  target.parts().layout().Constrain(flat, values);
  ThreadPool pool(1);
  UnknownFunction& function = target.parts().function();
  EXPECT_EQ(function.Set(values, pool), FactorStatus::kOk);
  const std::vector<double> z = target.parts().LatentMean(values);
  const LatentLayout& latent = target.parts().latent();
  const std::unique_ptr<FunctionDraw> draw = function.MakeDraw();
  draw->Set(latent.Part(ModelParts::kFunction, std::span<const double>(z)));
  const std::span<const double> x0 = latent.Part(ModelParts::kInitial, std::span<const double>(z));
  const TimedValues& data = target.trajectories()[0];
  Matrix solution(std::ssize(data.times), std::ssize(x0));
  Solver solver(options.solver);
  solver.Solve(draw->field(), x0, 0.0, data.times,
               {solution.data(), static_cast<std::size_t>(solution.size())});
  const Matrix left = data.values - ((solution * start.map.matrix.transpose()).rowwise() +
                                     start.map.offset.transpose());
  return left.cwiseAbs2().colwise().mean().transpose() / noise_variance;
}

// Whole solutions through the estimate leave the noise over, less what its degrees of freedom take,
// also of a chaotic system and of one with sudden jumps.
TEST(GaussNewton, LeavesTheNoiseOver) {
  struct Case {
    std::string system, kernel;
    double span, noise;
  };
  for (const Case& c :
       {Case{"vdp", "squared-exponential", 10, 0.1}, Case{"brusselator", "se + linear", 11, 0.1},
        Case{"lorenz63", "se + linear", 3, 0.8}}) {
    const Simulation data = Simulate({.system = c.system,
                                      .span = c.span,
                                      .points = 60,
                                      .irregular = true,
                                      .noise_variance = {c.noise * c.noise},
                                      .seed = 4});
    const Vector left = LeftOver(data, Small(c.kernel), c.noise * c.noise);
    for (double share : left) {
      EXPECT_GT(share, 0.4) << c.system;
      EXPECT_LT(share, 1.5) << c.system;
    }
  }
}

// No solution follows noisy data of a chaotic system over many periods, if the noise is said to be
// small.
TEST(GaussNewton, ReturnsNothingIfNoSolutionFollowsTheData) {
  const Dataset data =
      Simulate({.system = "lorenz63", .span = 20, .points = 60, .noise_share = 0.08}).data;
  FitOptions options = Small("se + linear");
  options.noise_variance = {0.01, 0.01, 0.01};
  SampledTarget target(data, options, Initialise(data, options));
  EXPECT_TRUE(FitByGaussNewton(target).empty());
}

// Segments that are tied without tolerance are the whole trajectory.
TEST(GaussNewton, TiedSegmentsHaveTheEvidenceOfTheWhole) {
  const Dataset data =
      Simulate({.system = "pendulum", .points = 40, .noise_share = 0.1, .seed = 3}).data;
  const FitOptions options = Small("se + linear");
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start);
  std::vector<double> flat = FitByGaussNewton(target);
  std::vector<double> values(target.parts().layout().value_size());
  target.parts().layout().Constrain(flat, values);
  ThreadPool pool(1);
  UnknownFunction& function = target.parts().function();
  ASSERT_EQ(function.Set(values, pool), FactorStatus::kOk);
  const std::vector<double> z = target.parts().LatentMean(values);
  const std::unique_ptr<FunctionDraw> draw = function.MakeDraw();
  const LatentLayout& latent = target.parts().latent();
  draw->Set(latent.Part(ModelParts::kFunction, std::span<const double>(z)));
  const std::span<const double> x0 = latent.Part(ModelParts::kInitial, std::span<const double>(z));

  // Three segments whose states are on the solution.
  const TimedValues& whole = target.trajectories()[0];
  const std::size_t dim = x0.size();
  Matrix path(std::ssize(whole.times), std::ssize(x0));
  Solver solver(options.solver);
  solver.Solve(draw->field(), x0, 0.0, whole.times,
               {path.data(), static_cast<std::size_t>(path.size())});
  const std::vector<std::size_t> cuts = {0, 14, 27, 40};
  std::vector<TimedValues> segments(3);
  Matrix states(3, std::ssize(x0));
  for (std::size_t n = 0; n < 3; ++n) {
    const double from = n == 0 ? 0 : whole.times[cuts[n] - 1];
    for (std::size_t i = cuts[n]; i < cuts[n + 1]; ++i) {
      segments[n].times.push_back(whole.times[i] - from);
    }
    const auto first = static_cast<Eigen::Index>(cuts[n]);
    segments[n].values =
        whole.values.middleRows(first, static_cast<Eigen::Index>(cuts[n + 1] - cuts[n]));
    const auto row = static_cast<Eigen::Index>(n);
    if (n == 0) {
      std::ranges::copy(x0, states.row(row).begin());
    } else {
      states.row(row) = path.row(first - 1);
    }
  }
  const SegmentTies ties{.next = {1, 2, SegmentTies::kNone},
                         .precision = Vector::Constant(static_cast<Eigen::Index>(dim), 1e10)};
  const LinearisedLikelihood tied = LineariseSegments(
      draw->field(), states, segments, ties, start.map, target.PrecisionOf(values), options.solver);
  EXPECT_EQ(tied.target.size(), 80 + 4);

  target.SetFlat(flat);
  const auto evidence_of = [&](LinearisedLikelihood linear, double longer) {
    target.SetLinear(std::move(linear));
    const std::unique_ptr<SampledDensity> density = target.Density();
    Vector hyper = density->HyperparametersOf(flat);
    hyper.array() += longer;
    return density->EvaluateEvidence({hyper.data(), target.hyperparameters()}, {});
  };
  // The evidence is known up to a constant that does not depend on the hyperparameters.
  const double difference =
      evidence_of(WithoutStates(tied, 1), 0.5) - evidence_of(WithoutStates(tied, 1), 0.0);
  const double expected =
      evidence_of(target.LineariseAt(flat), 0.5) - evidence_of(target.LineariseAt(flat), 0.0);
  EXPECT_GT(std::abs(expected), 0.3);
  EXPECT_NEAR(difference, expected, 0.02 * std::abs(expected));
}

}  // namespace
}  // namespace gpode
