#include "analyse/turns.h"

#include <algorithm>
#include <numeric>

#include "analyse/orbit.h"
#include "gpode/limit_cycles.h"

namespace gpode {
namespace {

constexpr double kSamplesPerUnit = 20, kTolerance = 1e-6, kFirstUnits = 20;
constexpr std::size_t kSustained = 6;
constexpr double kKeptShare = 0.5;
constexpr double kLeastTurn = 0.01;  // the least size of a turn, in half widths

// Returns the state with the largest range, in half widths, over the samples (n, D).
Eigen::Index LargestMotion(const Matrix& states, const Vector& half) {
  Eigen::Index largest = 0;
  const Vector ranges =
      (states.colwise().maxCoeff() - states.colwise().minCoeff()).transpose().cwiseQuotient(half);
  ranges.maxCoeff(&largest);
  return largest;
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Returns where the values rise through their median, as fractional sample numbers.
std::vector<double> FindRises(const std::vector<double>& values) {
  const double level = MedianOf(values);
  std::vector<double> rises;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double a = values[i] - level, b = values[i + 1] - level;
    if (a < 0 && b >= 0) rises.push_back(static_cast<double>(i) + a / (a - b));
  }
  return rises;
}

// Sets the turns of a solution from its samples.
void MeasureTurns(const Matrix& states, const Vector& half, double step, Turns* turns) {
  const Eigen::Index moving = LargestMotion(states, half);
  const auto column = states.col(moving);
  const std::vector<double> values(column.begin(), column.end());
  const std::vector<double> rises = FindRises(values);
  turns->periods.clear();
  turns->sizes.clear();
  for (std::size_t k = 0; k + 1 < rises.size(); ++k) {
    const auto from = static_cast<Eigen::Index>(rises[k]),
               count = static_cast<Eigen::Index>(rises[k + 1]) - from + 1;
    const auto turn = states.middleRows(from, count);
    const Vector range = (turn.colwise().maxCoeff() - turn.colwise().minCoeff()).transpose();
    if (range[moving] < kLeastTurn * half[moving]) continue;
    turns->periods.push_back((rises[k + 1] - rises[k]) * step);
    turns->sizes.push_back(range[moving]);
    turns->amplitudes = 0.5 * range;
  }
}

}  // namespace

bool Turns::IsSustained() const {
  return !left && sizes.size() >= kSustained && sizes[kSustained - 1] >= kKeptShare * sizes[0];
}

double Turns::Period() const {
  const auto count = std::min<std::ptrdiff_t>(3, std::ssize(periods));
  if (count == 0) return 0;
  return std::accumulate(periods.end() - count, periods.end(), 0.0) / static_cast<double>(count);
}

Turns CountTurns(const Field& field, const StateBox& box, const Vector& start, std::size_t most,
                 double longest) {
  Orbit orbit(field, box, start, TimeScale(field, box) / kSamplesPerUnit, kTolerance);
  Turns turns;
  for (double units = kFirstUnits; units <= longest; units *= 2) {
    const auto wanted = static_cast<std::size_t>(units * kSamplesPerUnit);
    turns.left = !orbit.Extend(wanted - (orbit.size() - 1));
    if (orbit.size() < 3) break;
    MeasureTurns(orbit.States(), box.HalfWidths(), orbit.step(), &turns);
    if (turns.left || turns.sizes.size() >= most) break;
  }
  return turns;
}

}  // namespace gpode
