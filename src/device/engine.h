// Training steps of a Gaussian process on a device: a GPU, or an emulation of one on the CPU.
//
// An engine keeps parameters, optimiser state and data in the device's memory and takes whole
// blocks of steps (paper, algorithm 1) there; train/device_steps.h decides what it is given and
// when. A step is a list of kernels (kernels/*.h); engine_steps.h has the list. Nothing but a few
// numbers for each step comes back before GetState.
//
// The random numbers are those of the CPU (gpode/random.h), bit for bit. Sums are formed in a fixed
// order, so that the same device gives the same bits in every run; another device, and the CPU,
// round differently.
//
// Thread safety: an engine belongs to one thread at a time.
//
//   std::unique_ptr<Engine> engine = MakeCudaEngine(problem);
//   engine->SetState(state);
//   for (const StepResult& result : engine->Advance(plans)) ...
//   state = engine->GetState();
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/work.h"

namespace gpode::device {

// The most states that kernels are compiled for.
inline constexpr int kMostStates = 6;

// The inputs that stay fixed during a phase of training. The caller must set the members of
// Sizes from draws to times, the places of the blocks, is_learnt, is_laplace, flat_size and the
// solver's options; the engine sets the others.
struct Problem {
  Sizes sizes{};
  bool is_single = false;  // single precision of the Fourier features; all else is double
  Coefficients method{};
  std::vector<std::uint8_t> kind;  // (flat_size): see Work

  std::vector<double> segment_start;  // (segments)
  std::vector<int> segment_first, segment_count;
  std::vector<int> segment_state, segment_next;  // states; segment_next is -1 at the last segment
  std::vector<double> times, y;                  // (times), (times, channels)
  std::vector<double> map, map_offset;           // (channels, dim), (channels)
  std::vector<double> channel_weight;            // (channels)
  std::vector<double> count, noise_floor;        // (channels): see Trainer::UpdateLikelihood
};

// The state that training changes.
struct EngineState {
  std::vector<double> flat, first, second;  // parameters and Adam's moments
  int adam_steps = 0;
  double log_tolerance = 0;
  // (draws segments + 1): the step size with which each segment of each draw starts, and that of
  // segments that were never integrated, as in Bound.
  std::vector<double> step_sizes;
};

// The random numbers of one step, given instead of drawn. Shapes as in Work.
struct GivenNormals {
  std::vector<double> omega, weight, u, x;
};

struct Evaluation {
  StepResult result;
  std::vector<double> gradient;  // with respect to the unconstrained parameters
};

// The largest difference, relative to the largest entry, between what a kernel wrote to an array on
// the device and what the same kernel wrote on the CPU.
struct KernelDifference {
  std::string kernel, array;
  double difference;
};

struct KernelTime {
  std::string kernel;
  double seconds;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual void SetState(const EngineState& state) = 0;
  virtual EngineState GetState() = 0;

  // Takes the planned steps and returns the result of each.
  virtual std::vector<StepResult> Advance(std::span<const StepPlan> plans) = 0;

  // Computes value and gradient of one step at the present parameters, which do not change. Adam's
  // moments are undefined afterwards.
  virtual Evaluation Evaluate(const StepPlan& plan, const GivenNormals* normals = nullptr) = 0;

  // Takes one step kernel by kernel, runs each kernel also on the CPU with the same input, and
  // returns the differences.
  virtual std::vector<KernelDifference> Compare(const StepPlan& plan) = 0;

  // Takes the planned steps and returns for each kernel its smallest running time.
  virtual std::vector<KernelTime> Time(std::span<const StepPlan> plans) = 0;
};

// Says why there is no GPU to use: this build has no CUDA, there is no device, or it is too old.
// Empty if there is one.
std::string WhyNoGpu();
// Returns the name of the GPU; empty if there is none.
std::string GpuName();
// Returns a line about CUDA for `gpode --version`; empty if this build has no CUDA.
std::string CudaVersion();

// Throws an InputError if there is no GPU, or too little memory.
std::unique_ptr<Engine> MakeCudaEngine(const Problem& problem);
// Runs the kernels of the device on the CPU, slowly, for tests, with at most four states.
std::unique_ptr<Engine> MakeHostEngine(const Problem& problem);

}  // namespace gpode::device
