// A training run that the ranks of a group (gpode/ranks.h) do together.
//
// Rank 0 sends the run, as the bytes of its model file, to the others. Then all ranks train it in
// lockstep: in each step, every rank evaluates some of the work items and receives the results of
// all items (model/evaluators.h). All ranks make the same update of the shared parameters, and each
// rank updates the parameters of the states that its own segments need. Parameters therefore need
// not be sent before a checkpoint. Before each step, rank 0 tells the others whether there is
// another step.
//
// Thread safety: as Ranks.
//
//   SharedRun run(ranks, ModelBytes(trained), 0, trainer);  // on rank 0
//   while (!trainer.done()) run.Step(trainer);
#pragma once

#include <cstddef>
#include <vector>

#include "gpode/ranks.h"
#include "train/trainer.h"

namespace gpode::internal {

class SharedRun {
 public:
  // `run` is the model file of a run in the trainer's present state. The other ranks use this many
  // threads each; 0 stands for Ranks::threads.
  SharedRun(Ranks& ranks, std::vector<std::byte> run, std::size_t threads, Trainer& trainer);
  ~SharedRun();
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  // Takes one step on all ranks.
  Progress Step(Trainer& trainer);
  // Collects the parameters that only other ranks have. Must be called before Trainer::Save or
  // Trainer::Snapshot.
  void Collect(Trainer& trainer);

 private:
  Ranks& ranks_;
};

}  // namespace gpode::internal
