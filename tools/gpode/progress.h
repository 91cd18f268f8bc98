// Progress of training runs, printed on standard error: one line that is overwritten if that is a
// terminal, otherwise a few plain lines. Also interruption by Ctrl-C.
//
// Thread safety: any thread may call Interruption::Requested at any time. Calls of other functions
// must not overlap.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gpode/training.h"

namespace gpode::tool {

// While an object of this class exists, SIGINT and SIGTERM set a flag instead of ending the
// process; a second signal ends it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool Requested();
};

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Must be called after every step. Prints from time to time.
  void Show(const Progress& progress);
  // Clears the line.
  void End();

 private:
  using Clock = std::chrono::steady_clock;

  std::string TimeLeft(const Progress& progress) const;

  bool quiet_, terminal_, open_ = false;
  Clock::time_point start_ = Clock::now(), shown_ = {};
  std::size_t first_step_ = 0, next_share_ = 0;
  bool begun_ = false;
};

// A line about many runs: how many are done, and which are running.
class RunsLine {
 public:
  RunsLine(bool quiet, std::size_t done, std::size_t total);
  ~RunsLine();
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;

  void Begin(const std::string& run);
  // `how` describes in a few words how the run ended.
  void End(const std::string& run, const std::string& how);

 private:
  void Show(const std::string& plain);

  bool quiet_, terminal_;
  std::size_t done_, total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::string> running_ = {};
};

}  // namespace gpode::tool
