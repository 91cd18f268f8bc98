// The part of Trainer that lets a device take the steps, in blocks.
//
// A block ends where the host has to decide something: at the end of a window of the plateau, when
// validation data are due, and at the end of a phase. The host's decisions after each step (skipped
// steps, plateau, validation, phases) are made when Step returns its result.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "gpode/error.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// The steps of the first block, and the time that others should take, so that progress is shown
// and a stop is noticed soon.
constexpr std::size_t kFirstSteps = 10;
constexpr double kBlockSeconds = 0.2;

BoundTerms TermsOf(const device::StepResult& result) {
  BoundTerms terms;
  if (result.is_factored == 0) {
    terms.factor = FactorStatus::kNotPositiveDefinite;
    return terms;
  }
  terms.loglik = result.loglik;
  terms.constraint = result.constraint;
  terms.entropy = result.entropy;
  terms.kl_u = result.kl_u;
  terms.kl_x0 = result.kl_x0;
  terms.gap = result.gap;
  terms.diverged = static_cast<std::size_t>(result.diverged);
  terms.evaluations = static_cast<std::size_t>(result.evaluations);
  return terms;
}

}  // namespace

// Returns why a device cannot take the steps of the current phase; empty if it can.
std::string Trainer::WhyNotOn(Device device) const {
  if (device == Device::kCpu) return "it was not asked for";
  if (ranks_ != nullptr) return "several processes share the work";
  if (device != Device::kEmulated) {
    if (std::string reason = device::WhyNoGpu(); !reason.empty()) return reason;
  }
  std::string reason = WhyNotOnDevice(options_, *parts_, *bound_, minibatches_->whole());
  if (reason.empty() && device == Device::kAuto) {
    reason = WhyCpuIsFaster(PhaseForDevice(), pool_.size());
  }
  return reason;
}

bool Trainer::IsOnDevice() {
  if (device_ == Device::kCpu) return false;
  if (!is_on_device_) is_on_device_ = WhyNotOn(device_).empty();
  return *is_on_device_;
}

std::string Trainer::UseDevice(Device device) {
  device_ = device;
  device_steps_.reset();
  is_on_device_.reset();
  if (device == Device::kCpu) return "";
  const std::string reason = WhyNotOn(device);
  if (reason.empty()) {
    return device == Device::kEmulated ? "the GPU's kernels, on the CPU" : device::GpuName();
  }
  if (device != Device::kAuto) ThrowInput("fit", "--device", "is cuda, but " + reason);
  return "the CPU, because " + reason;
}

std::size_t Trainer::BlockSize() const {
  std::size_t most = std::min(most_in_block_, EndOfPhase() - state_.step);
  most = std::min(most, kMostSkipped - state_.skipped_in_a_row);
  most = std::min(most, Plateau::kWindow - state_.plateau.count);
  if (validation_ && IsLastPhase()) {
    most = std::min(most, kValidationEvery - state_.step % kValidationEvery);
  }
  if (seconds_per_step_ == 0) return std::min(most, kFirstSteps);
  const double timely = std::max(1.0, kBlockSeconds / seconds_per_step_);
  return timely < static_cast<double>(most) ? static_cast<std::size_t>(timely) : most;
}

std::vector<device::StepPlan> Trainer::PlanBlock(std::size_t steps) {
  std::vector<device::StepPlan> plans;
  for (std::size_t i = 0; i < steps; ++i, ++state_.step) {
    plans.push_back({.step = GlobalStep(),
                     .rate = CurrentRate(),
                     .tolerance = CurrentTolerance().scale,
                     .is_noise_held = IsNoiseHeld(),
                     .is_settling = IsSettling()});
  }
  state_.step -= steps;
  return plans;
}

void Trainer::TakeBlock() {
  if (!device_steps_) {
    device_steps_ = std::make_unique<DeviceSteps>(PhaseForDevice(), device_);
    seconds_per_step_ = 0;
  }
  const std::size_t steps = BlockSize();
  const std::vector<device::StepPlan> plans = PlanBlock(steps);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<device::StepResult> results = device_steps_->Take(plans, state_, *bound_);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  seconds_per_step_ = std::max(passed.count() / static_cast<double>(steps), 1e-9);
  pending_.assign(results.begin(), results.end());
}

std::vector<device::KernelTime> Trainer::TimeKernels(std::size_t repetitions) {
  GPODE_CHECK(device_ != Device::kCpu && IsBetweenBlocks());
  DeviceSteps steps(PhaseForDevice(), device_);
  return steps.Time(PlanBlock(std::min(repetitions, EndOfPhase() - state_.step)), state_, *bound_);
}

Progress Trainer::StepOnDevice() {
  if (pending_.empty()) TakeBlock();
  const device::StepResult result = pending_.front();
  pending_.pop_front();
  const BoundTerms terms = TermsOf(result);
  const bool gaussian = options_.tolerance_prior == TolerancePrior::kGaussian;
  const Progress progress{.step = GlobalStep(),
                          .steps = steps(),
                          .phase = BoundOf(state_.phase),
                          .bound = terms.Total(),
                          .loglik = terms.loglik,
                          .constraint = terms.constraint,
                          .kl_u = terms.kl_u,
                          .tolerance = result.tolerance,
                          .gap = result.tolerance * (gaussian ? std::sqrt(terms.gap) : terms.gap),
                          .noise = result.noise,
                          .lengthscale = result.lengthscale,
                          .diverged = terms.diverged,
                          .evaluations = terms.evaluations,
                          .skipped = state_.skipped};
  if (result.is_usable != 0) {
    state_.skipped_in_a_row = 0;
    WatchPlateau(progress.bound);
    CheckValidation();
  } else {
    ++state_.skipped;
    ++state_.skipped_in_a_row;
  }
  EndStep();
  return progress;
}

}  // namespace gpode
