// Tests of model files of format 1.1, which had members for each kind of model in place of named
// parameters.
//
// The folder format_1_1 has one file per named model and a training run that was stopped, all
// written by a program before format 2. The CSV file beside a model is the output of that program
// for `gpode forecast NAME.gpode --until 9 --points 4 --draws 8 --noise`; unfinished.csv is its
// output after it had resumed the run to its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gpode/data_files.h"
#include "gpode/options.h"
#include "gpode/posterior.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "store/model_file.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using internal::ModelBytes;
using internal::ParseModel;
using testing_support::TemporaryFolder;

constexpr double kForecastError = 1e-9;  // the largest relative error
// Rounding errors, which differ between instruction sets, grow in the course of training.
constexpr double kResumedError = 1e-4;

const std::filesystem::path kFolder =
    std::filesystem::path(GPODE_GOLDEN_DEFAULT) / ".." / "store" / "format_1_1";

// Returns the names of the files with a model, without those of unfinished runs.
std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".gpode" && name != "unfinished") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Forecast ForecastLikeTheProgram(const Model& model) {
  const std::vector<double> times = RegularTimes(model.end_times.at(0), 9, 4);
  return Posterior(model).Trajectory(
      0, times, {.draws = 8, .seed = 1, .threads = 1, .from = Origin::kLatestState});
}

// Returns the columns of the program's output: mean, then quantiles of observations, by channel.
Matrix ColumnsOf(const Forecast& forecast) {
  const std::vector<Matrix> parts = {forecast.Mean(), forecast.PredictiveQuantile(0.05),
                                     forecast.PredictiveQuantile(0.5),
                                     forecast.PredictiveQuantile(0.95)};
  Matrix columns(parts[0].rows(), 4 * parts[0].cols());
  for (Eigen::Index c = 0; c < parts[0].cols(); ++c) {
    for (Eigen::Index k = 0; k < 4; ++k) {
      columns.col(4 * c + k) = parts[static_cast<std::size_t>(k)].col(c);
    }
  }
  return columns;
}

// Expects that a forecast agrees with a CSV file of the program.
void ExpectForecast(const Model& model, const std::string& file, double relative_error) {
  const Dataset expected = ReadCsv(kFolder / file);
  std::vector<std::string> names;
  for (const std::string& channel : model.channels) {
    for (const char* column : {"_mean", "_q5", "_q50", "_q95"}) names.push_back(channel + column);
  }
  ASSERT_EQ(expected.channels, names);
  ASSERT_EQ(expected.trajectories.size(), 1u);
  const Forecast forecast = ForecastLikeTheProgram(model);
  EXPECT_EQ(forecast.diverged, 0u);
  EXPECT_EQ(forecast.times, expected.trajectories[0].times);
  const Matrix found = ColumnsOf(forecast), &values = expected.trajectories[0].values;
  ASSERT_EQ(found.rows(), values.rows());
  ASSERT_EQ(found.cols(), values.cols());
  for (Eigen::Index i = 0; i < found.rows(); ++i) {
    for (Eigen::Index c = 0; c < found.cols(); ++c) {
      EXPECT_NEAR(found(i, c), values(i, c), relative_error * std::fabs(values(i, c)))
          << "time " << forecast.times[static_cast<std::size_t>(i)] << ", "
          << names[static_cast<std::size_t>(c)];
    }
  }
}

TEST(Format11, ThereIsAFileOfEveryNamedModel) {
  const std::vector<std::string> found = ModelNames();
  for (const NamedModel& model : ListModels()) {
    EXPECT_TRUE(std::ranges::binary_search(found, model.name)) << model.name;
  }
}

class Format11Model : public testing::TestWithParam<std::string> {
 protected:
  const std::filesystem::path path = kFolder / (GetParam() + ".gpode");
};

TEST_P(Format11Model, IsOfItsVersionAndLoads) {
  const internal::Sealed seal = internal::CheckSeal(internal::ReadFile(path), "file");
  EXPECT_EQ(seal.major, 1u);
  EXPECT_EQ(seal.minor, 1u);
  const TrainedModel trained = LoadTrainedModel(path);
  EXPECT_EQ(NameOf(trained.model.options).name, GetParam());
  EXPECT_EQ(trained.model.IsSampled(), IsSampled(trained.model.options));
  EXPECT_EQ(trained.data.channels, trained.model.channels);
  EXPECT_EQ(trained.data.trajectories.size(), 1u);
  EXPECT_EQ(trained.history.empty(), trained.model.IsSampled()) << "samplers record no steps";
}

TEST_P(Format11Model, ForecastsAsTheProgramThatWroteIt) {
  ExpectForecast(LoadModel(path), GetParam() + ".csv", kForecastError);
}

TEST_P(Format11Model, IsTheSameAfterSavingAndLoadingAgain) {
  const TrainedModel trained = LoadTrainedModel(path);
  const std::vector<std::byte> bytes = ModelBytes(trained);
  EXPECT_EQ(internal::CheckSeal(bytes, "file").minor, internal::kFormatMinor);
  const TrainedModel again = ParseModel(bytes, "file");
  EXPECT_EQ(ModelBytes(again), bytes);
  EXPECT_EQ(ForecastLikeTheProgram(again.model).draws, ForecastLikeTheProgram(trained.model).draws);
}

INSTANTIATE_TEST_SUITE_P(Files, Format11Model, testing::ValuesIn(ModelNames()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Format11, AnUnfinishedRunIsResumedToItsEnd) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "run.gpode";
  std::filesystem::copy_file(kFolder / "unfinished.gpode", path);
  const TrainedModel before = LoadTrainedModel(path);
  ASSERT_FALSE(before.finished);
  ASSERT_TRUE(before.state);
  ASSERT_FALSE(before.history.empty());
  const TrainedModel after = Resume(path);
  EXPECT_TRUE(after.finished);
  EXPECT_GT(after.history.back().step, before.history.back().step);
  EXPECT_EQ(after.model.warning, "");
  ExpectForecast(after.model, "unfinished.csv", kResumedError);
  EXPECT_TRUE(LoadTrainedModel(path).finished);
  EXPECT_EQ(ModelBytes(LoadTrainedModel(path)), ModelBytes(after));
}

// The unfinished run is saved in the present format before it is resumed. It must end with the same
// bits.
TEST(Format11, AnUnfinishedRunMayBeSavedBeforeItIsResumed) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(kFolder / "unfinished.gpode", folder / "old.gpode");
  SaveModel(folder / "new.gpode", LoadTrainedModel(folder / "old.gpode"));
  EXPECT_EQ(ModelBytes(Resume(folder / "new.gpode")), ModelBytes(Resume(folder / "old.gpode")));
}

}  // namespace
}  // namespace gpode
