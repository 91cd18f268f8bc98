// Tests that model files lose nothing, and that bad ones are refused.
#include "store/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>

#include "gpode/forecast.h"
#include "gpode/gpode.h"
#include "io/files.h"
#include "support/message_of.h"
#include "support/sealed_file.h"
#include "support/small_run.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using internal::ModelBytes;
using internal::ParseModel;
using testing_support::MessageOf;
using testing_support::Sealed;
using testing_support::SmallData;
using testing_support::SmallOptions;
using testing_support::TemporaryFolder;
using Bytes = std::vector<std::byte>;

const TrainedModel& Small() {
  static const TrainedModel trained = Train(SmallData(), SmallOptions());
  return trained;
}

std::string_view Text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Archive SmallArchive() { return ReadNpz(ModelBytes(Small()), "m"); }

Array TextArray(std::string_view text) { return {{text.size()}, {text.begin(), text.end()}}; }

std::string TextOf(const Array& array) { return {array.values.begin(), array.values.end()}; }

// Returns a run that has been compared with held-back data.
const TrainedModel& Compared() {
  static const TrainedModel trained =
      TrainWithHoldout(SmallData(), SmallOptions(), {.share = 0.34, .refit = false});
  return trained;
}

TEST(ModelFile, KeepsHeldBackDataAndTheWidening) {
  TrainedModel trained = Compared();
  // These values replace what the comparison has found.
  trained.model.widening.horizons = {0.5, 1};
  trained.model.widening.variance = Matrix{{0, 0.25}, {1, 0.5}};
  trained.model.widening.gap_trajectory = {1};
  trained.model.widening.gap_channel = {0};
  trained.model.widening.gap_from = {0.375};
  trained.model.widening.gap_to = {1.125};
  const Bytes bytes = ModelBytes(trained);
  const TrainedModel again = ParseModel(bytes, "m");
  EXPECT_EQ(ModelBytes(again), bytes);
  const BandWidening &a = again.model.widening, &b = trained.model.widening;
  EXPECT_EQ(a.horizons, b.horizons);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(a.limits, b.limits);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.inside, b.inside);
  EXPECT_EQ(a.inside_widened, b.inside_widened);
  EXPECT_EQ(a.gap_to, b.gap_to);
  ASSERT_TRUE(again.holdout);
  EXPECT_EQ(again.holdout->options, trained.holdout->options);
  EXPECT_EQ(again.holdout->held.trajectories[1].times, trained.holdout->held.trajectories[1].times);
  ASSERT_EQ(again.holdout->report.rows.size(), trained.holdout->report.rows.size());
  EXPECT_EQ(again.holdout->report.rows[1].linear, trained.holdout->report.rows[1].linear);
  EXPECT_EQ(again.holdout->report.held_times, 6u);
}

TEST(ModelFile, OfVersionTwoHasNoHeldBackData) {
  const TrainedModel older = ParseModel(Sealed(SmallArchive(), "gpode model 2.0 crc32 "), "m");
  EXPECT_FALSE(older.holdout);
  EXPECT_FALSE(older.model.widening.IsJudged());
  for (const auto& [name, array] : SmallArchive()) {
    EXPECT_FALSE(name.starts_with("widening/") || name.starts_with("holdout/")) << name;
  }
}

TEST(ModelFile, ImpossibleHeldBackDataAreRefused) {
  const std::vector<std::pair<std::function<void(Archive&)>, std::string>> cases = {
      {[](Archive& a) { a["widening/horizons"].values[0] = -1; },
       "widening: horizons[0] is -1, must be positive and finite"},
      {[](Archive& a) { a["widening/variance"].values[0] = NAN; }, "widening: variance"},
      {[](Archive& a) { a["widening/inside"].values[0] = 2; },
       "widening: inside must be between 0 and 1"},
      {[](Archive& a) {
         a["widening/values"] = {{3}, {1, 2, 3}};
       },
       "widening: values has 3 values, must have 2"},
      {[](Archive& a) { a["holdout/rows"].values[0] = 7; },
       "holdout: rows have an impossible channel or number of values"},
      {[](Archive& a) { a["holdout/share"].values[0] = INFINITY; },
       "holdout: share is inf, must be finite"},
      {[](Archive& a) {
         a["held/lengths"].values = {1, 3};
       },
       "data: times has 6 values, must have 4"},
      {[](Archive& a) { a["held/times"].values[0] = 0; }, "must be later than the one before"},
  };
  for (const auto& [change, expected] : cases) {
    Archive archive = ReadNpz(ModelBytes(Compared()), "m");
    change(archive);
    const std::string message = MessageOf([&] { ParseModel(Sealed(archive), "m.gpode"); });
    EXPECT_TRUE(message.starts_with("m.gpode: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\n" << expected;
  }
}

TEST(ModelFile, KeepsTheNameOfTheTimes) {
  TrainedModel trained = Small();
  trained.data.time_name = "t [ms]";
  EXPECT_EQ(ParseModel(ModelBytes(trained), "m").data.time_name, "t [ms]");
  Archive older = SmallArchive();
  older.erase("data/time_name");
  EXPECT_EQ(ParseModel(Sealed(older), "m").data.time_name, "");
}

TEST(ModelFile, KeepsHowTheDataWereRead) {
  TrainedModel trained = Small();
  trained.data.calendar = {
      .unit = 3600, .origin = 1e9, .is_utc = true, .order = DateOrder::kDayFirst};
  trained.data.reading = "time = \"Date,Time\"\n";
  const Dataset read = ParseModel(ModelBytes(trained), "m").data;
  EXPECT_EQ(read.calendar, trained.data.calendar);
  EXPECT_EQ(read.reading, trained.data.reading);
  Archive older = SmallArchive();
  older.erase("data/calendar");
  older.erase("data/reading");
  EXPECT_EQ(ParseModel(Sealed(older), "m").data.calendar, Calendar());
  Archive bad = ReadNpz(ModelBytes(trained), "m");
  bad.at("data/calendar").values[0] = -1;
  EXPECT_NE(MessageOf([&] { ParseModel(Sealed(bad), "m"); }).find("calendar"), std::string::npos);
}

// A field with a polynomial part is the same after it was saved and loaded. The file has the full
// name of the kernel.
TEST(ModelFile, KeepsAPolynomialPart) {
  FitOptions options = SmallOptions();
  options.kernel = "se+polynomial2";
  options.prior.linear = 0.7;
  options.scale = false;
  const TrainedModel trained = Train(SmallData(), options);
  const TrainedModel again = ParseModel(ModelBytes(trained), "m");
  EXPECT_EQ(again.model.options.kernel, "squared-exponential + polynomial2");
  EXPECT_EQ(again.model.options.prior.linear, 0.7);
  EXPECT_EQ(again.model.parameters["polynomial_scales"].size(), 12u);
  const Matrix states{{1, 2}, {-3, 0.5}};
  const Posterior before(trained.model), after(again.model);
  EXPECT_EQ(after.FieldMean(states), before.FieldMean(states));
  EXPECT_EQ(after.FieldVariance(states), before.FieldVariance(states));
  EXPECT_EQ(Evaluate(after.DrawField(1, 2), states), Evaluate(before.DrawField(1, 2), states));
  EXPECT_LT((Evaluate(after.MeanField(), states) - after.FieldMean(states)).cwiseAbs().maxCoeff(),
            1e-9);
}

TEST(ModelFile, KeepsEverything) {
  const TemporaryFolder folder;
  SaveModel(folder / "m.gpode", Small());
  const TrainedModel again = LoadTrainedModel(folder / "m.gpode");
  EXPECT_EQ(ModelBytes(again), ModelBytes(Small()));
  EXPECT_EQ(folder.size(), 1);

  EXPECT_EQ(again.data.channels, SmallData().channels);
  ASSERT_EQ(again.data.trajectories.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Trajectory &a = again.data.trajectories[i], b = SmallData().trajectories[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.times, b.times);
    EXPECT_EQ(a.start_time, b.start_time);
    EXPECT_TRUE((a.values.array() == b.values.array() || b.values.array().isNaN()).all());
  }
  EXPECT_TRUE(std::isnan(again.data.trajectories[1].values(2, 0)));
  EXPECT_EQ(again.model.options.inducing, 4u);
  EXPECT_EQ(again.model.parameters.values, Small().model.parameters.values);
  for (const char* block : {"inducing_mean", "x0_chol"}) {
    const Matrix kept = again.model.parameters.AsMatrix(block);
    EXPECT_GT(kept.size(), 0) << block;
    EXPECT_EQ(kept, Small().model.parameters.AsMatrix(block)) << block;
  }
  EXPECT_TRUE(again.finished);
  ASSERT_EQ(again.history.size(), 12u);
  EXPECT_EQ(again.history[11].step, 11u);
  EXPECT_EQ(again.history[11].phase, BoundKind::kVanilla);
  EXPECT_EQ(again.history[0].phase, BoundKind::kShooting);
  EXPECT_EQ(again.history[11].bound, Small().history[11].bound);
}

TEST(ModelFile, ForecastsAreTheSameFromTheFile) {
  const TemporaryFolder folder;
  SaveModel(folder / "m.gpode", Small().model);
  const Model again = LoadModel(folder / "m.gpode");
  const std::vector<double> times = {1, 4};
  const ForecastOptions options{.draws = 4, .threads = 1};
  EXPECT_EQ(ForecastTrajectory(again, 1, times, options).draws,
            ForecastTrajectory(Small().model, 1, times, options).draws);
  EXPECT_EQ(
      MessageOf([&] { Resume(folder / "m.gpode"); }),
      (folder / "m.gpode").string() + ": holds a model without its training, cannot be resumed");
}

TEST(ModelFile, ABrokenModelIsNotWritten) {
  const TemporaryFolder folder;
  TrainedModel broken = Small();
  broken.model.parameters["noise_variance"][1] = NAN;
  EXPECT_EQ(MessageOf([&] { SaveModel(folder / "m.gpode", broken); }),
            "model: noise_variance[1] is nan, must be finite");
  EXPECT_THROW(SaveModel(folder / "m.gpode", Model()), InputError);
  EXPECT_EQ(folder.size(), 0);
}

// ---- Damaged files.

TEST(ModelFile, EachKindOfBadFileHasItsOwnMessage) {
  const Bytes good = ModelBytes(Small());
  const auto message = [](const Bytes& bytes) {
    return MessageOf([&] { ParseModel(bytes, "m.gpode"); });
  };
  EXPECT_EQ(message({}), "m.gpode: is not a model file that gpode has written");
  EXPECT_EQ(message(NpzBytes({{"x", {{1}, {2}}}})),
            "m.gpode: is not a model file that gpode has written");
  EXPECT_EQ(message(Bytes(good.begin(), good.end() - 1)),
            "m.gpode: is truncated or damaged: a model file must end in its checksum");
  Bytes damaged = good;
  damaged[good.size() / 2] ^= std::byte{4};
  EXPECT_TRUE(message(damaged).starts_with("m.gpode: is damaged: checksum ")) << message(damaged);
  EXPECT_EQ(message(Sealed(SmallArchive(), "gpode model 3.0 crc32 ")),
            std::string("m.gpode: has format version 3.0, gpode ") + Version() +
                " reads versions 1 to 2; a newer gpode may read it");
  const TemporaryFolder folder;
  EXPECT_EQ(MessageOf([&] { LoadModel(folder / "none"); }),
            (folder / "none").string() + ": no such file, must exist");
}

TEST(ModelFile, TruncatedAnywhereIsAnInputError) {
  const Bytes good = ModelBytes(Small());
  for (std::size_t size = 0; size < good.size(); ++size) {
    // The copy lets the address sanitiser detect a read past the end.
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string message = MessageOf([&] { ParseModel(cut, "m.gpode"); });
    const char* expected = size < 39 ? "m.gpode: is not a model file" : "m.gpode: is truncated";
    ASSERT_TRUE(message.starts_with(expected)) << size << " bytes: " << message;
  }
}

TEST(ModelFile, AnyFlippedBitIsAnInputError) {
  Bytes damaged = ModelBytes(Small());
  const std::size_t bits = 8 * damaged.size();
  std::vector<std::size_t> chosen;  // all bits near the start and the end, and some in between
  const std::size_t whole = std::getenv("GPODE_LONG_TESTS") ? bits : 8 * 300;
  for (std::size_t bit = 0; bit < whole; ++bit) chosen.push_back(bit);
  for (std::size_t bit = std::max(whole, bits - whole); bit < bits; ++bit) chosen.push_back(bit);
  std::mt19937_64 engine(1);
  for (int i = 0; i < 5000; ++i) chosen.push_back(engine() % bits);
  for (std::size_t bit : chosen) {
    const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
    damaged[bit / 8] ^= mask;
    ASSERT_NE(MessageOf([&] { ParseModel(damaged, "m.gpode"); }), "nothing thrown") << bit;
    damaged[bit / 8] ^= mask;
  }
}

// ---- Contents that no run could have written, under a right checksum.

std::string MessageWith(const std::function<void(Archive&)>& change) {
  Archive archive = SmallArchive();
  change(archive);
  const Bytes bytes = Sealed(archive);
  return MessageOf([&] { ParseModel(bytes, "m.gpode"); });
}

TEST(ModelFile, ImpossibleContentsAreRefused) {
  const std::vector<std::pair<std::function<void(Archive&)>, std::string>> cases = {
      {[](Archive& a) { a["model/parameters/noise_variance"].values[0] = -1; },
       "model: noise_variance[0] is -1, must be positive and finite"},
      {[](Archive& a) { a["model/parameters/lengthscales"].values[0] = NAN; },
       "model: lengthscales[0] is nan, must be finite"},
      {[](Archive& a) {
         a["model/parameters/inducing_mean"] = {{4, 2}, std::vector<double>(8, 0.0)};
       },
       "entry 'model/parameters/inducing_mean': has shape (4, 2), must have (2, 4)"},
      {[](Archive& a) { a.erase("model/parameters/inducing_mean"); },
       "entry 'model/parameters/inducing_mean': is missing, must be there"},
      {[](Archive& a) {
         a["model/parameters/inducing_chol"] = {{1UL << 40, 0, 0}, {}};
       },
       "entry 'model/parameters/inducing_chol': has shape (1099511627776, 0, 0), must have (2, 4, "
       "4)"},
      {[](Archive& a) { a["model/parameters/x0_chol"].values[1] = 0.5; },
       "model: x0_chol has values above the diagonal"},
      {[](Archive& a) {
         a["model/time_scale"] = {{}, {0}};
       },
       "model: time_scale is 0, must be positive and finite"},
      {[](Archive& a) {
         a["model/time_scale"] = {{1}, {1}};
       },
       "entry 'model/time_scale': has 1 dimensions, must have 0"},
      {[](Archive& a) { a["model/channels"] = TextArray("x\n"); },
       "model: map/matrix is (2, 2), must be (1, 2)"},
      {[](Archive& a) { a["model/channels"].values[0] = 300; },
       "entry 'model/channels': has the value 300, must be a whole number from 0 to 255"},
      {[](Archive& a) { a.erase("model/map/matrix"); },
       "model: the number of states is 0, must be at least 1"},
      {[](Archive& a) { a["options"] = TextArray("features = 1000000000000"); },
       "options:1: features is 1000000000000, must be at most 1000000"},
      {[](Archive& a) { a["options"] = TextArray("inducing = 5"); },
       "entry 'model/parameters/inducing_locations': has shape (4, 2), must have (5, 2)"},
      {[](Archive& a) { a["options"] = TextArray("inducing = 4\nkernel = \"linear\""); },
       "options:2: kernel is \"linear\", must be one of"},
      {[](Archive& a) {
         a["data/lengths"].values = {1e15, 9};
       },
       "data: lengths exceed the times"},
      {[](Archive& a) {
         a["data/lengths"].values = {9, 8};
       },
       "data: times has 18 values, must have 17"},
      {[](Archive& a) { a["data/times"].values[3] = 0; }, "times[3] is 0, must be later than"},
      {[](Archive& a) { a["history/phase"].values[0] = 9; },
       "history: phase has an impossible value"},
      {[](Archive& a) {
         a["history/step"] = {{1}, {0}};
       },
       "history: steps has 12 values"},
      {[](Archive& a) { a["training/phase"].values[0] = 0.5; },
       "entry 'training/phase': has the value 0.5, must be a whole number"},
      {[](Archive& a) { a["training/flat"].values[0] = INFINITY; },
       "training: flat[0] is inf, must be finite"},
      {[](Archive& a) {
         a["start/states_rows"].values = {10, 9};
       },
       "entry 'start/states_rows': has a sum that is too large, must be the number of rows"},
      {[](Archive& a) {
         a["start/states_rows"].values = {10, 8};
       },
       "start: states is (10, 2), must be (9, 2)"},
  };
  for (const auto& [change, expected] : cases) {
    const std::string message = MessageWith(change);
    EXPECT_TRUE(message.starts_with("m.gpode: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\n" << expected;
  }
}

TEST(ModelFile, AnyArrayMayBeAnything) {
  const std::vector<Array> odd = {{{}, {NAN}},
                                  {{}, {1e300}},
                                  {{0}, {}},
                                  {{3}, {-1, 0.5, INFINITY}},
                                  {{0, 1UL << 40}, {}},
                                  {{1UL << 40, 0}, {}},
                                  {{2, 2}, {1, 2, 3, NAN}},
                                  {{1, 1, 1}, {1}},
                                  {{1UL << 50, 0, 3}, {}},
                                  {{1, 1, 1, 1}, {1}}};
  const Archive whole = ReadNpz(ModelBytes(Compared()), "m");
  for (const auto& [name, original] : whole) {
    for (const Array& array : odd) {
      Archive archive = whole;
      archive[name] = array;
      try {
        ParseModel(Sealed(archive), "m.gpode");  // Some arrays may have such values.
      } catch (const InputError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("m.gpode: ")) << error.what();
      }
    }
  }
}

// Files before format 2 have a reader of their own. It once allocated memory for a huge number of
// empty rows of draws before it checked their shape.
TEST(ModelFile, AnyArrayOfAnOlderFileMayBeAnything) {
  const std::filesystem::path folder =
      std::filesystem::path(GPODE_GOLDEN_DEFAULT) / ".." / "store" / "format_1_1";
  const std::vector<Array> odd = {{{}, {NAN}},
                                  {{0}, {}},
                                  {{3}, {-1, 0.5, INFINITY}},
                                  {{0, 1UL << 40}, {}},
                                  {{1UL << 40, 0}, {}},
                                  {{2, 2}, {1, 2, 3, NAN}},
                                  {{1, 1, 1}, {1}},
                                  {{1UL << 50, 0, 3}, {}}};
  for (const char* file :
       {"shooting.gpode", "neural-vi.gpode", "neural-hmc.gpode", "gpode-hmc.gpode"}) {
    const Archive original = ReadNpz(internal::ReadFile(folder / file), file);
    for (const auto& [name, array] : original) {
      for (const Array& other : odd) {
        Archive archive = original;
        archive[name] = other;
        try {
          ParseModel(Sealed(archive, "gpode model 1.1 crc32 "), "m.gpode");
        } catch (const InputError& error) {
          EXPECT_TRUE(std::string_view(error.what()).starts_with("m.gpode: ")) << error.what();
        }
      }
    }
  }
}

// A training state that does not fit the data and options is refused when the run is resumed.
TEST(ModelFile, ATrainingStateOfAnotherRunIsRefused) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name, const Array& array) {
    Archive archive = SmallArchive();
    archive["training/finished"] = {{}, {0}};
    archive[name] = array;
    internal::WriteFile(folder / "m", Sealed(archive));
    return MessageOf([&] { Resume(folder / "m"); });
  };
  const std::string start = (folder / "m").string() + ": training: ";
  EXPECT_EQ(message("training/phase", {{}, {7}}), start + "phase is not one of the plan's");
  EXPECT_EQ(message("training/step", {{}, {1e9}}), start + "step is not one of the phase's");
  EXPECT_TRUE(message("training/flat", {{1}, {0}}).starts_with(start + "flat has 1 values"));
}

// ---- Other versions.

TEST(ModelFile, AnOlderFileLacksKeysAndTakesDefaults) {
  Archive archive = SmallArchive();
  std::string options = TextOf(archive.at("options"));
  const std::size_t at = options.find("jitter = ");
  options.erase(at, options.find('\n', at) + 1 - at);
  archive["options"] = TextArray(options);
  archive.erase("history/kl_u");
  archive.erase("about");
  const TrainedModel trained = ParseModel(Sealed(archive), "m.gpode");
  EXPECT_EQ(trained.model.options.jitter, FitOptions().jitter);
  EXPECT_EQ(trained.model.options.inducing, 4u);
  EXPECT_EQ(trained.history[3].kl_u, 0);
  EXPECT_EQ(trained.history[3].bound, Small().history[3].bound);
}

TEST(ModelFile, ANewerMinorVersionMayHaveMore) {
  Archive archive = SmallArchive();
  archive["options"] = TextArray(TextOf(archive.at("options")) + "future = [[1, 2]]\n");
  archive["model/future"] = {{2}, {1, 2}};
  archive["future/thing"] = {{}, {3}};
  const TrainedModel trained = ParseModel(Sealed(archive, "gpode model 2.37 crc32 "), "m.gpode");
  EXPECT_EQ(ModelBytes(trained), ModelBytes(Small()));
}

// Returns the names of all arrays in files of the model with this name, as a run writes them.
std::vector<std::string> ArrayNames(const std::string& model) {
  FitOptions options = SmallOptions();
  SetModel(options, model, "test");
  options.polish = 0;
  options.sampler = {.chains = 1, .warm_up = 2, .draws = 2, .max_depth = 2};
  std::vector<std::string> names;
  for (const auto& [name, array] : ReadNpz(ModelBytes(Train(SmallData(), options)), "m")) {
    names.push_back(name);
  }
  return names;
}

TEST(ModelFile, EveryNameIsDocumented) {
  std::ifstream file(std::string(GPODE_GOLDEN_DEFAULT) + "/../../docs/formats.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty());
  std::set<std::string> names;
  for (const NamedModel& model : ListModels()) {
    for (const std::string& name : ArrayNames(model.name)) names.insert(name);
  }
  for (const auto& [name, array] : ReadNpz(ModelBytes(Compared()), "m")) {
    if (!name.starts_with("held/")) names.insert(name);
  }
  EXPECT_TRUE(names.contains("model/parameters/weight_deviation"));
  EXPECT_TRUE(names.contains("widening/gap_to"));
  EXPECT_TRUE(names.contains("model/parameters/state_chol"));
  for (const std::string& name : names) {
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(ModelFile, IsAnArchiveWithASeal) {
  const Bytes bytes = ModelBytes(Small());
  EXPECT_EQ(Text(bytes).substr(bytes.size() - 30, 22), "gpode model 2.2 crc32 ");
  const Archive archive = ReadNpz(bytes, "m");
  EXPECT_EQ(TextOf(archive.at("about")),
            std::string("gpode model 2.2\nwritten by gpode ") + Version() + "\n");
  EXPECT_EQ(archive.at("model/parameters/inducing_locations").shape,
            (std::vector<std::size_t>{4, 2}));
  EXPECT_EQ(TextOf(archive.at("model/channels")), "x\ny\\n\\\\n\n");
}

}  // namespace
}  // namespace gpode
