// Tests of predictions of models other than GPODE: networks, point estimates, draws of a sampler.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "gpode/posterior.h"
#include "gpode/systems.h"
#include "model/network_function.h"
#include "predict/average_field.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using testing_support::MakeParameters;
using testing_support::Put;

// Returns the weights divided by their prior standard deviations, as the posterior keeps them.
Vector InPriorUnits(const Model& model, const Vector& weights) {
  const NeuralOptions& neural = model.options.neural;
  return weights.cwiseQuotient(WeightScales(2, neural.hidden, 2, neural.prior_scale));
}

// Returns a model of networks without hidden layers. It has two draws, which are rotations in the
// model's coordinates: (x, y)' = (y, -x), and the same twice as fast.
Model TwoRotations() {
  Model model;
  model.options.function = "network";
  model.options.posterior = "draws";
  model.options.neural.hidden = {};
  model.options.solver = {.rtol = 1e-10, .atol = 1e-10};
  model.channels = {"a", "b"};
  model.map = {Matrix{{2, 0}, {0, 0.5}}, Vector{{1, -1}}};
  model.coordinates.state_scale = Vector{{2, 0.5}};
  model.coordinates.state_offset = Vector{{1, -1}};
  model.coordinates.time_scale = 3;
  model.start_times = {10};
  model.end_times = {20};
  MakeParameters(model);
  model.draws.resize(2, std::ssize(model.parameters.values));
  for (int i : {0, 1}) {
    const double speed = i + 1;
    Put(model, "weight_mean", InPriorUnits(model, Vector{{0, speed, -speed, 0, 0, 0}}));
    Put(model, "x0_mean", Vector{{1 / speed, 0}});
    Put(model, "noise_variance", i == 0 ? Vector{{1, 2}} : Vector{{3, 6}});
    std::ranges::copy(model.parameters.values, model.draws.row(i).begin());
  }
  Put(model, "weight_mean", Vector::Zero(6).eval());
  Put(model, "x0_mean", Vector{{0.75, 0}});
  Put(model, "noise_variance", Vector{{2, 4}});
  return model;
}

// Returns the first rotation of TwoRotations, with normally distributed weights in place of draws
// and with an initial state that is known exactly.
Model NormalRotation(const Vector& deviation) {
  Model model = TwoRotations();
  model.options.posterior = "blocks";
  model.draws = {};
  MakeParameters(model);
  Put(model, "weight_mean", InPriorUnits(model, Vector{{0, 1, -1, 0, 0, 0}}));
  Put(model, "weight_deviation", InPriorUnits(model, deviation));
  Put(model, "x0_mean", Vector{{0.75, 0}});
  Put(model, "noise_variance", Vector{{2, 4}});
  return model;
}

TEST(OtherModels, DrawsOfASamplerAreFollowedFromTheirOwnInitialStates) {
  const std::vector<double> times = {8, 10, 13};
  const Forecast forecast =
      Posterior(TwoRotations()).Trajectory(0, times, {.draws = 2, .states = true});
  EXPECT_EQ(forecast.diverged, 0u);
  EXPECT_EQ(forecast.noise.parameters, (Vector{{2, 4}}));
  std::set<int> met;
  for (std::size_t s = 0; s < 2; ++s) {
    const Matrix draw = forecast.draws[s];
    const int row = draw(1, 0) > 2.5 ? 0 : 1;  // The value at the start is 2 x0 + 1.
    met.insert(row);
    for (Eigen::Index i = 0; i < 3; ++i) {
      const double angle = (row + 1) * (times[i] - 10) / 3, radius = row == 0 ? 1 : 0.5;
      EXPECT_NEAR(draw(i, 0), 2 * radius * std::cos(angle) + 1, 1e-7);
      EXPECT_NEAR(draw(i, 1), -0.5 * radius * std::sin(angle) - 1, 1e-7);
      EXPECT_NEAR(forecast.states[s](i, 0), draw(i, 0), 1e-12);
    }
  }
  EXPECT_EQ(met.size(), 2u) << "all draws come before any comes twice";
}

TEST(OtherModels, FieldsOfDrawsHaveTheirMoments) {
  const Posterior posterior(TwoRotations());
  // In the model's coordinates, the state is (1, 1) and the slopes are (1, -1) and (2, -2).
  const Matrix state{{3, -0.5}};
  EXPECT_NEAR(posterior.FieldMean(state)(0, 0), 1.5 * 2 / 3.0, 1e-12);
  EXPECT_NEAR(posterior.FieldMean(state)(0, 1), -1.5 * 0.5 / 3, 1e-12);
  EXPECT_NEAR(posterior.FieldVariance(state)(0, 0), 0.25 * 4 / 9.0, 1e-12);
  EXPECT_NEAR(Evaluate(posterior.MeanField(), state)(0, 0), 1.5 * 2 / 3.0, 1e-12);
}

TEST(OtherModels, NormalWeightsGiveNormalFields) {
  constexpr double kNone = 1e-100;  // almost zero, because deviations must be positive
  const Posterior posterior(NormalRotation(Vector{{kNone, 0.1, kNone, kNone, kNone, kNone}}));
  const Matrix state{{3, -0.5}};
  const double unit = 2 / 3.0;  // The first slope is N(1, 0.1^2) in this unit.
  EXPECT_NEAR(posterior.FieldMean(state)(0, 0), unit, 4 * 0.1 * unit / 16);
  EXPECT_NEAR(std::sqrt(posterior.FieldVariance(state)(0, 0)), 0.1 * unit, 0.1 * unit * 0.2);
  EXPECT_NEAR(posterior.FieldVariance(state)(0, 1), 0, 1e-20);
}

TEST(OtherModels, ADrawIsTheSameFunctionInForecastsAndFields) {
  const Posterior posterior(NormalRotation(Vector::Constant(6, 0.1)));
  const std::vector<double> times = {10.001};
  const Forecast forecast = posterior.Trajectory(0, times, {.draws = 3, .seed = 5, .states = true});
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrix start{{0.75 * 2 + 1, -1}};
    const Matrix slope = Evaluate(posterior.DrawField(5, i), start);
    EXPECT_TRUE((forecast.states[i] - start - 0.001 * slope).isZero(1e-6));
  }
}

TEST(OtherModels, AModelWithoutDrawsIsRefused) {
  Model model = TwoRotations();
  model.draws = {};
  EXPECT_THROW(Posterior{model}, InputError);
}

// A function draw whose field is always the same known system.
class KnownDraw final : public FunctionDraw {
 public:
  explicit KnownDraw(double mu) : field_(mu) {}
  void Sample(std::uint64_t, std::uint64_t, std::uint64_t) override {}
  void Set(std::span<const double>) override {}
  const Field& field() const override { return field_; }

 private:
  VanDerPol field_;
};

TEST(OtherModels, TheMeanOfFieldsIsAField) {
  std::vector<std::unique_ptr<FunctionDraw>> draws;
  draws.push_back(std::make_unique<KnownDraw>(0.5));
  draws.push_back(std::make_unique<KnownDraw>(1.5));
  const AverageField mean(std::move(draws));
  const VanDerPol expected(1.0);
  const Matrix points{{0.3, -1}, {2, 0.7}};
  EXPECT_TRUE(Evaluate(mean, points).isApprox(Evaluate(expected, points), 1e-14));
  EXPECT_TRUE(EvaluateJacobian(mean, points.row(0).transpose())
                  .isApprox(EvaluateJacobian(expected, points.row(0).transpose()), 1e-12));
  std::vector<double> value(2), record(mean.record_size()), bx(2, 0.0), expected_bx(2, 0.0);
  const std::vector<double> x = {0.3, -1}, g = {0.7, -0.2};
  mean.Record(x, value, record);
  mean.Pullback(x, record, g, bx, {});
  const Matrix jacobian = EvaluateJacobian(expected, points.row(0).transpose());
  EXPECT_NEAR(bx[0], jacobian(0, 0) * g[0] + jacobian(1, 0) * g[1], 1e-12);
  EXPECT_NEAR(bx[1], jacobian(0, 1) * g[0] + jacobian(1, 1) * g[1], 1e-12);
}

}  // namespace
}  // namespace gpode
