// Tests that a run ends early, with a learning rate that falls to zero, when its bound no longer
// improves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/small_run.h"
#include "support/trainer_runs.h"

namespace gpode {
namespace {

using testing_support::EndWhenRestoredAfter;
using testing_support::RunAll;
using testing_support::SmallData;
using testing_support::SmallOptions;

constexpr std::size_t kSteps = 20000;

// Returns options with known noise, so that only Adam moves parameters.
FitOptions Patient(std::size_t patience) {
  FitOptions options = SmallOptions();
  options.features = 8;
  options.steps = kSteps;
  options.patience = patience;
  options.approach = 0;
  options.noise_variance = {0.1};
  return options;
}

double LargestMove(const TrainerState& before, const TrainerState& after) {
  double largest = 0;
  for (std::size_t i = 0; i < before.flat.size(); ++i) {
    largest = std::max(largest, std::fabs(after.flat[i] - before.flat[i]));
  }
  return largest;
}

// The number of steps after which the learning rate begins to fall, the number after which the run
// ends, and the largest move of a parameter in each step between them.
struct EarlyEnd {
  std::size_t cooling_from = 0, end = 0;
  std::vector<double> moves;
};

EarlyEnd Watch(const Dataset& data, const FitOptions& options) {
  Trainer trainer(data, options);
  EarlyEnd found;
  TrainerState before;
  while (!trainer.done()) {
    if (found.cooling_from > 0) before = trainer.Save();
    found.end = trainer.Step().step + 1;
    const TrainerState after = trainer.Save();
    if (found.cooling_from > 0) found.moves.push_back(LargestMove(before, after));
    if (found.cooling_from == 0 && after.cooling_from) found.cooling_from = found.end;
  }
  return found;
}

TEST(EarlyEnd, ComesWhenTheBoundNoLongerGrows) {
  const EarlyEnd impatient = Watch(SmallData(), Patient(1)),
                 patient = Watch(SmallData(), Patient(2));
  ASSERT_GT(impatient.cooling_from, 0u);
  EXPECT_EQ(impatient.cooling_from % Plateau::kWindow, 0u);
  EXPECT_GE(impatient.cooling_from, 2 * Plateau::kWindow);
  EXPECT_EQ(impatient.end,
            impatient.cooling_from + std::max(Plateau::kWindow, impatient.cooling_from / 4));
  EXPECT_GT(patient.cooling_from, impatient.cooling_from);
  EXPECT_LT(patient.end, kSteps);
}

TEST(EarlyEnd, TheLearningRateRunsDown) {
  const EarlyEnd found = Watch(SmallData(), Patient(1));
  ASSERT_GE(found.moves.size(), Plateau::kWindow);
  const std::size_t tenth = found.moves.size() / 10;
  const double first = *std::max_element(found.moves.begin(), found.moves.begin() + tenth);
  const double last = *std::max_element(found.moves.end() - tenth, found.moves.end());
  EXPECT_GT(first, 1e-4);
  EXPECT_LT(first, 0.03) << "no more than the rate allows";
  EXPECT_LT(last, 0.1 * first);
  EXPECT_LT(found.moves.back(), 1e-3 * first);
}

void ExpectRestoredRunsAreTheSame(const FitOptions& options) {
  const EarlyEnd found = Watch(SmallData(), options);
  ASSERT_LT(found.end, options.steps);
  const TrainerState whole = RunAll(SmallData(), options).end;
  const std::size_t from = found.cooling_from;
  for (std::size_t stop : {from - 100, from - 1, from, from + 1, from + 100, found.end - 1}) {
    EXPECT_TRUE(EndWhenRestoredAfter(stop, SmallData(), options) == whole) << stop << " steps";
  }
}

TEST(EarlyEnd, ARestoredRunEndsWithTheSameBits) {
  FitOptions options = Patient(1);
  ExpectRestoredRunsAreTheSame(options);
  options.batch = 9;  // the observations of one of the two trajectories
  ExpectRestoredRunsAreTheSame(options);
}

TEST(EarlyEnd, ARestoredRunThatKeepsShootingEndsWithTheSameBits) {
  FitOptions options = Patient(1);
  options.bound = BoundKind::kShooting;
  options.steps = 4000;
  options.polish = 0.75;
  options.polish_loss = 0;
  options.tightening = 0.1;
  options.tolerance = ToleranceRule::kLearnt;
  options.tolerance_prior = TolerancePrior::kLaplace;
  EXPECT_EQ(RunAll(SmallData(), options).end.keeps_shooting, true);
  ExpectRestoredRunsAreTheSame(options);
}

TEST(EarlyEnd, WithoutPatienceAllStepsAreTaken) {
  FitOptions options = Patient(0);
  options.steps = 3000;
  const EarlyEnd found = Watch(SmallData(), options);
  EXPECT_EQ(found.end, options.steps);
  EXPECT_EQ(found.cooling_from, 0u);
}

// The bound is watched only in the last phase, and only after noise and tolerance have stopped
// changing by schedule, however long that takes.
TEST(EarlyEnd, ComesInTheLastPhaseAndOnceAllIsSettled) {
  FitOptions options = Patient(1);
  options.steps = 4000;
  options.approach = 0.5;
  EXPECT_GE(Watch(SmallData(), options).end, 2000 + 3 * Plateau::kWindow);
  options.approach = 0;
  options.noise_variance = {};
  options.noise_hold = 0.5;
  EXPECT_GE(Watch(SmallData(), options).end, 2000 + 3 * Plateau::kWindow);
  options.noise_hold = 0;
  options.bound = BoundKind::kShooting;
  options.polish = 0;
  options.tightening = 0.5;
  EXPECT_GE(Watch(SmallData(), options).end, 2000 + 3 * Plateau::kWindow);
}

}  // namespace
}  // namespace gpode
