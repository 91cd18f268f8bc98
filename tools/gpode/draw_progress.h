// Shows the progress of commands that work draw by draw, and lets Ctrl-C end them early.
//
// While an object of this class exists, Ctrl-C makes the callback return false, so that the work
// ends with the draws that are finished.
//
//   DrawProgress progress(quiet, "draws analysed");
//   options.report = progress.Callback();
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "progress.h"

namespace gpode::tool {

class DrawProgress {
 public:
  DrawProgress(bool quiet, std::string what);
  ~DrawProgress();
  DrawProgress(const DrawProgress&) = delete;
  DrawProgress& operator=(const DrawProgress&) = delete;

  // Returns a function that shows the progress, and returns false after Ctrl-C. Calls to it must
  // not overlap.
  std::function<bool(std::size_t done, std::size_t total)> Callback();

 private:
  void Show(std::size_t done, std::size_t total);

  using Clock = std::chrono::steady_clock;
  Interruption interruption_;
  bool quiet_, terminal_, open_ = false;
  std::string what_;
  Clock::time_point shown_ = {};
  std::size_t next_share_ = 1;
};

}  // namespace gpode::tool
