// Tests of the density that samplers draw from: gradients, whitened coordinates, residual weights.
#include "train/sampled_target.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "gpode/fit_input.h"
#include "gpode/gradient_check.h"
#include "gpode/simulate.h"
#include "support/sampled_options.h"
#include "train/gauss_newton.h"

namespace gpode {
namespace {

// Equations of the pendulum with a parameter and an unknown function, and as a Hamiltonian system.
const std::string kGreyBox =
    "param k ~ lognormal(0, 1)\n"
    "dangle = velocity\n"
    "dvelocity = -k * sin(angle) + gp(velocity)\n";
const std::string kHamiltonian =
    "dangle = gp energy[2](angle, velocity)\n"
    "dvelocity = -gp energy[1](angle, velocity) - 0.2 * velocity\n";

FitOptions Small(const std::string& kernel) {
  FitOptions options = SampledOptions(kernel);
  options.inducing = 8;
  options.solver.rtol = options.solver.atol = 1e-10;
  return options;
}

Dataset Data() {
  return Simulate({.system = "pendulum", .points = 30, .noise_share = 0.1, .seed = 3}).data;
}

struct Setting {
  std::string kernel;                     // with or without a polynomial part
  std::vector<std::size_t> noise_pieces;  // empty: no process noise
  std::string equations = {};             // empty: a process
};

class SampledTargetTest : public testing::TestWithParam<Setting> {
 protected:
  SampledTargetTest()
      : start_(Initialise(data_, options_)),
        target_(data_, options_, start_, GetParam().noise_pieces) {
    flat_.resize(target_.parts().layout().flat_size());
    target_.parts().layout().Unconstrain(StartValues(target_.parts(), start_, {}), flat_);
    if (!target_.parts().HasProcessNoise()) return;
    const ParameterBlock& force = target_.parts().layout().Find("force_mean");
    std::ranges::copy(Normals(force.flat_size, 5),
                      flat_.begin() + static_cast<std::ptrdiff_t>(force.flat_offset));
  }

  FitOptions Options() const {
    FitOptions options = Small(GetParam().kernel);
    options.equations = GetParam().equations;
    CompleteEquations(data_, &options);
    return options;
  }

  std::vector<double> Normals(std::size_t n, std::uint64_t step) const {
    std::vector<double> normals(n);
    RandomStream(1, step, 0, Purpose::kTest).Normals(normals);
    return normals;
  }

  Dataset data_ = Data();
  FitOptions options_ = Options();
  Start start_;
  SampledTarget target_;
  std::vector<double> flat_;
};

TEST_P(SampledTargetTest, HasTheGradientOfItsDensity) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  density->SetFurther(Normals(target_.further(), 1));
  Vector position = density->PositionOf(flat_);
  const std::vector<double> normals = Normals(target_.size(), 2);
  for (std::size_t i = 0; i < target_.size(); ++i) {
    position[static_cast<Eigen::Index>(i)] += 0.3 * normals[i];
  }
  const std::span<const double> at(position.data(), target_.size());
  std::vector<double> gradient(target_.size());
  ASSERT_TRUE(std::isfinite(density->Evaluate(at, gradient)));
  const GradientCheck check =
      CheckGradient([&](std::span<const double> x) { return density->Evaluate(x, {}); }, at,
                    gradient, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-4)) << check.message;

  // If the hyperparameters are not varied, their derivatives are zero and the others are the same.
  std::vector<double> held(target_.size());
  density->Evaluate(at, held, SampledDensity::Varied::kAllButHyperparameters);
  const std::size_t first = target_.whitened(), last = first + target_.hyperparameters();
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double expected = i >= first && i < last ? 0 : gradient[i];
    EXPECT_NEAR(held[i], expected, 1e-9 * (1 + std::abs(expected))) << i;
  }
}

// A density keeps matrices, draws and weights that have not changed since the last evaluation. Each
// evaluation must have the bits of a density that has evaluated nothing before.
TEST_P(SampledTargetTest, HasTheSameBitsWhateverWasEvaluatedBefore) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> used = target_.Density();
  Vector position = used->PositionOf(flat_);
  const auto hyper = static_cast<Eigen::Index>(target_.whitened());
  for (std::size_t i = 0; i < 8; ++i) {
    // Bits of i say what changes: hyperparameters, weights of the residual, latent variables.
    if (i & 1) position[hyper] += 0.1;
    const std::vector<double> further = Normals(target_.further(), (i & 2) ? i : 1);
    if (i & 4) position[0] += 0.2;
    const std::unique_ptr<SampledDensity> fresh = target_.Density();
    used->SetFurther(further);
    fresh->SetFurther(further);
    const std::span<const double> at(position.data(), target_.size());
    for (auto varied :
         {SampledDensity::Varied::kAllButHyperparameters, SampledDensity::Varied::kAll}) {
      std::vector<double> gradient(target_.size()), expected(target_.size());
      EXPECT_EQ(used->Evaluate(at, gradient, varied), fresh->Evaluate(at, expected, varied)) << i;
      EXPECT_EQ(gradient, expected) << i;
    }
  }
}

TEST_P(SampledTargetTest, EndsEarlyOnlyIfTheDensityIsBelowTheFloor) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  Vector position = density->PositionOf(flat_);
  const auto value = [&](double floor) {
    return density->Evaluate({position.data(), target_.size()}, {}, SampledDensity::Varied::kAll,
                             floor);
  };
  for (double away : {0.0, 0.5, 2.0, 8.0}) {
    position[0] += away;
    const double whole = value(-INFINITY);
    if (!std::isfinite(whole)) continue;
    for (double below : {0.0, 1e-9, 1.0, 1e6}) EXPECT_EQ(value(whole - below), whole) << away;
    // The prior alone makes this floor impossible.
    EXPECT_EQ(value(1e6), -INFINITY) << away;
    // The errors of the solution show that the density is below this floor.
    EXPECT_EQ(value(whole + 1), -INFINITY) << away;
  }
}

// The density of the model and the linearised one have the same gradient where the likelihood is
// linearised, up to errors of the interpolation between nodes. The linearised density is standard
// normal in whitened coordinates, so that its gradient is minus the position.
TEST_P(SampledTargetTest, TheLinearisedLikelihoodHasTheGradientOfTheRightOne) {
  // The likelihood is linearised at parameters away from the mode.
  if (!target_.parts().HasProcessNoise()) flat_ = FitByGaussNewton(target_, {}, false).flat;
  target_.SetFlat(flat_);
  target_.SetLinear(target_.LineariseAt(flat_));
  const auto n = static_cast<Eigen::Index>(target_.whitened());
  {
    const std::unique_ptr<SampledDensity> density = target_.Density();
    Vector away = density->PositionOf(flat_);
    const std::vector<double> normals = Normals(target_.whitened(), 4);
    away.head(n) += 3 * Eigen::Map<const Vector>(normals.data(), n);
    target_.parts().layout().Unconstrain(density->ValuesAt({away.data(), target_.size()}), flat_);
  }
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  const Vector position = density->PositionOf(flat_);
  Vector gradient(position.size());
  density->Evaluate({position.data(), target_.size()}, {gradient.data(), target_.size()});
  EXPECT_GT(position.head(n).norm(), 8);
  EXPECT_LT((gradient.head(n) + position.head(n)).norm(), 0.2 * position.head(n).norm());
}

TEST_P(SampledTargetTest, HasTheGradientOfTheEvidence) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  const Vector position = density->PositionOf(flat_);
  const Vector hyper = position.segment(static_cast<Eigen::Index>(target_.whitened()),
                                        static_cast<Eigen::Index>(target_.hyperparameters()));
  const std::span<const double> at(hyper.data(), target_.hyperparameters());
  std::vector<double> gradient(at.size()), ignored(at.size());
  density->EvaluateEvidence(at, gradient);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> x) { return density->EvaluateEvidence(x, ignored); }, at,
      gradient, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-4)) << check.message;
}

TEST_P(SampledTargetTest, TheResidualIsDrawnAnewAndTheSameWithTheSameNumbers) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  const Vector position = density->PositionOf(flat_);
  const std::span<const double> at(position.data(), target_.size());
  std::vector<double> further = Normals(target_.further(), 3), again = further;
  density->SetFurther(further);
  density->DrawFurther(RandomStream(1, 2, 3, Purpose::kTest), at, further);
  EXPECT_NE(further, again);
  EXPECT_TRUE(std::isfinite(density->Evaluate(at, {})));
  density->SetFurther(again);
  density->DrawFurther(RandomStream(1, 2, 3, Purpose::kTest), at, again);
  EXPECT_EQ(further, again);
}

TEST_P(SampledTargetTest, ThePositionOfFlatParametersLeadsBackToThem) {
  target_.SetLinear(target_.LineariseAt(flat_));
  target_.SetFlat(flat_);
  const std::unique_ptr<SampledDensity> density = target_.Density();
  const Vector position = density->PositionOf(flat_);
  const std::vector<double> values = density->ValuesAt({position.data(), target_.size()});
  std::vector<double> back(flat_.size());
  target_.parts().layout().Unconstrain(values, back);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], flat_[i], 1e-8) << i;
}

// One coordinate multiplies the scales of all terms of one degree of an output. The last coordinate
// belongs to the squares and products of output 2.
TEST(SampledScales, AllTermsOfOneDegreeAreDrawnTogether) {
  const Dataset data = Data();
  const FitOptions options = Small("se + polynomial2");
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start);
  const ParameterLayout& layout = target.parts().layout();
  std::vector<double> flat(layout.flat_size()), before(layout.value_size());
  layout.Unconstrain(StartValues(target.parts(), start, {}), flat);
  layout.Constrain(flat, before);
  target.SetFlat(flat);
  ASSERT_EQ(target.hyperparameters(), 4u + 2u + 4u);  // lengthscales, variances, scales
  const std::unique_ptr<SampledDensity> density = target.Density();
  Vector hyper = density->HyperparametersOf(flat);
  hyper[9] += 1;
  const std::vector<double> after =
      density->WithHyperparameters(flat, {hyper.data(), target.hyperparameters()});
  const ParameterBlock& scales = layout.Find("polynomial_scales");
  ASSERT_EQ(scales.value_size, 12u);  // 1, x, y, xx, xy, yy for each output
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool moves = i >= scales.value_offset + 9 && i < scales.value_offset + 12;
    const double expected = before[i] * (moves ? std::exp(1.5) : 1);
    EXPECT_NEAR(after[i], expected, 1e-12 * (1 + std::abs(expected))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, SampledTargetTest,
    testing::Values(Setting{"squared-exponential", {}}, Setting{"se + linear", {}},
                    Setting{"se + polynomial2", {}}, Setting{"se + linear", {7}},
                    Setting{"se + linear", {}, kGreyBox}, Setting{"se", {}, kHamiltonian}),
    [](const auto& test) {
      std::string name = test.param.kernel;
      std::erase_if(name, [](char c) { return !std::isalnum(c); });
      if (test.param.equations == kGreyBox) name = "GreyBox";
      if (test.param.equations == kHamiltonian) name = "Hamiltonian";
      return name + (test.param.noise_pieces.empty() ? "" : "AndNoise");
    });

}  // namespace
}  // namespace gpode
