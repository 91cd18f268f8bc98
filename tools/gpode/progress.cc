#include "progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <utility>

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

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// The thread that watches an Interruption sleeps until it can read from this pipe.
std::array<int, 2> wake_pipe = {-1, -1};
enum class Waker { kSignal, kEnd, kNone };

void Remember(int signal) {
  const int error = errno;
  interrupted = true;
  std::signal(signal, SIG_DFL);  // the next signal ends the process
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], &byte, 1);
  errno = error;
}

// Waits until a signal has come or the other end of the pipe is closed, but at most for the given
// number of milliseconds (without limit if it is negative). Returns which of the two happened, or
// kNone if neither did.
Waker WaitForWaker(int milliseconds) {
  pollfd waiting{.fd = wake_pipe[0], .events = POLLIN, .revents = 0};
  char byte = 0;
  while (poll(&waiting, 1, milliseconds) < 0 && errno == EINTR) continue;
  if (waiting.revents == 0) return Waker::kNone;
  return read(wake_pipe[0], &byte, 1) == 1 ? Waker::kSignal : Waker::kEnd;
}

std::recursive_mutex& EndMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

Interruption::Delay::Delay() { EndMutex().lock(); }

Interruption::Delay::~Delay() { EndMutex().unlock(); }

Interruption::Interruption(std::function<void()> rescue) : rescue_(std::move(rescue)) {
  interrupted = false;
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
    try {
      watcher_ = std::thread([this] { Watch(); });
    } catch (const std::system_error&) {
      // Without another thread, the run ends when its step ends.
    }
  }
  for (int signal : kSignals) {
    if (std::signal(signal, Remember) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  // A reader of the progress that goes away must not end the run.
  std::signal(SIGPIPE, SIG_IGN);
}

Interruption::~Interruption() {
  for (int signal : kSignals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  std::signal(SIGPIPE, SIG_DFL);
  if (wake_pipe[1] >= 0) close(std::exchange(wake_pipe[1], -1));
  if (watcher_.joinable()) watcher_.join();
  if (wake_pipe[0] >= 0) close(std::exchange(wake_pipe[0], -1));
}

bool Interruption::Requested() { return interrupted; }

void Interruption::Watch() {
  constexpr int kGrace = 1000;  // milliseconds
  constexpr int kInterruptedCode = 130;
  if (WaitForWaker(-1) != Waker::kSignal) return;
  if (WaitForWaker(kGrace) == Waker::kEnd) return;
  const Delay delay;  // stays in force until the process has ended
  try {
    if (rescue_) rescue_();
  } catch (const std::exception& error) {
    PrintRemark(fmt::format("gpode: {}", error.what()));
  }
  std::_Exit(kInterruptedCode);
}

ProgressLine::ProgressLine(bool quiet, std::string what)
    : quiet_(quiet),
      terminal_(ErrorIsTerminal()),
      what_(what.empty() ? "" : std::move(what) + ": ") {}

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
  const std::string line = fmt::format("{}step {} of {}{}   {} left", what_, progress.step,
                                       progress.steps, trained, TimeLeft(progress));
  PrintToError("{}  {}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  open_ = terminal_;
}

void ProgressLine::End() {
  if (open_) PrintToError("\r\033[K");
  open_ = false;
}

RunsLine::RunsLine(bool quiet, std::size_t done, std::size_t total)
    : quiet_(quiet), terminal_(ErrorIsTerminal()), done_(done), total_(total) {}

RunsLine::~RunsLine() {
  if (!quiet_ && terminal_) PrintToError("\r\033[K");
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
    PrintToError(
        "\r\033[K  {}; now {}{}", head,
        fmt::join(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        more > 0 ? fmt::format(" and {} more", more) : "");
  } else {
    PrintToError("  {}; {}\n", head, plain);
  }
}

}  // namespace gpode::tool
