// The sidecar of a model, a file NAME.gpode.toml that `gpode fit` writes beside the model: the
// command, its configuration, and how long training took. Times are not in the model file, so that
// runs with equal results give equal model files.
//
//   timing.steps = [0, 50, ...]        # the steps of the model's history
//   timing.seconds = [0.01, 0.2, ...]  # training time at these steps, over all sessions
//   timing.sessions = [8.5]            # seconds of each session: the first and each resumed one
//   timing.cpu = ["..."]               # the processor of each session
//   timing.threads = [2]               # the threads of each session
//
//   model.checksums = ["89abcdef"]     # the ends of the model files that the sidecar belongs to
//
// A sidecar is written before its model, with the checksums of the new model and of the one that it
// replaces, so that it belongs to whichever of the two a killed run leaves. Commands work without a
// sidecar if it is missing, damaged or not a file of a sane size, or belongs to another model.
//
// Thread safety: any thread may call these functions; calls to one TrainingClock must not overlap.
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

// These functions return the command and the times in a model's sidecar, or nothing if it does not
// have them.
std::string ReadTrainingCommand(const std::string& model);
std::optional<report::Timing> ReadTiming(const std::string& model);

// Measures the time of one session and adds it to that of earlier ones.
class TrainingClock {
 public:
  // `threads` is the number of threads to record, 0 for as many as the machine has cores.
  explicit TrainingClock(std::size_t threads) : threads_(threads) {}

  // Adds this session to the times of earlier ones.
  void ContinueFrom(const report::Timing& earlier) { timing_ = earlier; }
  // Records the time of a step. Must be called after every step.
  void Record(std::size_t step);
  bool started() const { return started_; }
  // Returns the times of a few hundred steps.
  report::Timing Thinned() const;
  // Returns the times at the steps of the history.
  report::Timing At(const std::vector<Progress>& history) const;

 private:
  using Clock = std::chrono::steady_clock;

  // Begins a session with its first step. Drops the records of this step and later ones: an earlier
  // session took these steps after its last checkpoint, and this session repeats them.
  void Begin(double step);

  std::size_t threads_;
  Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of earlier sessions
  bool started_ = false;
  report::Timing timing_;
};

// Returns the text of a sidecar with its times and the checksums of its models replaced by these.
std::string WithTiming(const std::string& text, const report::Timing& timing,
                       const std::vector<std::string>& checksums);
// Returns the text of a model's sidecar; empty if there is none.
std::string ReadSidecar(const std::string& model);

// Returns the model and the data files from which it was learnt, if its sidecar names them: the
// files that a result of the model must not replace.
std::vector<std::string> InputsOf(const std::string& model);

}  // namespace gpode::tool
