// Training steps of a Gaussian process on a device: a GPU, or an emulation of one on the CPU.
//
// An engine keeps parameters, optimiser state and data in the device's memory and takes whole
// blocks of steps (paper, algorithm 1) there; train/device_steps.h decides what it is given and
// when. A step is a list of kernels (kernels/*.h); engine_steps.h has the list. Until GetState is
// called, the host receives only a few numbers for each step (StepResult).
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
  bool is_single = false;  // true if Fourier features have single precision; all else has double
  Coefficients method{};
  std::vector<std::uint8_t> kind;  // (flat_size): see Work

  // Arrays that Work explains under the same names (`times` is Work::times_of).
  std::vector<double> segment_start;                                           // (segments)
  std::vector<int> segment_first, segment_count, segment_state, segment_next;  // (segments)
  std::vector<double> times, y;            // (times), (times, channels)
  std::vector<double> map, map_offset;     // (channels, dim), (channels)
  std::vector<double> channel_weight;      // (channels)
  std::vector<double> count, noise_floor;  // (channels)
};

// The state of the optimiser and the solver, which training changes.
struct EngineState {
  std::vector<double> flat, first, second;  // parameters and Adam's moments
  int adam_steps = 0;
  double log_tolerance = 0;
  // (draws * segments + 1): the first step size for each segment of each draw, then that for
  // segments that were never integrated, as in Bound.
  std::vector<double> step_sizes;
};

// Random numbers that replace those that a step would draw. The arrays have the shapes of
// eps_omega, eps_weight, eps_u and eps_x in Work.
struct GivenNormals {
  std::vector<double> omega, weight, u, x;
};

struct Evaluation {
  StepResult result;
  std::vector<double> gradient;  // with respect to the unconstrained parameters
};

// The largest difference between the entries of an array that a kernel wrote on the device and
// those that the same kernel wrote on the CPU, relative to the largest entry.
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

// Returns the reason why no GPU can be used: this build has no CUDA, there is no device, or it is
// too old. Empty if a GPU can be used.
std::string WhyNoGpu();
// Returns the name of the GPU; empty if there is none.
std::string GpuName();
// Returns a line about CUDA for `gpode --version`; empty if this build has no CUDA.
std::string CudaVersion();

// Makes an engine on the GPU. Throws an InputError if there is no GPU, or if it has too little
// memory.
std::unique_ptr<Engine> MakeCudaEngine(const Problem& problem);
// Makes an engine that emulates the GPU on the CPU. It is slow, is meant for tests and supports at
// most four states.
std::unique_ptr<Engine> MakeHostEngine(const Problem& problem);

}  // namespace gpode::device
