// Training runs that can be watched, stopped, killed and taken up again.
//
// The data and FitOptions alone determine the result of a run. FitControl sets the progress
// callback and the checkpoint file; unless the callback stops the run, neither changes the result.
// A run that was killed and resumed, any number of times, ends with the model file of an
// uninterrupted one.
//
// Thread safety: a run starts its own threads. It calls the progress callback from the calling
// thread, or, if it samples, from any of its own threads, but never from two at the same time.
//
//   TrainedModel run = Train(data, options, {.checkpoint = "vdp.gpode"});
//   TrainedModel rest = Resume("vdp.gpode");  // after a crash: goes on from the last checkpoint
//   TrainedModel judged = TrainWithHoldout(data, options, {.share = 0.2});  // holdout.h
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/holdout.h"
#include "gpode/model.h"

namespace gpode {

// One step of a training run.
struct Progress {
  std::size_t step = 0;   // counted over all phases
  std::size_t steps = 0;  // of all phases
  BoundKind phase = BoundKind::kVanilla;
  double bound = 0;
  double loglik = 0, constraint = 0, kl_u = 0;
  // The tolerance of shooting, and the root mean square of the gaps between segments (Laplace:
  // their mean size), in the model's states of unit size. Without gaps both are equal.
  double tolerance = 0, gap = 0;
  double noise = 0;        // mean over channels of the noise's standard deviation
  double lengthscale = 0;  // geometric mean, in the model's states of unit size
  std::size_t diverged = 0;
  std::size_t evaluations = 0;  // of the drawn fields
  std::size_t skipped = 0;      // steps so far that had no usable gradient
};

struct FitControl {
  // Called every `report_every` steps and after the last one; training ends if it returns false.
  std::function<bool(const Progress&)> report = {};
  std::size_t report_every = 100;

  // The model file (gpode/model_file.h), written at the end and whenever this many steps or seconds
  // have passed; 0: never in between. No path: nothing is written.
  std::filesystem::path checkpoint = {};
  std::size_t checkpoint_steps = 0;
  double checkpoint_seconds = 60;

  // Called when held-back data have been compared with their forecasts, before the model learns from
  // them.
  std::function<void(const HoldoutReport&)> compared = {};

  std::optional<std::size_t> threads = {};  // in place of the options'
};

struct TrainingState;  // the state of the optimiser

// A model, what it was learnt from and how.
struct TrainedModel {
  Model model;
  Dataset data = {};
  Dataset validation = {};             // if there were any
  std::vector<Progress> history = {};  // at most 400 steps, evenly apart, and the last
  bool finished = false;
  std::shared_ptr<const TrainingState> state = {};  // what Resume needs; none: cannot be resumed
  std::optional<Holdout> holdout = {};              // if data were held back
};

// Trains a model on all trajectories. `validation`, which has the channels of the data, decides
// when training stops (FitOptions::validation_patience). Samplers do not use it; they write only
// the last checkpoint, so that a sampler that was interrupted starts again.
TrainedModel Train(const Dataset& data, const FitOptions& options, const FitControl& control = {},
                   const Dataset& validation = {});

// Trains without the data that `holdout` holds back, compares their forecasts with them, then (with
// holdout.refit) begins anew and trains on everything. The model has the widening of bands that the
// comparison asks for; everything else is as Train would have left it. A run is resumed like any
// other, in whichever part it was stopped.
TrainedModel TrainWithHoldout(const Dataset& data, const FitOptions& options,
                              const HoldoutOptions& holdout, const FitControl& control = {},
                              const Dataset& validation = {});

// Trains on all trajectories and returns the model. `report` is called every hundred steps and
// after the last one; training ends if it returns false.
Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report = {});

// Resumes the run in a model file, which also takes the checkpoints unless control names another
// file. A finished run is returned as it is.
TrainedModel Resume(const std::filesystem::path& path, const FitControl& control = {});

}  // namespace gpode
