// Tests of all kinds of models: their accuracy, and what training guarantees for each of them.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "gpode/error.h"
#include "gpode/forecast.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "gpode/posterior.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "model/network_function.h"
#include "store/model_file.h"
#include "support/message_of.h"
#include "support/noise.h"
#include "support/sampled_options.h"
#include "support/temporary_folder.h"
#include "support/trainer_runs.h"
#include "train/sampled_target.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::WithNoise;

// Returns noisy observations of a damped rotation from two starts.
Dataset RotationData(double noise_share = 0.05) {
  const std::vector<double> times = RegularTimes(0.2, 4, 20);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  std::uint64_t seed = 1;
  for (const Vector& x0 : {Vector{{1.0, 0.5}}, Vector{{-0.3, -1.2}}}) {
    Matrix states(20, 2);
    for (Eigen::Index i = 0; i < 20; ++i) {
      const double t = 1.5 * times[i], decay = std::exp(-0.1 * times[i]);
      states.row(i) << decay * (x0[0] * std::cos(t) + x0[1] * std::sin(t)),
          decay * (x0[1] * std::cos(t) - x0[0] * std::sin(t));
    }
    data.trajectories.push_back({"", times, WithNoise(states, noise_share, seed++), 0.0});
  }
  return data;
}

// Returns the root mean squared error of the mean forecast of the first trajectory.
double ForecastError(const Model& model) {
  const Dataset truth = RotationData(0);
  const Forecast forecast =
      ForecastTrajectory(model, 0, truth.trajectories[0].times, {.draws = 200, .threads = 1});
  const Matrix away = forecast.Mean() - truth.trajectories[0].values;
  return std::sqrt(away.squaredNorm() / static_cast<double>(away.size()));
}

FitOptions OptionsOf(const std::string& name) {
  FitOptions options;
  SetModel(options, name, "test");
  options.inducing = 8;
  options.features = 64;
  options.steps = 1500;
  options.learning_rate = 0.03;
  options.neural.hidden = {8};
  options.neural.slope_steps = 500;
  options.sampler = {.chains = 2, .warm_up = 60, .draws = 60, .max_depth = 6};
  return options;
}

// Returns the prior standard deviations of a network's weights, which are the units of
// "weight_mean".
Vector UnitsOfWeights(const Model& model) {
  const NeuralOptions& neural = model.options.neural;
  return WeightScales(model.dim(), neural.hidden, model.dim(), neural.prior_scale);
}

Vector WeightsOf(const Model& model) {
  const std::span<const double> mean = model.parameters["weight_mean"];
  return UnitsOfWeights(model).cwiseProduct(
      Eigen::Map<const Vector>(mean.data(), std::ssize(mean)));
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const NamedModel& model : ListModels()) names.push_back(model.name);
  return names;
}

class AnyModel : public testing::TestWithParam<std::string> {};

TEST_P(AnyModel, LearnsARotation) {
  const Model model = Fit(RotationData(), OptionsOf(GetParam()));
  EXPECT_LT(ForecastError(model), 0.08) << model.warning;
  // The noise is 5 % of a spread of about 0.65, which is 0.032. A posterior of independent weights
  // is too wide and makes the estimated noise larger.
  EXPECT_GT(model.noise().Deviation(0), 0.016);
  EXPECT_LT(model.noise().Deviation(0), 0.08);
}

TEST_P(AnyModel, SameBitsForAnyNumberOfThreads) {
  FitOptions options = OptionsOf(GetParam());
  options.steps = 40;
  options.sampler.warm_up = options.sampler.draws = 10;
  options.threads = 1;
  const std::vector<std::byte> one = internal::ModelBytes(Train(RotationData(), options));
  FitControl three;
  three.threads = 3;
  EXPECT_EQ(one, internal::ModelBytes(Train(RotationData(), options, three)));
}

TEST_P(AnyModel, AModelFileHoldsIt) {
  FitOptions options = OptionsOf(GetParam());
  options.steps = 20;
  options.sampler.warm_up = options.sampler.draws = 8;
  const TrainedModel trained = Train(RotationData(), options);
  const std::vector<std::byte> bytes = internal::ModelBytes(trained);
  const TrainedModel read = internal::ParseModel(bytes, "m");
  EXPECT_EQ(internal::ModelBytes(read), bytes);
  EXPECT_EQ(NameOf(read.model.options).name, GetParam());
  const std::vector<double> times = {1, 5};
  const ForecastOptions draws{.draws = 5, .threads = 1};
  EXPECT_EQ(ForecastTrajectory(trained.model, 1, times, draws).Mean(),
            ForecastTrajectory(read.model, 1, times, draws).Mean());
}

INSTANTIATE_TEST_SUITE_P(Models, AnyModel, testing::ValuesIn(AllNames()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class TrainedStepByStep : public testing::TestWithParam<std::string> {};

TEST_P(TrainedStepByStep, ARestoredRunEndsWithTheSameBits) {
  FitOptions options = OptionsOf(GetParam());
  options.steps = 60;
  const testing_support::TrainerRun whole = testing_support::RunAll(RotationData(), options);
  for (std::size_t stop : {1, 37}) {
    EXPECT_EQ(testing_support::EndWhenRestoredAfter(stop, RotationData(), options), whole.end);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TrainedStepByStep,
                         testing::Values("npode", "neural", "neural-vi", "neural-vi-shooting",
                                         "npode-shooting"));

TEST(Models, ThoseThatArePointsHaveOneDrawAndNoDoubt) {
  for (const char* name : {"npode", "neural"}) {
    FitOptions options = OptionsOf(name);
    options.steps = 30;
    const Model model = Fit(RotationData(), options);
    EXPECT_FALSE(model.parameters.Has("x0_chol"));
    const Forecast forecast = ForecastTrajectory(model, 0, std::vector<double>{1, 3}, {.draws = 3});
    EXPECT_EQ(forecast.draws[0], forecast.draws[2]);
  }
}

TEST(Models, SlopesAreAStart) {
  FitOptions options = OptionsOf("neural");
  options.steps = 1;
  options.neural.slope_steps = 0;
  const double before = ForecastError(Fit(RotationData(), options));
  options.neural.slope_steps = 1000;
  EXPECT_LT(ForecastError(Fit(RotationData(), options)), 0.5 * before);
}

TEST(Models, WeightDecayShrinksWeights) {
  FitOptions options = OptionsOf("neural");
  options.steps = 500;
  const double without = WeightsOf(Fit(RotationData(), options)).norm();
  options.neural.weight_decay = 1e5;
  EXPECT_LT(WeightsOf(Fit(RotationData(), options)).norm(), 0.7 * without);
}

// The validation data stand still. The best weights on them are therefore those of an early step,
// with which the states hardly move yet.
TEST(Models, TheParametersThatAreBestOnValidationDataAreKept) {
  FitOptions options = OptionsOf("neural");
  options.neural.slope_steps = 0;
  options.validation_patience = 3;
  Dataset still = RotationData();
  for (Trajectory& t : still.trajectories) t.values.rowwise() = t.values.row(0).eval();
  const TrainedModel chosen = Train(RotationData(), options, {}, still);
  const TrainedModel last = Train(RotationData(), options);
  EXPECT_GT(ForecastError(chosen.model), 2 * ForecastError(last.model));
  // Training ends early because the validation score does not improve. The noise is then set to the
  // large residuals of the chosen weights.
  EXPECT_LT(chosen.history.back().step, last.history.back().step / 2);
  EXPECT_GT(chosen.model.noise().parameters[0], 4 * last.model.noise().parameters[0]);
}

TEST(Models, ARunWithValidationDataIsRestoredToTheSameBits) {
  FitOptions options = OptionsOf("neural-vi");
  options.steps = 120;
  options.validation_patience = 1;
  const Dataset data = RotationData(), held = RotationData(0.1);
  Trainer whole(data, options, held);
  std::vector<TrainerState> states;
  while (!whole.done()) {
    whole.Step();
    if (!whole.done()) states.push_back(whole.Save());
  }
  for (std::size_t at : {std::size_t{10}, std::size_t{60}, states.size() - 3}) {
    Trainer other(data, options, whole.start(), held);
    other.Restore(states[at]);
    while (!other.done()) other.Step();
    EXPECT_EQ(other.Save(), whole.Save()) << at;
  }
}

TEST(Models, ValidationDataHaveTheChannelsOfTheData) {
  Dataset other = RotationData();
  other.channels.pop_back();
  for (Trajectory& t : other.trajectories) t.values = t.values.leftCols(1).eval();
  EXPECT_EQ(MessageOf([&] { Train(RotationData(), OptionsOf("neural"), {}, other); }),
            "Fit: validation.channels has 1 values, must have 2");
}

FitOptions AffineSampler() {
  FitOptions options = OptionsOf("neural-hmc");
  options.neural.hidden = {};
  options.neural.prior_scale = 1.5;
  options.noise_variance = {0.001};  // With unknown noise, the posterior would have wider tails.
  options.sampler = {.chains = 4, .warm_up = 150, .draws = 400, .max_depth = 8};
  return options;
}

// A rotation is an affine field. The posterior of its weights is nearly normal, with the inverse
// curvature at the mode as its covariance.
TEST(Models, DrawsOfWeightsAgreeWithTheLaplaceApproximation) {
  const Dataset data = RotationData();
  const FitOptions options = AffineSampler();
  const Model model = Fit(data, options);
  EXPECT_EQ(model.sampler.divergent, 0u);
  EXPECT_LT(model.sampler.worst_rhat, 1.02);
  ASSERT_EQ(model.draws.rows(), 1600);
  EXPECT_LT(ForecastError(model), 0.02);

  Trainer trainer(data, options);
  while (!trainer.done()) trainer.Step();
  SampledTarget target(data, options, trainer.start());
  std::vector<double> flat(target.parts().layout().flat_size());
  CopyBlocks(trainer.parts().layout(), trainer.Save().flat, target.parts().layout(), flat);
  target.SetFlat(flat);
  const std::unique_ptr<SampledDensity> own = target.Density();
  const LogDensity density = [&](std::span<const double> x, std::span<double> g) {
    return own->Evaluate(x, g);
  };
  const Vector top = own->PositionOf(flat);
  const Eigen::MatrixXd curvature = Curvature(density, top);
  const Eigen::MatrixXd covariance = curvature.inverse();
  const Vector weights = WeightsOf(trainer.Snapshot()), units = UnitsOfWeights(model);
  const auto first =
      static_cast<Eigen::Index>(model.parameters.layout.Find("weight_mean").value_offset);
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const Vector draws = units[i] * model.draws.col(first + i);
    const double scale = weights[i] / top[i];
    const double expected = std::fabs(scale) * std::sqrt(covariance(i, i));
    const double deviation = std::sqrt((draws.array() - draws.mean()).square().mean());
    EXPECT_NEAR(draws.mean(), weights[i], 0.3 * expected) << i;
    EXPECT_NEAR(deviation / expected, 1, 0.12) << i;
  }
}

// A sampled posterior of a process has draws of all unknowns. They are the same for any number of
// threads, and forecasts use them.
TEST(Models, SampledProcessesHaveTheSameDrawsForAnyNumberOfThreads) {
  for (const char* posterior : {"nuts", "joint"}) {
    FitOptions options = OptionsOf("gpode");
    options.posterior = posterior;
    options.kernel = "squared-exponential + linear";
    options.inducing = 4;
    options.features = 8;
    options.steps = 300;
    options.sampler = {.chains = 2, .warm_up = 10, .draws = 32, .max_depth = 2};
    options.solver = {.method = Method::kRungeKutta4, .fixed_step = 0.25};
    options.threads = 1;
    const Model alone = Fit(RotationData(), options);
    // The posterior "nuts" has two chains of 32 draws. "joint" has 64 short chains of four draws
    // each, the fewest that a chain may have.
    ASSERT_EQ(alone.draws.rows(), std::string_view(posterior) == "nuts" ? 64 : 256);
    EXPECT_TRUE(alone.draws.allFinite()) << posterior;
    const auto first =
        static_cast<Eigen::Index>(alone.parameters.layout.Find("lengthscales").value_offset);
    EXPECT_GT((alone.draws.col(first).array() - alone.draws(0, first)).abs().maxCoeff(), 0.01);
    EXPECT_LT(ForecastError(alone), 0.1) << posterior;
    options.threads = 3;
    EXPECT_EQ(Fit(RotationData(), options).draws, alone.draws) << posterior;
  }
}

TEST(Models, TheDensityOfASamplerHasItsGradient) {
  for (const char* name : {"neural-hmc", "gpode-hmc"}) {
    FitOptions options = OptionsOf(name);
    options.inducing = 3;
    options.solver = {.method = Method::kRungeKutta4, .fixed_step = 0.05};
    const Dataset data = RotationData();
    Trainer trainer(data, options);
    SampledTarget target(data, options, trainer.start());
    std::vector<double> flat(target.parts().layout().flat_size());
    CopyBlocks(trainer.parts().layout(), trainer.Save().flat, target.parts().layout(), flat);
    target.SetFlat(flat);
    const std::unique_ptr<SampledDensity> own = target.Density();
    Vector at = own->PositionOf(flat);
    const LogDensity density = [&](std::span<const double> x, std::span<double> g) {
      return own->Evaluate(x, g);
    };
    std::vector<double> gradient(target.size()), ignored(target.size());
    density({at.data(), target.size()}, gradient);
    for (Eigen::Index i = 0; i < at.size(); i += 5) {
      constexpr double kStep = 1e-4;
      const double was = at[i];
      at[i] = was + kStep;
      const double up = density({at.data(), target.size()}, ignored);
      at[i] = was - kStep;
      const double down = density({at.data(), target.size()}, ignored);
      at[i] = was;
      const double slope = (up - down) / (2 * kStep);
      EXPECT_NEAR(gradient[i], slope, 1e-4 * (1 + std::fabs(slope))) << name << " " << i;
    }
  }
}

TEST(Models, APositionWhoseExponentialsAreNoNumbersIsImpossible) {
  FitOptions options = OptionsOf("gpode-hmc");
  const Dataset data = RotationData();
  Trainer trainer(data, options);
  SampledTarget target(data, options, trainer.start());
  std::vector<double> flat(target.parts().layout().flat_size(), 0.0);
  target.SetFlat(flat);
  std::vector<double> gradient(target.size());
  for (double far : {1e4, -1e4}) {
    const std::vector<double> position(target.size(), far);
    EXPECT_EQ(target.Density()->Evaluate(position, gradient), -HUGE_VAL);
  }
}

// Expects that a sampler that is stopped after the given share of its iterations, and then resumed,
// ends with the same bits as an uninterrupted one.
void ExpectSameBitsAfterAStop(const FitOptions& options, double share) {
  testing_support::TemporaryFolder folder;
  const auto whole = folder.path() / "whole.gpode", parts = folder.path() / "parts.gpode";
  Train(RotationData(), options, {.checkpoint = whole});
  FitControl control;
  control.checkpoint = parts;
  control.checkpoint_seconds = 1e-6;
  control.report = [&](const Progress& progress) {
    return static_cast<double>(progress.step) < share * static_cast<double>(progress.steps);
  };
  const TrainedModel stopped = Train(RotationData(), options, control);
  EXPECT_FALSE(stopped.finished);
  EXPECT_FALSE(stopped.model.IsSampled());
  EXPECT_NE(MessageOf([&] { Posterior posterior(LoadModel(parts)); }).find("has no draws yet"),
            std::string::npos);
  EXPECT_TRUE(Resume(parts).finished);
  EXPECT_EQ(internal::ReadFile(parts), internal::ReadFile(whole));
}

TEST(Models, ASamplerThatIsStoppedResumesToTheSameBits) {
  for (const char* posterior : {"nuts", "draws"}) {
    FitOptions options = SampledOptions("squared-exponential + linear");
    options.posterior = posterior;
    options.sampler = {.chains = 2, .warm_up = 30, .draws = 20, .max_depth = 4};
    options.threads = 2;
    ExpectSameBitsAfterAStop(options, 0.3);  // during the warm-up
    ExpectSameBitsAfterAStop(options, 0.8);
  }
}

TEST(Models, ShortChainsThatAreStoppedResumeToTheSameBits) {
  FitOptions options = SampledOptions("squared-exponential + linear");
  options.posterior = "joint";
  options.sampler = {.chains = 2, .warm_up = 10, .draws = 10, .max_depth = 3};
  options.threads = 2;
  ExpectSameBitsAfterAStop(options, 0.5);
}

TEST(Models, OptionsThatSuitTheData) {
  const Dataset data = RotationData();
  EXPECT_EQ(ChooseOptions(data).posterior, "joint");
  EXPECT_EQ(ChooseOptions(data).kernel, "squared-exponential + linear");
  const auto chosen = [&](const std::string& name, const std::string& value) {
    FitOptions options;
    SetOption(options, name, value, "test");
    return ChooseOptions(data, options, {name});
  };
  EXPECT_EQ(chosen("kernel", "matern52").kernel, "matern52");
  EXPECT_EQ(chosen("kernel", "matern52").posterior, "joint");
  EXPECT_EQ(chosen("steps", "10").posterior, "blocks");
  EXPECT_EQ(chosen("posterior", "blocks").kernel, "squared-exponential");
  EXPECT_EQ(chosen("posterior", "nuts").kernel, "squared-exponential + linear");
  EXPECT_EQ(chosen("function", "network").posterior, "blocks");
  EXPECT_EQ(chosen("states", "7").posterior, "blocks");
  Dataset many{.channels = data.channels, .trajectories = {}};
  for (int i = 0; i < 30; ++i) many.trajectories.push_back(data.trajectories[0]);
  EXPECT_EQ(ChooseOptions(many).posterior, "blocks");
  EXPECT_EQ(ChooseOptions(many).bound, BoundKind::kVanilla);
  Dataset longer = data;
  longer.trajectories[0].times.resize(300);
  EXPECT_EQ(ChooseOptions(longer).posterior, "blocks");
  EXPECT_EQ(ChooseOptions(longer).bound, BoundKind::kShooting);
}

TEST(Models, NamesGoBothWays) {
  for (const NamedModel& model : ListModels()) {
    FitOptions options;
    SetModel(options, model.name, "test");
    EXPECT_EQ(NameOf(options).name, model.name);
  }
  FitOptions options;
  EXPECT_TRUE(MessageOf([&] {
                SetModel(options, "neurl", "--model");
              }).starts_with("--model is 'neurl', must be one of gpode, shooting, npode"));
}

}  // namespace
}  // namespace gpode
