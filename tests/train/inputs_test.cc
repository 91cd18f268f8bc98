// Tests of learning with inputs: gradients across jumps of an input, the same bits for any number
// of threads and for resumed runs, model files, and forecasts with inputs that were not learnt
// from.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/gradient_check.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"
#include "gpode/training.h"
#include "start/initialise.h"
#include "support/driven_data.h"
#include "support/message_of.h"
#include "support/sampled_options.h"
#include "support/trainer_runs.h"
#include "train/gauss_newton.h"
#include "train/sampled_target.h"
#include "train/start_values.h"

namespace gpode {
namespace {

using testing_support::ClockData;
using testing_support::DrivenData;
using testing_support::DrivenTrajectory;
using testing_support::EndWhenRestoredAfter;
using testing_support::MessageOf;
using testing_support::RandomLevels;
using testing_support::RunAll;

FitOptions Small() {
  FitOptions options;
  options.inducing = 8;
  options.features = 24;
  options.steps = 60;
  options.threads = 1;
  return options;
}

// Returns small options whose steps do not depend on the parameters, so that finite differences see
// the same steps as the adjoint.
FitOptions WithFixedSteps(InputHold hold) {
  FitOptions options = Small();
  options.hold = hold;
  options.period = {3};
  options.time_input = true;
  options.solver.method = Method::kRungeKutta4;
  options.solver.fixed_step = 0.2;
  return options;
}

// The parameters are how inputs are interpolated and the number of gaps in a segment.
class GradientWithInputsTest : public testing::TestWithParam<std::tuple<InputHold, std::size_t>> {};

TEST_P(GradientWithInputsTest, OfTheBoundIsTheDerivative) {
  const auto [hold, gaps] = GetParam();
  const Dataset data = DrivenData(1, 12, 4);
  const FitOptions options = WithFixedSteps(hold);
  const Start start = Initialise(data, options);
  ASSERT_EQ(start.coordinates.inputs(), 4u);
  std::vector<TimedValues> timed =
      InModelTime(data, start.coordinates, options.InputsWith(data.inputs));
  Segmentation cut = CutIntoSegments(timed, gaps);
  const ModelParts parts(options, {.dim = 2,
                                   .inputs = 4,
                                   .channels = 2,
                                   .trajectories = 1,
                                   .shooting_states = cut.shooting_states});
  std::vector<double> values = StartValues(parts, start, cut), bvalues(values.size());
  const auto bound = MakeBound(options, start, parts, std::move(timed), std::move(cut));
  bound->Choose(bound->AllSegments());
  ThreadPool pool(1);
  bound->SampleNormals(1, 1, pool);
  std::vector<double> flat(parts.layout().flat_size()), gradient(flat.size());
  parts.layout().Unconstrain(values, flat);
  const Tolerance tolerance{.scale = 0.3};
  ASSERT_EQ(bound->Evaluate(values, tolerance, bvalues, pool).diverged, 0u);
  parts.layout().ConstrainPullback(values, bvalues, gradient);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) {
        std::vector<double> own(values.size());
        parts.layout().Constrain(at, own);
        return bound->Evaluate(own, tolerance, {}, pool).Total();
      },
      flat, gradient, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-5)) << check.message;
}

INSTANTIATE_TEST_SUITE_P(All, GradientWithInputsTest,
                         testing::Combine(testing::Values(InputHold::kPrevious, InputHold::kLinear),
                                          testing::Values(0, 1)));

// Checks the gradient of the density with these numbers of pieces of process noise.
void ExpectGradientOfDensity(const std::vector<std::size_t>& noise_pieces) {
  const Dataset data = DrivenData(2, 40, 6);
  FitOptions options = SampledOptions("squared-exponential + linear");
  options.inducing = 8;
  options.period = {4};
  options.solver.rtol = options.solver.atol = 1e-9;
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start, noise_pieces);
  const ModelParts& parts = target.parts();
  std::vector<double> flat(parts.layout().flat_size()), values = StartValues(parts, start, {});
  if (parts.HasProcessNoise()) {
    std::ranges::fill(parts.layout().Values(parts.process_noise_block(), std::span(values)), 0.3);
  }
  parts.layout().Unconstrain(values, flat);
  target.SetLinear(target.LineariseAt(flat));
  ASSERT_TRUE(target.HasLinear());
  target.SetFlat(flat);
  const std::unique_ptr<SampledDensity> density = target.Density();
  std::vector<double> further(target.further());
  RandomStream(1, 1, 0, Purpose::kTest).Normals(further);
  density->SetFurther(further);
  Vector position = density->PositionOf(flat);
  for (Eigen::Index i = 0; i < position.size(); ++i) position[i] += 0.2 * std::sin(3.0 * i);
  const std::span<const double> at(position.data(), target.size());
  std::vector<double> gradient(target.size());
  ASSERT_TRUE(std::isfinite(density->Evaluate(at, gradient)));
  const GradientCheck check =
      CheckGradient([&](std::span<const double> x) { return density->Evaluate(x, {}); }, at,
                    gradient, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-4)) << check.message;
}

TEST(SampledWithInputsTest, HasTheGradientOfItsDensity) { ExpectGradientOfDensity({}); }
TEST(SampledWithInputsTest, HasTheGradientOfItsDensityWithProcessNoise) {
  ExpectGradientOfDensity({5});
}

// Where the likelihood is linearised, the model's density and the linearised one have about the
// same gradient. The latter is standard normal in whitened coordinates.
void ExpectLinearisedGradient(const Dataset& data, FitOptions options) {
  options.inducing = 10;
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start);
  std::vector<double> flat = FitByGaussNewton(target, {}, false).flat;
  ASSERT_FALSE(flat.empty());
  target.SetFlat(flat);
  target.SetLinear(target.LineariseAt(flat));
  const auto n = static_cast<Eigen::Index>(target.whitened());
  {
    const std::unique_ptr<SampledDensity> density = target.Density();
    Vector away = density->PositionOf(flat);
    for (Eigen::Index i = 0; i < n; ++i) away[i] += 3 * std::sin(2.0 * static_cast<double>(i));
    target.parts().layout().Unconstrain(density->ValuesAt({away.data(), target.size()}), flat);
  }
  target.SetLinear(target.LineariseAt(flat));
  target.SetFlat(flat);
  const std::unique_ptr<SampledDensity> density = target.Density();
  const Vector position = density->PositionOf(flat);
  Vector gradient(position.size());
  density->Evaluate({position.data(), target.size()}, {gradient.data(), target.size()});
  EXPECT_GT(position.head(n).norm(), 10);
  EXPECT_LT((gradient.head(n) + position.head(n)).norm(), 0.15 * position.head(n).norm());
}

TEST(SampledWithInputsTest, TheLinearisedLikelihoodFollowsAClock) {
  FitOptions options = SampledOptions("squared-exponential + linear");
  options.period = {4};
  ExpectLinearisedGradient(ClockData(4, 40, 8), options);
}

TEST(SampledWithInputsTest, TheLinearisedLikelihoodFollowsHeldInputs) {
  ExpectLinearisedGradient(DrivenData(2, 40, 8), SampledOptions("squared-exponential + linear"));
}

TEST(SampledWithInputsTest, TheLinearisedLikelihoodFollowsLinearInputs) {
  FitOptions options = SampledOptions("squared-exponential + linear");
  options.hold = InputHold::kLinear;
  ExpectLinearisedGradient(DrivenData(2, 40, 8, InputHold::kLinear), options);
}

TEST(TrainingWithInputsTest, SameBitsForOneAndFourThreads) {
  const Dataset data = DrivenData(3, 40, 10);
  for (const char* posterior : {"blocks", "nuts"}) {
    FitOptions options = Small();
    options.posterior = posterior;
    options.period = {5};
    options.sampler.chains = 2;
    options.sampler.draws = 4;
    options.sampler.warm_up = 4;
    options.sampler.max_depth = 3;
    const TrainedModel one = Train(data, options);
    options.threads = 4;
    const TrainedModel four = Train(data, options);
    EXPECT_EQ(one.model.parameters.values, four.model.parameters.values) << posterior;
    EXPECT_EQ(one.model.draws, four.model.draws) << posterior;
  }
}

TEST(TrainingWithInputsTest, ARestoredRunGoesOnAsIfNeverStopped) {
  const Dataset data = DrivenData(4, 30, 8);
  for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
    FitOptions options = Small();
    options.bound = bound;
    options.time_input = true;
    const TrainerState whole = RunAll(data, options).end;
    for (std::size_t stop : {7, 45}) {
      EXPECT_EQ(EndWhenRestoredAfter(stop, data, options).flat, whole.flat) << stop;
    }
  }
}

// Learnt from one series of levels, the field forecasts the response to another one.
TEST(TrainingWithInputsTest, ForecastsTheResponseToNewInputs) {
  const Dataset data = DrivenData(5, 90, 30);
  FitOptions options;
  options.posterior = "nuts";
  options.kernel = "squared-exponential + linear";
  options.features = 16;
  options.sampler.chains = 2;
  options.sampler.warm_up = 15;
  options.sampler.draws = 15;
  options.sampler.max_depth = 4;
  const Posterior posterior(Fit(data, options));
  const Trajectory truth = DrivenTrajectory("", RandomLevels(6, 20), 41, 20, 0);
  ForecastOptions with{.draws = 32};
  with.inputs = truth.inputs;
  const Forecast forecast = posterior.From(
      {.mean = truth.values.row(0).transpose(), .covariance = {}}, 0, truth.times, with);
  const Matrix error = forecast.Quantile(0.5) - truth.values;
  const double rms = std::sqrt(error.squaredNorm() / static_cast<double>(error.size()));
  EXPECT_LT(rms, 0.15);
  with.inputs = RandomLevels(7, 20);
  const Forecast other = posterior.From({.mean = truth.values.row(0).transpose(), .covariance = {}},
                                        0, truth.times, with);
  EXPECT_GT((other.Quantile(0.5) - truth.values).cwiseAbs().maxCoeff(), 0.5);
}

TEST(TrainingWithInputsTest, OptionsSuitDrivenSystems) {
  const Dataset data = DrivenData(9, 350, 35);
  const FitOptions chosen = ChooseOptions(data);
  EXPECT_EQ(chosen.posterior, "blocks");
  EXPECT_EQ(chosen.bound, BoundKind::kShooting);
  EXPECT_EQ(chosen.kernel, "squared-exponential + linear");
  EXPECT_EQ(chosen.segment, 3u);
  EXPECT_EQ(chosen.steps, 8000u);
  EXPECT_GT(chosen.polish_most, 350u);
  FitOptions own;
  own.segment = 1;
  own.polish_most = 9;
  own.kernel = "matern52";
  const FitOptions kept = ChooseOptions(data, own, {"segment", "polish_most", "kernel", "steps"});
  EXPECT_EQ(kept.segment, 1u);
  EXPECT_EQ(kept.polish_most, 9u);
  EXPECT_EQ(kept.kernel, "matern52");
  EXPECT_EQ(kept.steps, own.steps);
  Dataset without = data;
  without.inputs.clear();
  without.trajectories[0].inputs = {};
  EXPECT_EQ(ChooseOptions(without).polish_most, FitOptions().polish_most);
  EXPECT_EQ(ChooseOptions(without).kernel, FitOptions().kernel);
  FitOptions clock;
  clock.period = {24};
  EXPECT_EQ(ChooseOptions(without, clock).polish_most, FitOptions().polish_most);
  EXPECT_EQ(ChooseOptions(without, clock).kernel, "squared-exponential + linear");
}

class ModelWithInputsTest : public testing::Test {
 protected:
  static Model Learn() {
    FitOptions options = Small();
    options.steps = 10;
    options.period = {24};
    return Fit(DrivenData(8, 20, 6), options);
  }
  Model model_ = Learn();
};

TEST_F(ModelWithInputsTest, ForecastsMustBeCoveredByInputs) {
  const Posterior posterior(model_);
  const std::vector<double> later = {5, 9};
  EXPECT_EQ(MessageOf([&] { posterior.Trajectory(0, later); }),
            "Forecast: inputs end at 6, must go on to 9");
  ForecastOptions options{.draws = 3};
  options.hold_inputs = true;
  const Matrix held = posterior.Trajectory(0, later, options).draws[0];
  options.hold_inputs = false;
  options.inputs = {.times = {7, 9}, .values = Matrix::Constant(2, 1, 9.0)};
  const Matrix other = posterior.Trajectory(0, later, options).draws[0];
  EXPECT_EQ(held.row(0), other.row(0));
  EXPECT_NE(held.row(1), other.row(1));
  const std::vector<double> earlier = {-1};
  EXPECT_EQ(MessageOf([&] { posterior.Trajectory(0, earlier); }),
            "Forecast: inputs begin at 0, must begin at -1 or before");
  const StartState start{.mean = Vector::Zero(2), .covariance = {}};
  EXPECT_EQ(MessageOf([&] { posterior.From(start, 0, later); }),
            "Forecast: inputs are missing, must cover the forecast");
}

TEST_F(ModelWithInputsTest, TheFieldDependsOnInputs) {
  const Posterior posterior(model_);
  const Matrix state = Matrix::Constant(1, 2, 1.0);
  Matrix low(1, 3), high(1, 3);
  low << 2, 1, 0;
  high << 6, 1, 0;
  EXPECT_NE(posterior.FieldMean(state, low), posterior.FieldMean(state, high));
  EXPECT_EQ(posterior.FieldMean(state),
            posterior.FieldMean(state, posterior.TypicalInputs().transpose()));
  EXPECT_EQ(MessageOf([&] { posterior.FieldMean(state, Matrix::Zero(1, 2)); }),
            "Posterior: a row of inputs has 2 values, must have 3");
}

TEST_F(ModelWithInputsTest, FilesKeepInputs) {
  const std::vector<std::byte> bytes = ModelFileBytes(TrainedModel{.model = model_});
  const Model read = LoadTrainedModel(bytes, "model").model;
  EXPECT_EQ(read.inputs, model_.inputs);
  ASSERT_EQ(read.input_samples.size(), 1u);
  EXPECT_EQ(read.input_samples[0].times, model_.input_samples[0].times);
  EXPECT_EQ(read.input_samples[0].values, model_.input_samples[0].values);
  EXPECT_EQ(read.options.period, model_.options.period);
  EXPECT_EQ(read.coordinates.input_scale, model_.coordinates.input_scale);
  const std::vector<double> times = {0, 3, 6};
  EXPECT_EQ(Posterior(read).Trajectory(0, times, {.draws = 2}).draws[1],
            Posterior(model_).Trajectory(0, times, {.draws = 2}).draws[1]);
}

TEST_F(ModelWithInputsTest, ImpossibleInputsAreRefused) {
  Model broken = model_;
  broken.input_samples.clear();
  EXPECT_EQ(MessageOf([&] { CheckModel(broken); }),
            "model: input_samples has 0 values, must have 1");
  broken = model_;
  broken.input_samples[0].times[1] = 0;
  EXPECT_EQ(MessageOf([&] { CheckModel(broken); }), "model: input_times must increase");
  broken = model_;
  broken.options.time_input = true;
  EXPECT_EQ(MessageOf([&] { CheckModel(broken); }), "model: input_scale has 3 values, must have 4");
}

}  // namespace
}  // namespace gpode
