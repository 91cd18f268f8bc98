// Tests of the point estimate by Gauss-Newton steps on segments, and of the linearised likelihood
// of segments.
#include "train/gauss_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/simulate.h"
#include "support/sampled_options.h"

namespace gpode {
namespace {

// The estimate from the given data, and its solution of the first trajectory.
struct Estimate {
  Estimate(const Dataset& data, const FitOptions& options)
      : start(Initialise(data, options)), target(data, options, start) {
    flat = FitByGaussNewton(target, {}, false).flat;
    values.resize(target.parts().layout().value_size());
    target.parts().layout().Constrain(flat, values);
    ThreadPool pool(1);
    UnknownFunction& function = target.parts().function();
    EXPECT_EQ(function.Set(values, pool), FactorStatus::kOk);
    const std::vector<double> z = target.parts().LatentMean(values);
    const LatentLayout& latent = target.parts().latent();
    draw = function.MakeDraw();
    draw->Set(latent.Part(ModelParts::kFunction, std::span<const double>(z)));
    const std::span<const double> own =
        latent.Part(ModelParts::kInitial, std::span<const double>(z));
    x0.assign(own.begin(), own.end());
    path.resize(std::ssize(observed().times), std::ssize(x0));
    Solver solver(options.solver);
    solver.Solve(draw->field(), x0, 0.0, observed().times,
                 {path.data(), static_cast<std::size_t>(path.size())});
  }

  const TimedValues& observed() const { return target.trajectories()[0]; }

  Start start;
  SampledTarget target;
  std::vector<double> flat, values;
  std::unique_ptr<FunctionDraw> draw;
  std::vector<double> x0;
  Matrix path;  // (T, D)
};

// The residuals of whole solutions are about as large as the noise, or a little smaller because of
// the degrees of freedom of the estimate. This must hold for a chaotic system and for one with
// sudden jumps, too.
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
    const Estimate e(data.data, SampledOptions(c.kernel));
    const Matrix left = e.observed().values - ((e.path * e.start.map.matrix.transpose()).rowwise() +
                                               e.start.map.offset.transpose());
    const Vector squares = left.cwiseAbs2().colwise().mean().transpose();
    for (double square : squares) {
      const double share = square / (c.noise * c.noise);
      EXPECT_GT(share, 0.4) << c.system;
      EXPECT_LT(share, 1.5) << c.system;
    }
  }
}

// If the given noise is small, no solution follows noisy data of a chaotic system over many
// periods.
TEST(GaussNewton, ReturnsNothingIfNoSolutionFollowsTheData) {
  const Dataset data =
      Simulate({.system = "lorenz63", .span = 20, .points = 60, .noise_share = 0.08}).data;
  FitOptions options = SampledOptions("se + linear");
  options.noise_variance = {0.01, 0.01, 0.01};
  SampledTarget target(data, options, Initialise(data, options));
  EXPECT_TRUE(FitByGaussNewton(target, {}, false).flat.empty());
}

// With a tolerance of almost zero, the tied segments are equivalent to the whole trajectory.
TEST(GaussNewton, TiedSegmentsHaveTheEvidenceOfTheWhole) {
  const Dataset data =
      Simulate({.system = "pendulum", .points = 40, .noise_share = 0.1, .seed = 3}).data;
  const FitOptions options = SampledOptions("se + linear");
  Estimate e(data, options);

  // There are three segments, whose start states are on the solution.
  const TimedValues& whole = e.observed();
  const std::size_t dim = e.x0.size();
  const std::vector<std::size_t> cuts = {0, 14, 27, 40};
  std::vector<TimedValues> segments(3);
  Matrix states(3, std::ssize(e.x0));
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
      std::ranges::copy(e.x0, states.row(row).begin());
    } else {
      states.row(row) = e.path.row(first - 1);
    }
  }
  const SegmentTies ties{.next = {1, 2, SegmentTies::kNone},
                         .precision = Vector::Constant(static_cast<Eigen::Index>(dim), 1e10)};
  const LinearisedLikelihood tied =
      LineariseSegments(e.draw->field(), states, segments, ties, e.start.map,
                        e.target.NoiseOf(e.values), options.solver);
  EXPECT_EQ(tied.target.size(), 80 + 4);

  e.target.SetFlat(e.flat);
  const auto evidence_of = [&](LinearisedLikelihood linear, double longer) {
    e.target.SetLinear(std::move(linear));
    const std::unique_ptr<SampledDensity> density = e.target.Density();
    Vector hyper = density->HyperparametersOf(e.flat);
    hyper.array() += longer;
    return density->EvaluateEvidence({hyper.data(), e.target.hyperparameters()}, {});
  };
  // The evidence is computed up to a constant that does not depend on the hyperparameters, so that
  // differences are compared.
  const double difference =
      evidence_of(WithoutStates(tied, 1), 0.5) - evidence_of(WithoutStates(tied, 1), 0.0);
  const double expected = evidence_of(e.target.LineariseAt(e.flat), 0.5) -
                          evidence_of(e.target.LineariseAt(e.flat), 0.0);
  EXPECT_GT(std::abs(expected), 0.3);
  EXPECT_NEAR(difference, expected, 0.02 * std::abs(expected));
}

}  // namespace
}  // namespace gpode
