// How a training run goes on: one line that is written over in a terminal, plain lines elsewhere;
// and Ctrl-C, which ends it.
//
// Thread safety: one run at a time, from the thread that trains.
#pragma once

#include <chrono>
#include <string>

#include "gpode/model.h"

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

}  // namespace gpode::tool
