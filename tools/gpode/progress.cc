#include "progress.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdio>

#include "output.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kPlainLines = 10;  // of a whole run

volatile std::sig_atomic_t interrupted = 0;

void Remember(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);  // the next one ends the process
}

}  // namespace

Interruption::Interruption() {
  interrupted = 0;
  std::signal(SIGINT, Remember);
  std::signal(SIGTERM, Remember);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::Asked() { return interrupted != 0; }

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(ErrorIsTerminal()) {}

ProgressLine::~ProgressLine() { End(); }

std::string ProgressLine::TimeLeft(const Progress& progress) const {
  const std::chrono::duration<double> passed = Clock::now() - start_;
  const auto done = static_cast<double>(progress.step - first_step_ + 1);
  const auto left = static_cast<double>(progress.steps - progress.step);
  return Duration(std::round(passed.count() / done * left));
}

void ProgressLine::Show(const Progress& progress) {
  if (quiet_) return;
  if (!begun_) {
    begun_ = true;
    first_step_ = progress.step;
    next_share_ = progress.step * kPlainLines / progress.steps + 1;
  }
  const Clock::time_point now = Clock::now();
  const bool last = progress.step >= progress.steps;
  const bool due = terminal_ ? now - shown_ > std::chrono::milliseconds(100) || last
                             : progress.step * kPlainLines >= next_share_ * progress.steps;
  if (!due) return;
  shown_ = now;
  next_share_ = progress.step * kPlainLines / progress.steps + 1;
  const std::string line =
      fmt::format("step {} of {}   bound {:.2f}   noise {:.4g}   {} left", progress.step,
                  progress.steps, progress.bound, progress.noise, TimeLeft(progress));
  fmt::print(stderr, "{}  {}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void ProgressLine::End() {
  if (open_) fmt::print(stderr, "\r\033[K");
  open_ = false;
}

}  // namespace gpode::tool
