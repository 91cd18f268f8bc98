// Training runs that can be watched, stopped, killed and resumed.
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
//   TrainedModel rest = Resume("vdp.gpode");  // after a crash: continues from the last checkpoint
//   TrainedModel judged = TrainWithHoldout(data, options, {.share = 0.2});  // holdout.h
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/holdout.h"
#include "gpode/model.h"
#include "gpode/ranks.h"

namespace gpode {

// One step of a training run.
struct Progress {
  std::size_t step = 0;   // number of steps so far, in all phases
  std::size_t steps = 0;  // number of steps planned, in all phases
  BoundKind phase = BoundKind::kVanilla;
  double bound = 0;
  // Terms of the bound: the expected log likelihood, the expected log density of the shooting
  // states given the ends of the segments before them, and the divergence of the field from its
  // prior.
  double loglik = 0, constraint = 0, kl_u = 0;
  // The tolerance sigma_xi of shooting and the size of the gaps xi between segments (their root
  // mean square, or for a Laplace prior the mean of |xi|), in the model's coordinates
  // (coordinates.h). If there are no gaps, `gap` equals the tolerance.
  double tolerance = 0, gap = 0;
  double noise = 0;             // mean over channels of the noise's standard deviation
  double lengthscale = 0;       // geometric mean, in the model's coordinates
  std::size_t diverged = 0;     // integrations in this step that diverged
  std::size_t evaluations = 0;  // evaluations of the drawn fields in this step
  std::size_t skipped = 0;      // steps so far that were skipped for lack of a finite gradient
};

// The device that takes the steps of training. kCuda is the GPU; training throws an InputError if
// there is none or if it does not support the model. kAuto is the GPU where it is expected to be
// faster, and otherwise the CPU. kEmulated runs the GPU's kernels on the CPU, slowly, for tests.
// Samplers always run on the CPU.
enum class Device { kCpu, kCuda, kAuto, kEmulated };

struct FitControl {
  // This function is called every `report_every` steps and after the last one. Training ends if it
  // returns false.
  std::function<bool(const Progress&)> report = {};
  std::size_t report_every = 100;

  // The model file (gpode/model_file.h). It is written at the end, and before that whenever
  // checkpoint_steps steps or checkpoint_seconds seconds have passed since the last time; 0 turns
  // either rule off. If the path is empty, nothing is written.
  std::filesystem::path checkpoint = {};
  std::size_t checkpoint_steps = 0;
  double checkpoint_seconds = 60;

  // If set, this function is called with the bytes of the model file instead of writing them to
  // `checkpoint`, which must not be empty. The last eight bytes are the checksum of the others, as
  // text. The function `save` of `standby` calls it, too, on the thread that calls `save`.
  std::function<void(std::span<const std::byte>)> write = {};
  // If set, this function is called with the message when a checkpoint cannot be written before the
  // end. The run continues, and tries again when the next checkpoint is due. If not set, the error
  // ends the run.
  std::function<void(const std::string&)> checkpoint_failed = {};
  // If set, this function is called after every step that took longer than half a second, except
  // the last, with a function that saves the run as it was after that step. A program that has to
  // end during the next step, which may take as long, can call `save` from any thread.
  std::function<void(std::function<void()> save)> standby = {};

  // This function is called when held-back data have been compared with their forecasts, before the
  // model is trained on them.
  std::function<void(const HoldoutReport&)> compared = {};

  std::optional<std::size_t> threads = {};  // if set, replaces FitOptions::threads
  Device device = Device::kCpu;
  // If set, this function is called when the device of a run has been chosen, with a line that
  // names the device and the reason. It is not called with Device::kCpu.
  std::function<void(const std::string&)> device_chosen = {};
  // If set, the ranks of this group share the work of training, and all but rank 0 must be in
  // ServeTraining. Samplers run on rank 0 alone.
  Ranks* ranks = nullptr;
};

struct TrainingState;  // the state of the optimiser
struct SamplingState;  // the state of a sampler

// A model with its data and the history of its training.
struct TrainedModel {
  Model model;
  Dataset data = {};
  Dataset validation = {};             // has no trajectories if there were no validation data
  std::vector<Progress> history = {};  // at most 400 evenly spaced steps, and the last
  bool finished = false;
  // The state from which Resume continues: that of the optimiser, or of a sampler.
  std::shared_ptr<const TrainingState> state = {};
  std::shared_ptr<const SamplingState> sampling = {};
  std::optional<Holdout> holdout = {};  // set if data were held back
  // The instruction sets with which the model was trained (InstructionSets), several if the run was
  // resumed on another machine. Empty in files of older versions.
  std::string instruction_sets = {};
};

// Returns the instruction sets that this program uses on this machine: that of its vector loops,
// which GPODE_SIMD can choose, and that for which the rest is compiled. Results have the same bits
// only with the same sets, since different sets round differently.
std::string InstructionSets();

// Returns the options with the parts of the model that suit the data, as `gpode fit` chooses them.
// The bound is shooting if a trajectory has 100 times or more, and otherwise vanilla. A process
// gets the joint posterior if there are at most 200 times and 6 states. With any sampled posterior,
// a process gets a kernel that continues linearly beyond the data, and 64 Fourier features; with
// inputs, it always gets that kernel. If measured inputs drive the system, training ends with whole
// trajectories, after at most 8000 steps and with at most 100 segments of shooting each. `given`
// are names of options (options.h) that the caller has set and that stay. If one of them is an
// option of training, such as "steps", the posterior stays, too.
FitOptions ChooseOptions(const Dataset& data, FitOptions options = {},
                         const std::vector<std::string>& given = {});

// Trains a model on all trajectories. `validation`, which has the channels of the data, decides
// when training stops (FitOptions::validation_patience). Samplers do not use it. If a sampler is
// stopped, its model has no draws, and cannot forecast until the run is resumed.
TrainedModel Train(const Dataset& data, const FitOptions& options, const FitControl& control = {},
                   const Dataset& validation = {});

// Trains without the data that `holdout` holds back, compares forecasts of these data with them,
// and then (if holdout.refit) trains a new model on all data. The model has the widening of bands
// that the comparison gave; everything else is as after Train. Resume continues such a run, in
// whichever of the two trainings it was stopped.
TrainedModel TrainWithHoldout(const Dataset& data, const FitOptions& options,
                              const HoldoutOptions& holdout, const FitControl& control = {},
                              const Dataset& validation = {});

// Trains on all trajectories and returns the model. `report` is called every hundred steps and
// after the last one; training ends if it returns false.
Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report = {});

// Resumes the run in a model file. Checkpoints go to the same file unless control names another. A
// finished run is returned unchanged.
TrainedModel Resume(const std::filesystem::path& path, const FitControl& control = {});

// Serves all training runs of rank 0, until rank 0 calls DismissRanks. Every other rank of the
// group must call it, needs memory for the data and the parameters, and must use the same
// InstructionSet.
void ServeTraining(Ranks& ranks);
// Ends ServeTraining on all other ranks. Must be called on rank 0.
void DismissRanks(Ranks& ranks);

}  // namespace gpode
