// Tests of model files that somebody has crafted: whatever is in them, loading, forecasting and
// resuming either work or are refused in one line. Under sanitisers, these tests find reads out of
// bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gpode/gpode.h"
#include "run/resume.h"
#include "store/model_file.h"
#include "support/message_of.h"
#include "support/sealed_file.h"
#include "support/small_run.h"

namespace gpode {
namespace {

using internal::ModelBytes;
using internal::ParseModel;
using testing_support::MessageOf;
using testing_support::Sealed;
using testing_support::SmallData;
using testing_support::SmallOptions;

FitOptions Options(BoundKind bound, const std::string& posterior) {
  FitOptions options = SmallOptions();
  options.bound = bound;
  options.posterior = posterior;
  options.solver.max_steps = 100;
  options.sampler = {.chains = 1, .warm_up = 2, .draws = 2, .max_depth = 2};
  return options;
}

// Returns the file of a run that was stopped after `steps` of its 12 steps.
Archive Stopped(BoundKind bound, std::size_t steps) {
  FitControl control;
  control.report_every = 1;
  std::size_t taken = 0;
  control.report = [&](const Progress&) { return ++taken < steps; };
  return ReadNpz(
      ModelBytes(Train(SmallData(), Options(bound, FitOptions().posterior), control, SmallData())),
      "m");
}

const Archive& StoppedShooting() {
  static const Archive archive = Stopped(BoundKind::kShooting, 3);
  return archive;
}

const Archive& StoppedAtTheEnd() {
  static const Archive archive = Stopped(BoundKind::kVanilla, 10);
  return archive;
}

// Loads the model, forecasts, and takes two steps of training if the file has a state of training.
// A sampler that was stopped is resumed to its end instead.
void Use(const Archive& archive) {
  const std::vector<std::byte> bytes = Sealed(archive);
  TrainedModel trained = ParseModel(bytes, "m.gpode");
  if (trained.sampling) {
    internal::ResumeSaved(std::move(trained), "m.gpode", {});
    return;
  }
  if (trained.model.start_times.empty()) return;
  const double start = trained.model.start_times[0];
  const std::vector<double> times = {start, start + 1};
  const Forecast forecast =
      Posterior(trained.model).Trajectory(0, times, {.draws = 2, .threads = 1, .states = true});
  forecast.Quantile(0.5);
  if (!trained.state) return;
  FitControl control;
  control.report_every = 1;
  std::size_t taken = 0;
  control.report = [&](const Progress&) { return ++taken < 2; };
  internal::ResumeSaved(std::move(trained), "m.gpode", control);
}

std::string MessageAfter(const Archive& whole, const std::function<void(Archive&)>& change) {
  Archive archive = whole;
  change(archive);
  return MessageOf([&] { Use(archive); });
}

// Returns arrays like this one with another number of rows, and with odd values.
std::vector<Array> Variants(const Array& array) {
  std::vector<Array> all;
  if (!array.shape.empty() && array.shape[0] > 0) {
    const std::size_t row = array.size() / array.shape[0];
    Array shorter = array, longer = array;
    shorter.shape[0] -= 1;
    shorter.values.resize(array.size() - row);
    longer.shape[0] += 1;
    longer.values.insert(longer.values.end(), array.values.end() - static_cast<std::ptrdiff_t>(row),
                         array.values.end());
    all.push_back(shorter);
    all.push_back(longer);
    Array empty = array;
    empty.shape.assign(array.shape.size(), 0);
    empty.values.clear();
    all.push_back(empty);
  }
  for (double value : {0.0, 1.0, -1.0, 1e9, 9007199254740992.0, 1e300, -1e300, 1e-300,
                       std::numeric_limits<double>::quiet_NaN()}) {
    if (array.values.empty()) break;
    Array first = array, every = array;
    first.values[0] = value;
    every.values.assign(every.values.size(), value);
    all.push_back(first);
    all.push_back(every);
  }
  return all;
}

void ExpectUsedOrRefused(const Archive& whole) {
  ASSERT_EQ(MessageOf([&] { Use(whole); }), "nothing thrown");
  for (const auto& [name, array] : whole) {
    std::vector<Archive> changed;
    for (const Array& other : Variants(array)) {
      changed.push_back(whole);
      changed.back()[name] = other;
    }
    changed.push_back(whole);
    changed.back().erase(name);
    for (const Archive& archive : changed) {
      try {
        Use(archive);
      } catch (const InputError& error) {
        const std::string_view message = error.what();
        EXPECT_EQ(message.find('\n'), std::string_view::npos) << name;
      }
    }
  }
}

TEST(CraftedFile, AnyArrayOfAStoppedRunMayBeAnything) { ExpectUsedOrRefused(StoppedShooting()); }

TEST(CraftedFile, AnyArrayOfARunNearItsEndMayBeAnything) { ExpectUsedOrRefused(StoppedAtTheEnd()); }

TEST(CraftedFile, AnyArrayOfASampledModelMayBeAnything) {
  for (const char* posterior : {"draws", "nuts", "joint"}) {
    SCOPED_TRACE(posterior);
    const TrainedModel trained = Train(SmallData(), Options(BoundKind::kVanilla, posterior));
    ExpectUsedOrRefused(ReadNpz(ModelBytes(trained), "m"));
  }
}

// Returns a checkpoint of a sampler.
Archive StoppedSampler() {
  std::vector<std::vector<std::byte>> written;
  FitControl control;
  control.checkpoint = "not written";
  control.checkpoint_seconds = 1e-9;
  control.write = [&](std::span<const std::byte> bytes) {
    written.emplace_back(bytes.begin(), bytes.end());
  };
  Train(SmallData(), Options(BoundKind::kVanilla, "nuts"), control);
  EXPECT_GT(written.size(), 2u);
  return ReadNpz(written[written.size() - 2], "m");
}

TEST(CraftedFile, AnyArrayOfAStoppedSamplerMayBeAnything) {
  const Archive whole = StoppedSampler();
  ASSERT_TRUE(whole.contains("sampling/0/position"));
  ASSERT_EQ(MessageOf([&] { Use(whole); }), "nothing thrown");
  for (const auto& [name, array] : whole) {
    if (!name.starts_with("sampling/")) continue;
    for (const Array& other : Variants(array)) {
      MessageAfter(whole, [&](Archive& a) { a[name] = other; });
    }
    MessageAfter(whole, [&](Archive& a) { a.erase(name); });
  }
  const auto message = [&](const std::string& name, const Array& array) {
    return MessageAfter(whole, [&](Archive& a) { a[name] = array; });
  };
  EXPECT_EQ(message("sampling/chains", {{}, {2}}),
            "m.gpode: sampling: chains has 2 values, must have 1");
  EXPECT_NE(message("sampling/0/further", {{1}, {0}}).find("further"), std::string::npos);
}

// When a run was resumed, an empty array start/spread was once read out of bounds, and one that was
// too short was accepted.
TEST(CraftedFile, EveryArrayOfTheStartHasTheRightSize) {
  const Archive& whole = StoppedShooting();
  for (const char* name :
       {"start/spread", "start/noise_variance", "start/channel_weights", "start/x0", "start/states",
        "start/function/latent", "start/function/hyperparameters", "start/map/offset",
        "start/state_scale", "start/state_offset"}) {
    const Array& array = whole.at(name);
    for (std::size_t rows : {std::size_t{0}, array.shape[0] - 1, array.shape[0] + 1}) {
      const std::string message = MessageAfter(whole, [&](Archive& a) {
        const std::size_t row = array.size() / array.shape[0];
        a[name].shape[0] = rows;
        a[name].values.resize(rows * row, 1.0);
      });
      EXPECT_NE(message, "nothing thrown") << name << " with " << rows << " rows";
      EXPECT_TRUE(message.starts_with("m.gpode: ")) << message;
    }
  }
}

// The sizes of these arrays were once checked only when a run was resumed, and some not at all.
TEST(CraftedFile, EveryArrayOfTheTrainingHasTheRightSizeWhenItIsLoaded) {
  const Archive& whole = StoppedAtTheEnd();
  for (const char* name : {"training/flat", "training/first_moment", "training/second_moment",
                           "training/state_updates"}) {
    Archive archive = whole;
    archive[name].values.pop_back();
    archive[name].shape[0] -= 1;
    const std::string message = MessageOf([&] { ParseModel(Sealed(archive), "m.gpode"); });
    EXPECT_NE(message.find("must have"), std::string::npos) << name << ": " << message;
  }
}

// A run resumed from a file with settling_from = 1e9 once never ended.
TEST(CraftedFile, CountsThatNoRunReachesAreRefused) {
  const auto message = [](const std::string& name, double value) {
    return MessageAfter(StoppedAtTheEnd(), [&](Archive& a) { a[name] = {{}, {value}}; });
  };
  EXPECT_EQ(message("training/settling_from", 1e9),
            "m.gpode: training: settling_from is 1000000000, must be at most 6");
  EXPECT_EQ(message("training/step", 1e9), "m.gpode: training: step is not one of the phase's");
  EXPECT_EQ(message("training/phase", 7), "m.gpode: training: phase is not one of the plan's");
  for (const char* name : {"cooling_from", "skipped", "skipped_in_a_row", "adam_steps",
                           "stale_checks", "plateau/count", "plateau/windows", "plateau/stale"}) {
    EXPECT_NE(message(std::string("training/") + name, 1e9).find(", must be at most "),
              std::string::npos)
        << name << ": " << message(std::string("training/") + name, 1e9);
  }
}

// Adam takes the square root of second_moment.
TEST(CraftedFile, NumbersThatNoRunComputesAreRefused) {
  const auto message = [](const std::string& name, double value) {
    return MessageAfter(StoppedAtTheEnd(), [&](Archive& a) { a[name].values[0] = value; });
  };
  EXPECT_EQ(message("training/second_moment", -1),
            "m.gpode: training: second_moment[0] is -1, must be zero or more and finite");
  EXPECT_EQ(message("training/state_updates", -1),
            "m.gpode: training: state_updates[0] is -1, must be zero or more and finite");
  EXPECT_EQ(message("training/log_tolerance", 1e300),
            "m.gpode: training: log_tolerance has an impossible value");
}

TEST(CraftedFile, ASampledModelHasNoStateOfTraining) {
  EXPECT_NE(MessageAfter(StoppedAtTheEnd(),
                         [](Archive& a) {
                           Array& options = a["options"];
                           std::string text(options.values.begin(), options.values.end());
                           text += "\n";
                           const std::size_t at = text.find("posterior = ");
                           ASSERT_NE(at, std::string::npos);
                           text.replace(at, text.find('\n', at) - at, "posterior = \"draws\"");
                           options = {{text.size()}, {text.begin(), text.end()}};
                         }),
            "nothing thrown");
}

}  // namespace
}  // namespace gpode
