#include "progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "output.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kPlainLines = 10;  // lines per run, if standard error is not a terminal
constexpr std::size_t kRunsShown = 2;    // running runs that a line names; more would make it wrap

// A signal handler sets this flag and any thread reads it, so that it must be an atomic without
// locks.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void Remember(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // the next signal ends the process
}

}  // namespace

Interruption::Interruption() {
  interrupted = false;
  std::signal(SIGINT, Remember);
  std::signal(SIGTERM, Remember);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::Requested() { return interrupted; }

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(ErrorIsTerminal()) {}

ProgressLine::~ProgressLine() { End(); }

std::string ProgressLine::TimeLeft(const Progress& progress) const {
  const std::chrono::duration<double> passed = Clock::now() - start_;
  const auto done = static_cast<double>(progress.step - first_step_ + 1);
  const auto left = static_cast<double>(progress.steps - progress.step);
  return report::Duration(std::round(passed.count() / done * left));
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
  // A sampler reports neither a bound nor noise, because each of its chains has its own.
  const std::string trained = progress.noise > 0 ? fmt::format("   bound {:.2f}   noise {:.4g}",
                                                               progress.bound, progress.noise)
                                                 : std::string();
  const std::string line = fmt::format("step {} of {}{}   {} left", progress.step, progress.steps,
                                       trained, TimeLeft(progress));
  fmt::print(stderr, "{}  {}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void ProgressLine::End() {
  if (open_) fmt::print(stderr, "\r\033[K");
  open_ = false;
}

RunsLine::RunsLine(bool quiet, std::size_t done, std::size_t total)
    : quiet_(quiet), terminal_(ErrorIsTerminal()), done_(done), total_(total) {}

RunsLine::~RunsLine() {
  if (!quiet_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void RunsLine::Begin(const std::string& run) {
  running_.push_back(run);
  if (terminal_) Show("");
}

void RunsLine::End(const std::string& run, const std::string& how) {
  std::erase(running_, run);
  ++done_;
  Show(fmt::format("{}: {}", run, how));
}

void RunsLine::Show(const std::string& plain) {
  if (quiet_) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const std::string head =
      fmt::format("{} of {} runs done, {}", done_, total_, report::Duration(passed.count()));
  if (terminal_) {
    const std::size_t shown = std::min(running_.size(), kRunsShown), more = running_.size() - shown;
    fmt::print(
        stderr, "\r\033[K  {}; now {}{}", head,
        fmt::join(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        more > 0 ? fmt::format(" and {} more", more) : "");
  } else {
    fmt::print(stderr, "  {}; {}\n", head, plain);
  }
  std::fflush(stderr);
}

}  // namespace gpode::tool
