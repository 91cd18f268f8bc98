// Compares training on a device with training on the CPU.
#include <gtest/gtest.h>

#include <cmath>

#include "device/devices.h"
#include "gpode/error.h"
#include "gpode/gpode.h"
#include "gpode/simulate.h"
#include "support/message_of.h"
#include "support/noise.h"
#include "train/trainer.h"

namespace gpode {
namespace {

using testing_support::OnDevice;
using testing_support::WithNoise;

Dataset VanDerPol(std::size_t points) {
  const std::vector<double> times = RegularTimes(0, 0.14 * static_cast<double>(points), points);
  const std::vector<double> start = {-1.5, 2.5};
  return {.channels = {"x1", "x2"},
          .trajectories = {{"", times, WithNoise(SolveSystem("vdp", start, times), 0.1, 7), {}}}};
}

FitOptions Options(std::size_t steps = 1000) {
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.inducing = 8;
  options.features = 32;
  options.seed = 5;
  options.draws = 2;
  options.threads = 1;
  options.steps = steps;
  options.warm_up = 10;
  options.polish = 0;
  return options;
}

class TrainingOnDevice : public OnDevice {
 protected:
  // The largest relative difference of the bound from that of the CPU in the first steps.
  static double Compare(const FitOptions& options, std::size_t steps) {
    const Dataset data = VanDerPol(20);
    Trainer cpu(data, options), other(data, options);
    other.UseDevice(GetParam());
    double largest = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const Progress a = cpu.Step(), b = other.Step();
      EXPECT_EQ(a.step, b.step);
      EXPECT_NEAR(a.tolerance, b.tolerance, 1e-6 * a.tolerance);
      EXPECT_NEAR(a.noise, b.noise, 1e-5 * a.noise);
      EXPECT_NEAR(a.lengthscale, b.lengthscale, 1e-5 * a.lengthscale);
      largest = std::max(largest, std::fabs(a.bound - b.bound) / std::fabs(a.bound));
    }
    return largest;
  }
};

TEST_P(TrainingOnDevice, FollowsTheCpu) { EXPECT_LT(Compare(Options(), 100), 1e-5); }

TEST_P(TrainingOnDevice, FollowsTheCpuInSinglePrecision) {
  FitOptions options = Options();
  options.precision = FeaturePrecision::kFloat;
  EXPECT_LT(Compare(options, 100), 1e-4);
}

TEST_P(TrainingOnDevice, FollowsTheCpuWithLearntToleranceAndNoise) {
  FitOptions options = Options();
  options.tolerance = ToleranceRule::kLearnt;
  options.noise_hold = 0.02;
  EXPECT_LT(Compare(options, 100), 1e-5);
}

// Compares a whole run, with its phases, its plateau and the decrease of the learning rate.
TEST_P(TrainingOnDevice, TakesTheStepsOfTheCpu) {
  FitOptions options = Options(60);
  options.polish = 0.3;
  const Dataset data = VanDerPol(20);
  Trainer cpu(data, options), other(data, options);
  other.UseDevice(GetParam());
  while (!cpu.done()) {
    ASSERT_FALSE(other.done());
    const Progress a = cpu.Step(), b = other.Step();
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.phase, b.phase);
    EXPECT_NEAR(a.bound, b.bound, 1e-4 * std::fabs(a.bound));
  }
  EXPECT_TRUE(other.done());
}

TEST_P(TrainingOnDevice, HasTheSameBitsInEveryRun) {
  const Dataset data = VanDerPol(20);
  std::vector<double> flat;
  for (int run = 0; run < 2; ++run) {
    Trainer trainer(data, Options(30));
    trainer.UseDevice(GetParam());
    while (!trainer.done()) trainer.Step();
    if (run == 0) flat = trainer.Save().flat;
    EXPECT_EQ(trainer.Save().flat, flat);
  }
}

TEST_P(TrainingOnDevice, ResumesWithTheSameBits) {
  const Dataset data = VanDerPol(20);
  Trainer whole(data, Options(40));
  whole.UseDevice(GetParam());
  while (!whole.done()) whole.Step();
  Trainer first(data, Options(40));
  first.UseDevice(GetParam());
  for (int i = 0; i < 7 || !first.IsBetweenBlocks(); ++i) first.Step();
  Trainer second(data, Options(40), first.start());
  second.Restore(first.Save());
  second.UseDevice(GetParam());
  while (!second.done()) second.Step();
  EXPECT_TRUE(second.Save() == whole.Save());
}

GPODE_ON_DEVICES(TrainingOnDevice);

TEST(Device, SaysWhatItDoesNotSupport) {
  const Dataset data = VanDerPol(20);
  const auto message = [&](auto&& change) {
    FitOptions options = Options();
    change(options);
    Trainer trainer(data, options);
    return testing_support::MessageOf([&] { trainer.UseDevice(Device::kEmulated); });
  };
  EXPECT_NE(message([](FitOptions& o) { o.kernel = "matern52"; }).find("kernel is 'matern52'"),
            std::string::npos);
  EXPECT_NE(message([](FitOptions& o) { o.posterior = "point"; }).find("posterior is 'point'"),
            std::string::npos);
  EXPECT_NE(message([](FitOptions& o) { o.batch = 5; }).find("--batch 0"), std::string::npos);
  EXPECT_NE(message([](FitOptions& o) { o.likelihood = "student-t"; }).find("likelihood"),
            std::string::npos);
}

TEST(Device, AutoSaysWhyItTakesTheCpu) {
  Trainer trainer(VanDerPol(20), Options());
  const std::string line = trainer.UseDevice(Device::kAuto);
  if (!device::WhyNoGpu().empty()) {
    EXPECT_NE(line.find("the CPU, because"), std::string::npos) << line;
  }
  trainer.Step();
}

TEST(Device, IsAnErrorWithoutAGpu) {
  if (device::WhyNoGpu().empty()) GTEST_SKIP() << "there is a GPU";
  Trainer trainer(VanDerPol(20), Options());
  EXPECT_THROW(trainer.UseDevice(Device::kCuda), InputError);
}

}  // namespace
}  // namespace gpode
