// How training runs go on: one line that is written over in a terminal, plain lines elsewhere; and
// Ctrl-C, which ends them.
//
// Thread safety: one call at a time, but for Interruption::Asked, which any thread may call.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gpode/training.h"

namespace gpode::tool {

// While it lives, SIGINT and SIGTERM set a flag instead of ending the process; a second one ends
// it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool Asked();
};

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // After every step; says something now and then.
  void Show(const Progress& progress);
  // Leaves the line that is written over.
  void End();

 private:
  using Clock = std::chrono::steady_clock;

  std::string TimeLeft(const Progress& progress) const;

  bool quiet_, terminal_, open_ = false;
  Clock::time_point start_ = Clock::now(), shown_ = {};
  std::size_t first_step_ = 0, next_share_ = 0;
  bool begun_ = false;
};

// Of many runs: how many are done, which are on their way.
class RunsLine {
 public:
  RunsLine(bool quiet, std::size_t done, std::size_t total);
  ~RunsLine();
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;

  void Begin(const std::string& run);
  // `how` is a few words about its end.
  void End(const std::string& run, const std::string& how);

 private:
  void Show(const std::string& plain);

  bool quiet_, terminal_;
  std::size_t done_, total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::string> running_ = {};
};

}  // namespace gpode::tool
