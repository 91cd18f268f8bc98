// The time that training took.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <string>
#include <vector>

#include "gpode/training.h"

namespace gpode::report {

// The wall-clock times of a training run. It consists of several sessions if it was resumed.
struct Timing {
  std::vector<double> steps, seconds;     // some steps, and the seconds of training until each
  std::vector<double> sessions, threads;  // duration in seconds and number of threads, by session
  std::vector<std::string> cpu;           // name of the processor of each session

  double total() const { return seconds.empty() ? 0 : seconds.back(); }
};

// Returns the seconds at each step of a history, interpolated linearly. Returns nothing if the
// recorded steps do not cover the history.
std::vector<double> SecondsAt(const Timing& timing, const std::vector<Progress>& history);

// Returns the average speed over all sessions: "1350 steps per second".
std::string Speed(const Timing& timing);

// Returns "8.5 s", "3 min 20 s" or "2 h 05 min".
std::string Duration(double seconds);

}  // namespace gpode::report
