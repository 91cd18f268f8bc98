// The time that training took.
//
// Thread safety: plain values and functions.
#pragma once

#include <string>
#include <vector>

#include "gpode/training.h"

namespace gpode::report {

// The wall-clock times of a training run, which may consist of several sessions.
struct Timing {
  std::vector<double> steps, seconds;     // of equal size; steps increase, seconds never decrease
  std::vector<double> sessions, threads;  // one value per session
  std::vector<std::string> cpu;           // one name per session

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
