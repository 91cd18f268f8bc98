// Progress of training runs, printed on standard error: one line that is overwritten if that is a
// terminal, otherwise a few plain lines. Interruption handles Ctrl-C.
//
// Thread safety: any thread may call Interruption::Requested and make a Delay at any time. Calls of
// other functions must not overlap.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gpode/training.h"

namespace gpode::tool {

// While an object of this class exists, SIGINT, SIGTERM and SIGHUP set a flag instead of ending the
// process; a second signal ends it. Signals that the process ignored before, as under nohup, are
// still ignored. If the object still exists a second after the signal, because the work between two
// looks at the flag takes long, another thread calls `rescue` and ends the process.
class Interruption {
 public:
  explicit Interruption(std::function<void()> rescue = {});
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool Requested();

  // While an object of this class exists, no other thread calls `rescue`.
  class Delay {
   public:
    Delay();
    ~Delay();
    Delay(const Delay&) = delete;
    Delay& operator=(const Delay&) = delete;
  };

 private:
  void Watch();

  std::function<void()> rescue_;
  std::thread watcher_;
};

class ProgressLine {
 public:
  // Lines begin with `what`, if it is not empty.
  explicit ProgressLine(bool quiet, std::string what = {});
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
  std::string what_;
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
