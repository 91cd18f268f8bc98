#include "analyse/basins.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "analyse/evaluator.h"
#include "analyse/orbit.h"
#include "gpode/held_field.h"

namespace gpode {
namespace {

using Point = Eigen::Vector2d;

constexpr Eigen::Index kGrid = 96;  // cells of the interpolation along each axis
constexpr double kMargin = 1.5;     // size of the interpolated region relative to the box
constexpr double kNear = 1.2;       // distance in cells at which an attractor is reached
constexpr double kStride = 0.5;     // length of a step in cells
constexpr std::size_t kMostSteps = 6000;
constexpr double kSlowest = 1e-3;  // least speed that sets the step, over the median speed

// The values of a field on a grid, and their interpolation. Coordinates are in cells, from the
// grid's lower corner.
class GridField {
 public:
  GridField(const Field& field, const StateBox& box) : region_(box.Enlarged(kMargin)) {
    cell_ = (region_.upper - region_.lower) / static_cast<double>(kGrid);
    Matrix states((kGrid + 1) * (kGrid + 1), 2);
    for (Eigen::Index i = 0; i < states.rows(); ++i) {
      states(i, 0) = region_.lower[0] + static_cast<double>(i / (kGrid + 1)) * cell_[0];
      states(i, 1) = region_.lower[1] + static_cast<double>(i % (kGrid + 1)) * cell_[1];
    }
    values_ = Evaluator(field).At(states);
    values_.col(0) /= cell_[0];
    values_.col(1) /= cell_[1];
    Vector speeds = values_.rowwise().norm();
    std::nth_element(speeds.begin(), speeds.begin() + speeds.size() / 2, speeds.end());
    usual_speed_ = speeds[speeds.size() / 2];
  }

  Point ToCells(const Vector& state) const {
    return (state - region_.lower).cwiseQuotient(cell_).head<2>();
  }
  static bool Contains(const Point& at) {
    return at[0] >= 0 && at[1] >= 0 && at[0] < kGrid && at[1] < kGrid;
  }
  double usual_speed() const { return usual_speed_; }

  Point At(const Point& at) const {
    const auto i = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(at[0]), 0, kGrid - 1),
               j = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(at[1]), 0, kGrid - 1);
    const double a = at[0] - static_cast<double>(i), b = at[1] - static_cast<double>(j);
    const Eigen::Index row = i * (kGrid + 1) + j;
    return (1 - a) * ((1 - b) * values_.row(row) + b * values_.row(row + 1)).transpose() +
           a * ((1 - b) * values_.row(row + kGrid + 1) + b * values_.row(row + kGrid + 2))
                   .transpose();
  }

  // Returns the point after a step of the classical Runge-Kutta method, about kStride cells long.
  Point Advance(const Point& at) const {
    const Point k1 = At(at);
    const double h = kStride / std::max(k1.norm(), kSlowest * usual_speed_);
    const Point k2 = At(at + 0.5 * h * k1), k3 = At(at + 0.5 * h * k2), k4 = At(at + h * k3);
    return at + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

 private:
  StateBox region_;
  Vector cell_;
  Matrix values_;
  double usual_speed_ = 0;
};

// A map from each half cell of the grid to the attractor near it.
class AttractorMap {
 public:
  AttractorMap(const GridField& grid, std::span<const FixedPoint> points,
               std::span<const LimitCycle> cycles)
      : labels_(kSide * kSide, kUndecided) {
    for (std::size_t k = 0; k < cycles.size(); ++k) {
      if (!cycles[k].stable) continue;
      const Matrix& states = cycles[k].states;
      for (Eigen::Index i = 0; i + 1 < states.rows(); ++i) {
        MarkLine(grid.ToCells(states.row(i).transpose()),
                 grid.ToCells(states.row(i + 1).transpose()),
                 static_cast<std::uint8_t>(points.size() + k));
      }
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (points[k].stable) Mark(grid.ToCells(points[k].state), static_cast<std::uint8_t>(k));
    }
  }

  std::uint8_t At(const Point& at) const {
    return labels_[static_cast<std::size_t>(2 * at[0]) * kSide +
                   static_cast<std::size_t>(2 * at[1])];
  }

 private:
  static constexpr std::size_t kSide = 2 * kGrid;

  void MarkLine(const Point& a, const Point& b, std::uint8_t label) {
    const int pieces = 1 + static_cast<int>(4 * (b - a).norm());
    for (int i = 0; i <= pieces; ++i) {
      Mark(a + static_cast<double>(i) / pieces * (b - a), label);
    }
  }

  void Mark(const Point& at, std::uint8_t label) {
    constexpr int kReach = 3;
    const auto i = static_cast<std::ptrdiff_t>(2 * at[0]),
               j = static_cast<std::ptrdiff_t>(2 * at[1]);
    for (std::ptrdiff_t a = i - kReach; a <= i + kReach; ++a) {
      for (std::ptrdiff_t b = j - kReach; b <= j + kReach; ++b) {
        if (a < 0 || b < 0 || a >= std::ptrdiff_t{kSide} || b >= std::ptrdiff_t{kSide}) continue;
        const Point centre{0.5 * (static_cast<double>(a) + 0.5),
                           0.5 * (static_cast<double>(b) + 0.5)};
        if ((centre - at).norm() > kNear) continue;
        labels_[static_cast<std::size_t>(a) * kSide + static_cast<std::size_t>(b)] = label;
      }
    }
  }

  std::vector<std::uint8_t> labels_;
};

std::uint8_t EndOf(const GridField& grid, const AttractorMap& map, Point at) {
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    if (!GridField::Contains(at)) return kLeavesBox;
    if (const std::uint8_t label = map.At(at); label != kUndecided) return label;
    at = grid.Advance(at);
  }
  return kUndecided;
}

}  // namespace

std::vector<std::uint8_t> FindBasins(const Field& field, const StateBox& box,
                                     std::span<const FixedPoint> points,
                                     std::span<const LimitCycle> cycles, std::size_t cells) {
  const GridField grid(field, box);
  const AttractorMap map(grid, points, cycles);
  std::vector<std::uint8_t> ends;
  ends.reserve(cells * cells);
  for (std::size_t i = 0; i < cells * cells; ++i) {
    const Vector share{{(static_cast<double>(i / cells) + 0.5) / static_cast<double>(cells),
                        (static_cast<double>(i % cells) + 0.5) / static_cast<double>(cells)}};
    ends.push_back(
        EndOf(grid, map, grid.ToCells(box.lower + share.cwiseProduct(box.upper - box.lower))));
  }
  return ends;
}

std::vector<Matrix> FindSeparatrices(const Field& field, const StateBox& box,
                                     std::span<const FixedPoint> points) {
  constexpr double kOffset = 1e-3, kUnits = 30, kSamplesPerUnit = 20;
  std::vector<Matrix> lines;
  const HeldField backwards(field, {}, -1);
  const double step = TimeScale(field, box) / kSamplesPerUnit;
  for (const FixedPoint& point : points) {
    if (point.type != FixedPointType::kSaddle || point.state.size() != 2) continue;
    const Eigen::EigenSolver<Matrix> solver(point.jacobian);
    const int stable = solver.eigenvalues()[0].real() < solver.eigenvalues()[1].real() ? 0 : 1;
    Vector direction = solver.eigenvectors().col(stable).real();
    direction /= direction.cwiseQuotient(box.HalfWidths()).norm();
    for (const double side : {kOffset, -kOffset}) {
      Orbit orbit(backwards, box, point.state + side * direction, step, 1e-7);
      orbit.Extend(static_cast<std::size_t>(kUnits * kSamplesPerUnit));
      lines.push_back(orbit.States());
    }
  }
  return lines;
}

}  // namespace gpode
