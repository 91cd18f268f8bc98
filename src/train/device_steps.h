// Steps of training on a device (device/engine.h): translates a phase of training into the device's
// arrays, and its state there and back.
//
// Thread safety: as Engine.
//
//   std::string reason = WhyNotOnDevice(options, parts, bound, is_whole);
//   if (reason.empty()) DeviceSteps steps(setting, Device::kCuda);
//   for (const StepOnDevice& step : steps.Take(plans, state, bound)) ...
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/engine.h"
#include "gpode/training.h"
#include "model/bound.h"
#include "train/schedules.h"
#include "train/trainer_state.h"

namespace gpode {

// The parts of a phase of training. They must outlive DeviceSteps.
struct DevicePhase {
  const FitOptions& options;
  const ModelParts& parts;
  const Bound& bound;
  std::span<const double> counts;       // (channels): as Trainer::counts_
  std::span<const double> start_noise;  // (channels)
};

// Says which of the model's choices a device does not support; empty if it supports all of them.
// `is_whole` is false if steps use minibatches.
std::string WhyNotOnDevice(const FitOptions& options, const ModelParts& parts, const Bound& bound,
                           bool is_whole);

// Says why the CPU is expected to be faster; empty if the GPU is.
std::string WhyCpuIsFaster(const DevicePhase& phase, std::size_t threads);

// Returns what an engine needs to know of a phase.
device::Problem DeviceProblem(const DevicePhase& phase);

class DeviceSteps {
 public:
  DeviceSteps(const DevicePhase& phase, Device device);

  // Takes steps from a state to the next. The parameters, the optimiser and a learnt tolerance of
  // `state`, and the step sizes of `bound` are replaced by those after the last step.
  std::vector<device::StepResult> Take(std::span<const device::StepPlan> plans, TrainerState& state,
                                       Bound& bound);

  // Measures the kernels in these steps; the state does not change.
  std::vector<device::KernelTime> Time(std::span<const device::StepPlan> plans,
                                       const TrainerState& state, const Bound& bound);

 private:
  std::unique_ptr<device::Engine> engine_;
};

}  // namespace gpode
