// The sidecar of a model, NAME.gpode.toml, which `gpode fit` writes: the command, its
// configuration, and how long training took. Times are not in the model file, so that equal runs
// give equal files.
//
//   timing.steps = [0, 50, ...]        # as in the model's history
//   timing.seconds = [0.01, 0.2, ...]  # since the beginning of training, over all sessions
//   timing.sessions = [8.5]            # seconds of each session, the first one and resumed ones
//   timing.cpu = ["..."]               # of each session
//   timing.threads = [2]               # of each session
//
// Sidecars may be missing or damaged: commands then do without them.
//
// Thread safety: plain values and functions.
//
//   const std::optional<report::Timing> timing = ReadTiming("vdp.gpode");
//   if (timing) report::SecondsAt(*timing, trained.history);
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gpode/training.h"
#include "report/timing.h"

namespace gpode::tool {

std::string SidecarPath(const std::string& model);

// These return nothing if the sidecar does not have them.
std::string ReadTrainingCommand(const std::string& model);
std::optional<report::Timing> ReadTiming(const std::string& model);

// Measures the time of one session and adds it to that of earlier ones.
class TrainingClock {
 public:
  // `threads` is the number of threads to record, 0 for as many as the machine has cores.
  explicit TrainingClock(std::size_t threads) : threads_(threads) {}

  // Adds to the times of earlier sessions.
  void ContinueFrom(const report::Timing& earlier) { timing_ = earlier; }
  // Called after every step.
  void Record(std::size_t step);
  bool started() const { return started_; }
  // Returns the times of a few hundred steps.
  report::Timing Thinned() const;
  // Returns the times of the steps of the history.
  report::Timing At(const std::vector<Progress>& history) const;

 private:
  using Clock = std::chrono::steady_clock;

  // Begins a session at its first step; drops steps that an earlier one did after its checkpoint.
  void Begin(double step);

  std::size_t threads_;
  Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of earlier sessions
  bool started_ = false;
  report::Timing timing_;
};

// Returns the text of a sidecar with other times; everything else stays.
std::string WithTiming(const std::string& text, const report::Timing& timing);
// Returns the text of a model's sidecar; empty if there is none.
std::string ReadSidecar(const std::string& model);

}  // namespace gpode::tool
