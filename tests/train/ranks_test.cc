// Tests that training on several ranks gives the bytes of training in one process. Here, ranks are
// threads; script/mpi-test runs the program itself with MPI.
#include <gtest/gtest.h>

#include <ostream>

#include "gpode/training.h"
#include "store/model_file.h"
#include "support/small_run.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace gpode {
namespace {

using testing_support::RunOnRanks;
using testing_support::SmallData;
using testing_support::SmallOptions;

struct Case {
  std::string name;
  FitOptions options;
  Dataset data = SmallData(), validation = {};
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> Cases() {
  std::vector<Case> cases;
  cases.push_back({"Vanilla", SmallOptions()});
  cases.back().options.draws = 3;

  // A trajectory of 41 times has three work items for each draw.
  Case shooting{"Shooting", SmallOptions()};
  const std::vector<double> times = RegularTimes(0, 8, 41);
  shooting.data.trajectories[0].times = times;
  shooting.data.trajectories[0].values = testing_support::WithNoise(
      SolveSystem("vdp", std::vector<double>{-1.5, 2.5}, times), 0.05, 3);
  shooting.options.bound = BoundKind::kShooting;
  shooting.options.draws = 2;
  cases.push_back(shooting);

  // The ranks divide the states of three trajectories, and threads share those of a rank.
  Case many = shooting;
  many.name = "ManyStates";
  many.options.steps = 4;
  const std::vector<double> fine = RegularTimes(0, 40, 700);
  for (std::size_t n : {0, 1}) {
    many.data.trajectories[n].times = fine;
    many.data.trajectories[n].values = testing_support::WithNoise(
        SolveSystem("vdp", std::vector<double>{-1.5, 1.0 + static_cast<double>(n)}, fine), 0.05, n);
  }
  many.data.trajectories.push_back(SmallData().trajectories[1]);
  cases.push_back(many);

  cases.push_back(shooting);
  cases.back().name = "Minibatches";
  cases.back().options.batch = 20;

  cases.push_back(shooting);
  cases.back().name = "WithValidation";
  cases.back().validation = SmallData();
  cases.back().options.steps = 52;  // validation data are scored every 50 steps
  return cases;
}

// Trains on this many ranks, and returns the model file.
std::vector<std::byte> TrainOn(std::size_t size, const Case& one) {
  std::vector<std::byte> bytes;
  RunOnRanks(size, [&](Ranks& ranks) {
    if (ranks.rank() > 0) return ServeTraining(ranks);
    bytes = internal::ModelBytes(Train(one.data, one.options, {.ranks = &ranks}, one.validation));
    DismissRanks(ranks);
  });
  return bytes;
}

class TrainOnRanks : public testing::TestWithParam<Case> {};

TEST_P(TrainOnRanks, GivesTheBytesOfOneProcess) {
  const Case& one = GetParam();
  const std::vector<std::byte> expected =
      internal::ModelBytes(Train(one.data, one.options, {}, one.validation));
  for (std::size_t size : {2, 3, 5}) {
    EXPECT_TRUE(TrainOn(size, one) == expected) << size << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TrainOnRanks, testing::ValuesIn(Cases()),
                         [](const auto& one) { return one.param.name; });

TEST(Ranks, ResumeOnAnotherNumberOfRanks) {
  const testing_support::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.gpode";
  const Case one = Cases()[1];
  const std::vector<std::byte> expected = internal::ModelBytes(Train(one.data, one.options));
  RunOnRanks(3, [&](Ranks& ranks) {
    if (ranks.rank() > 0) return ServeTraining(ranks);
    const TrainedModel stopped =
        Train(one.data, one.options,
              {.report = [](const Progress& progress) { return progress.step < 5; },
               .report_every = 1,
               .checkpoint = path,
               .ranks = &ranks});
    EXPECT_FALSE(stopped.finished);
    DismissRanks(ranks);
  });
  std::vector<std::byte> bytes;
  RunOnRanks(2, [&](Ranks& ranks) {
    if (ranks.rank() > 0) return ServeTraining(ranks);
    bytes = internal::ModelBytes(Resume(path, {.ranks = &ranks}));
    DismissRanks(ranks);
  });
  EXPECT_TRUE(bytes == expected);
}

// The same ranks train two runs: one on the data that are not held back, and one on all data.
TEST(Ranks, HoldoutIsTwoRuns) {
  const Dataset data = Cases()[1].data;
  FitOptions options = SmallOptions();
  const HoldoutOptions holdout{.share = 0.3};
  const std::vector<std::byte> expected =
      internal::ModelBytes(TrainWithHoldout(data, options, holdout));
  RunOnRanks(2, [&](Ranks& ranks) {
    if (ranks.rank() > 0) return ServeTraining(ranks);
    EXPECT_TRUE(internal::ModelBytes(TrainWithHoldout(data, options, holdout, {.ranks = &ranks})) ==
                expected);
    DismissRanks(ranks);
  });
}

}  // namespace
}  // namespace gpode
