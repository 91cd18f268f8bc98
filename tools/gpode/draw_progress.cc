#include "draw_progress.h"

#include <utility>

#include "output.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kPlainLines = 4;  // progress lines if standard error is not a terminal

}  // namespace

DrawProgress::DrawProgress(bool quiet, std::string what)
    : quiet_(quiet), terminal_(ErrorIsTerminal()), what_(std::move(what)) {}

DrawProgress::~DrawProgress() {
  if (open_) PrintToError("\r\033[K");
}

std::function<bool(std::size_t, std::size_t)> DrawProgress::Callback() {
  return [this](std::size_t done, std::size_t total) {
    Show(done, total);
    return !Interruption::Requested();
  };
}

void DrawProgress::Show(std::size_t done, std::size_t total) {
  if (quiet_ || total == 0) return;
  const Clock::time_point now = Clock::now();
  const bool due = terminal_ ? now - shown_ > std::chrono::milliseconds(100)
                             : done * kPlainLines >= next_share_ * total;
  if (!due) return;
  shown_ = now;
  next_share_ = done * kPlainLines / total + 1;
  PrintToError("{}  {} of {} {}{}", terminal_ ? "\r\033[K" : "", done, total, what_,
               terminal_ ? "" : "\n");
  open_ = terminal_;
}

}  // namespace gpode::tool
