// What `gpode fit` writes beside a model, NAME.gpode.toml: the command, its configuration, and how
// long training took. Times are not in the model file, so that equal runs are equal bytes.
//
//   timing.steps = [0, 50, ...]        # as in the model's history
//   timing.seconds = [0.01, 0.2, ...]  # since training began, all sessions together
//   timing.sessions = [8.5]            # seconds of each, the first and those resumed
//   timing.cpu = ["..."]               # of each session
//   timing.threads = [2]
//
// Everything here may be missing or spoilt without any harm: then it is not known.
//
// Thread safety: plain values and functions.
//
//   const std::optional<report::Timing> timing = TimingBeside("vdp.gpode");
//   if (timing) report::SecondsAt(*timing, trained.history);
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gpode/training.h"
#include "report/timing.h"

namespace gpode::tool {

std::string SidecarOf(const std::string& model);

// Nothing if they are not there.
std::string CommandBeside(const std::string& model);
std::optional<report::Timing> TimingBeside(const std::string& model);

// Measures one session, on top of earlier ones.
class TrainingClock {
 public:
  // `threads` as asked for, 0: as many as the machine has.
  explicit TrainingClock(std::size_t threads) : threads_(threads) {}

  // Goes on after an earlier session.
  void GoOnFrom(const report::Timing& earlier) { timing_ = earlier; }
  // After every step.
  void Record(std::size_t step);
  bool started() const { return started_; }
  // With a few hundred of the steps, or those of the history.
  report::Timing Thinned() const;
  report::Timing At(const std::vector<Progress>& history) const;

 private:
  using Clock = std::chrono::steady_clock;

  // A session's first step; what an earlier one did after its checkpoint does not count.
  void Begin(double step);

  std::size_t threads_;
  Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of earlier sessions
  bool started_ = false;
  report::Timing timing_;
};

// A sidecar's text with other times; what it had before stays.
std::string WithTiming(const std::string& text, const report::Timing& timing);
// The file's text; empty if there is none.
std::string ReadSidecar(const std::string& model);

}  // namespace gpode::tool
