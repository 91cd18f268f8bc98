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
//   const std::optional<Timing> timing = TimingBeside("vdp.gpode");
//   if (timing) SecondsAt(*timing, trained.history);
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gpode/training.h"

namespace gpode::tool {

struct Timing {
  std::vector<double> steps, seconds;     // the same size, increasing and not decreasing
  std::vector<double> sessions, threads;  // one value per session
  std::vector<std::string> cpu;

  double total() const { return seconds.empty() ? 0 : seconds.back(); }
};

std::string SidecarOf(const std::string& model);

// Nothing if they are not there.
std::string CommandBeside(const std::string& model);
std::optional<Timing> TimingBeside(const std::string& model);

// At each step of a history, linear between those that are known; empty if these do not reach from
// its beginning to its end.
std::vector<double> SecondsAt(const Timing& timing, const std::vector<Progress>& history);

// Of all sessions: "1350 steps per second".
std::string Speed(const Timing& timing);

// "8.5 s", "3 min 20 s".
std::string Duration(double seconds);

// Measures one session, on top of earlier ones.
class TrainingClock {
 public:
  // `threads` as asked for, 0: as many as the machine has.
  explicit TrainingClock(std::size_t threads) : threads_(threads) {}

  // Goes on after an earlier session.
  void GoOnFrom(const Timing& earlier) { timing_ = earlier; }
  // After every step.
  void Record(std::size_t step);
  bool started() const { return started_; }
  // With a few hundred of the steps, or those of the history.
  Timing Thinned() const;
  Timing At(const std::vector<Progress>& history) const;

 private:
  using Clock = std::chrono::steady_clock;

  // A session's first step; what an earlier one did after its checkpoint does not count.
  void Begin(double step);

  std::size_t threads_;
  Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of earlier sessions
  bool started_ = false;
  Timing timing_;
};

// A sidecar's text with other times; what it had before stays.
std::string WithTiming(const std::string& text, const Timing& timing);
// The file's text; empty if there is none.
std::string ReadSidecar(const std::string& model);

}  // namespace gpode::tool
