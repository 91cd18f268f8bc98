// Training runs for tests, uninterrupted or restored in the middle.
#pragma once

#include <utility>
#include <vector>

#include "train/trainer.h"

namespace gpode::testing_support {

struct TrainerRun {
  std::vector<Progress> steps;
  TrainerState end;
  Model model;
};

inline TrainerRun RunAll(const Dataset& data, const FitOptions& options) {
  Trainer trainer(data, options);
  TrainerRun run;
  while (!trainer.done()) run.steps.push_back(trainer.Step());
  run.end = trainer.Save();
  run.model = trainer.Snapshot();
  return run;
}

// Returns the final state of a run whose state was moved to another trainer after `stop` steps.
inline TrainerState EndWhenRestoredAfter(std::size_t stop, const Dataset& data,
                                         const FitOptions& options) {
  Trainer first(data, options);
  for (std::size_t i = 0; i < stop; ++i) first.Step();
  Trainer second(data, options, first.start());
  second.Restore(first.Save());
  while (!second.done()) second.Step();
  return second.Save();
}

}  // namespace gpode::testing_support
