#include "io/window_sample.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpode::internal {
namespace {

// Returns a random number for each index: the output function of SplitMix64 (Steele, Lea and Flood,
// 2014).
std::uint64_t KeyOf(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool HasSmallerKey(const RowWindow& a, const RowWindow& b) { return a.key < b.key; }

// Appends the rows of a window to those of the window before it.
void Join(const RowWindow& next, RowWindow* window) {
  const Eigen::Index rows = window->values.rows();
  window->number = next.number;
  window->times.insert(window->times.end(), next.times.begin(), next.times.end());
  window->values.conservativeResize(rows + next.values.rows(), window->values.cols());
  window->values.bottomRows(next.values.rows()) = next.values;
}

}  // namespace

WindowSample::WindowSample(std::size_t rows)
    : most_(std::max<std::size_t>((rows + kWindow - 1) / kWindow, 1)) {}

void WindowSample::Offer(RowWindow window) {
  window.key = KeyOf(offered_++);
  if (kept_.size() == most_) {
    if (window.key > kept_.front().key) return;
    std::pop_heap(kept_.begin(), kept_.end(), HasSmallerKey);
    kept_.pop_back();
  }
  kept_.push_back(std::move(window));
  std::push_heap(kept_.begin(), kept_.end(), HasSmallerKey);
}

std::vector<RowWindow> WindowSample::Take() && {
  std::sort(kept_.begin(), kept_.end(), [](const RowWindow& a, const RowWindow& b) {
    return std::tie(a.trajectory, a.number) < std::tie(b.trajectory, b.number);
  });
  std::vector<RowWindow> joined;
  for (RowWindow& window : kept_) {
    const bool follows = !joined.empty() && joined.back().trajectory == window.trajectory &&
                         joined.back().number + 1 == window.number;
    if (follows) {
      Join(window, &joined.back());
    } else {
      joined.push_back(std::move(window));
    }
  }
  return joined;
}

}  // namespace gpode::internal
