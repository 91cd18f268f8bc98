// Training runs that can be watched, stopped, killed and taken up again.
//
// What a run computes is set by data and FitOptions alone. FitControl says who watches and where
// checkpoints go, and changes no bit of the result: a run that was killed and resumed, any number
// of times, ends with the model file of an uninterrupted one.
//
// Thread safety: a run starts its own threads; callbacks come from the calling
// thread, those of samplers from any of its own, never two at the same time.
//
//   TrainedModel run = Train(data, options, {.checkpoint = "vdp.gpode"});
//   TrainedModel rest = Resume("vdp.gpode");  // after a crash: goes on from the last checkpoint
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/model.h"

namespace gpode {

struct FitControl {
  // Called every `report_every` steps and after the last; returning false ends the training there.
  std::function<bool(const Progress&)> report = {};
  std::size_t report_every = 100;

  // The model file (gpode/model_file.h), written at the end and whenever this many steps or seconds
  // have passed; 0: never in between. No path: nothing is written.
  std::filesystem::path checkpoint = {};
  std::size_t checkpoint_steps = 0;
  double checkpoint_seconds = 60;

  std::optional<std::size_t> threads = {};  // in place of the options'
};

struct TrainingState;  // where the optimiser stands

// A model, what it was learnt from and how.
struct TrainedModel {
  Model model;
  Dataset data = {};
  Dataset validation = {};             // if there were any
  std::vector<Progress> history = {};  // at most 400 steps, evenly apart, and the last
  bool finished = false;
  std::shared_ptr<const TrainingState> state = {};  // what Resume needs; none: cannot be resumed
};

// `validation`, with the channels of the data, chooses when to stop; see FitOptions. The samplers
// have no use for it, and write no checkpoints but the last: they begin anew.
TrainedModel Train(const Dataset& data, const FitOptions& options, const FitControl& control = {},
                   const Dataset& validation = {});

// Goes on with the run in a model file, which also takes the checkpoints unless control names
// another. A finished run is returned as it is.
TrainedModel Resume(const std::filesystem::path& path, const FitControl& control = {});

}  // namespace gpode
