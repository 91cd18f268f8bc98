#include "gpode/fixed_points.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "analyse/newton.h"
#include "analyse/winding.h"
#include "gpode/error.h"

namespace gpode {
namespace {

constexpr double kSamePoint = 1e-6;  // distance of equal points, in half widths
constexpr int kMostDivisions = 8;    // how often a cell is divided to find a missing fixed point
constexpr std::size_t kMoreStarts = 4;
// The grid reaches a little beyond the box, by different amounts on each side, so that fixed points
// at round places do not lie on its lines.
constexpr double kBelow = 0.0137, kAbove = 0.0091;

// The search for all fixed points of a field in a box.
class Search {
 public:
  Search(const Field& field, const StateBox& box, const FixedPointOptions& options)
      : evaluate_(field), box_(box), options_(options) {
    const Vector widths = box.upper - box.lower;
    grid_ = {box.lower - kBelow * widths, box.upper + kAbove * widths};
  }

  FixedPointSearch Run() {
    for (const auto& guess : options_.guesses.rowwise()) Try(guess.transpose(), false);
    FixedPointSearch result;
    switch (evaluate_.dim()) {
      case 1:
        result.checked = SearchLine();
        break;
      case 2:
        result.checked = SearchPlane();
        break;
      default:
        result.checked = SearchSpace();
    }
    for (const FixedPoint& point : found_) {
      if (box_.Contains(point.state)) result.points.push_back(point);
    }
    std::ranges::sort(result.points, [](const FixedPoint& a, const FixedPoint& b) {
      return std::ranges::lexicographical_compare(a.state, b.state);
    });
    return result;
  }

 private:
  // Adds the root that Newton's method finds from `start`, unless it is known.
  void Try(const Vector& start, bool deflate) {
    const std::span<const FixedPoint> known(found_);
    const std::optional<Vector> root =
        FindRoot(evaluate_, grid_, start, known.first(deflate ? known.size() : 0));
    if (!root || !grid_.Contains(*root)) return;
    for (const FixedPoint& point : found_) {
      if (BoxDistance(box_, point.state, *root) < kSamePoint) return;
    }
    found_.push_back(ClassifyFixedPoint(evaluate_.field(), *root, options_.centre));
  }

  int IndexSum(const StateBox& cell) const {
    int sum = 0;
    for (const FixedPoint& point : found_) sum += cell.Contains(point.state) ? point.index : 0;
    return sum;
  }

  // Searches between neighbouring points of a one-dimensional grid. Returns true if the signs of
  // the field there agree with the points that were found.
  bool SearchLine() {
    const auto cells = static_cast<Eigen::Index>(8 * options_.cells);
    Matrix states(cells + 1, 1);
    for (Eigen::Index i = 0; i <= cells; ++i) states(i, 0) = Place(0, i, cells);
    const Matrix f = evaluate_.At(states);
    bool checked = true;
    for (Eigen::Index i = 0; i < cells; ++i) {
      const double a = f(i, 0), b = f(i + 1, 0);
      const bool turns = i > 0 && std::abs(a) < std::abs(f(i - 1, 0)) && std::abs(a) < std::abs(b);
      const bool crosses = (a < 0) != (b < 0);
      if (crosses) Try(Vector::Constant(1, Bisect(states(i, 0), states(i + 1, 0))), false);
      if (turns) Try(states.row(i).transpose(), false);
      const StateBox cell{states.row(i).transpose(), states.row(i + 1).transpose()};
      checked = checked && IndexSum(cell) == (b > 0) - (a > 0);
    }
    return checked;
  }

  double Bisect(double low, double high) {
    const bool below = evaluate_.At(Vector::Constant(1, low).eval())[0] < 0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      ((evaluate_.At(Vector::Constant(1, middle).eval())[0] < 0) == below ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // Returns coordinate d of grid line i.
  double Place(Eigen::Index d, Eigen::Index i, Eigen::Index cells) const {
    const double share = static_cast<double>(i) / static_cast<double>(cells);
    return grid_.lower[d] + share * (grid_.upper[d] - grid_.lower[d]);
  }

  // Searches the cells of a grid, then compares winding numbers with indices.
  bool SearchPlane() {
    const auto cells = static_cast<Eigen::Index>(options_.cells), side = cells + 1;
    Matrix states(side * side, 2);
    for (Eigen::Index i = 0; i < states.rows(); ++i) {
      states.row(i) << Place(0, i / side, cells), Place(1, i % side, cells);
    }
    const Matrix f = evaluate_.At(states);
    for (Eigen::Index i = 0; i < cells; ++i) {
      for (Eigen::Index j = 0; j < cells; ++j) {
        if (!MayVanish(f, side, i, j)) continue;
        Try(0.5 * (states.row(i * side + j) + states.row((i + 1) * side + j + 1)).transpose(),
            false);
      }
    }
    const Matrix right = Turns(states, f, side, side), up = Turns(states, f, 1, side);
    bool checked = true;
    for (Eigen::Index i = 0; i < cells; ++i) {
      for (Eigen::Index j = 0; j < cells; ++j) {
        const double turned = right(i, j) + up(i + 1, j) - right(i, j + 1) - up(i, j);
        const StateBox cell{states.row(i * side + j).transpose(),
                            states.row((i + 1) * side + j + 1).transpose()};
        checked = CheckCell(cell, turned, kMostDivisions) && checked;
      }
    }
    return checked;
  }

  // Tells whether both components of the field change sign among the corners of a cell and of its
  // neighbours.
  static bool MayVanish(const Matrix& f, Eigen::Index side, Eigen::Index i, Eigen::Index j) {
    for (Eigen::Index d = 0; d < 2; ++d) {
      bool negative = false, positive = false;
      for (Eigen::Index a = std::max<Eigen::Index>(i - 1, 0); a <= std::min(i + 2, side - 1); ++a) {
        for (Eigen::Index b = std::max<Eigen::Index>(j - 1, 0); b <= std::min(j + 2, side - 1);
             ++b) {
          negative = negative || f(a * side + b, d) <= 0;
          positive = positive || f(a * side + b, d) >= 0;
        }
      }
      if (!negative || !positive) return false;
    }
    return true;
  }

  // Returns the angle by which the field turns between each point of the grid and the point that is
  // `step` rows further, NaN where the field vanishes or the line leaves the grid.
  Matrix Turns(const Matrix& states, const Matrix& f, Eigen::Index step, Eigen::Index side) {
    Matrix turns = Matrix::Constant(side, side, NAN);
    for (Eigen::Index i = 0; i < side; ++i) {
      for (Eigen::Index j = 0; j < side; ++j) {
        if ((step == 1 ? j : i) == side - 1) continue;
        const Eigen::Index a = i * side + j, b = a + step;
        turns(i, j) = TurnBetween(evaluate_, states.row(a).transpose(), states.row(b).transpose(),
                                  f.row(a).transpose(), f.row(b).transpose())
                          .value_or(NAN);
      }
    }
    return turns;
  }

  // Compares the winding number of a cell with the indices of its fixed points, and searches its
  // parts if they differ. `turned` is the angle by which the field turns around the cell.
  bool CheckCell(const StateBox& cell, double turned, int divisions) {
    const auto agrees = [&] {
      return std::isfinite(turned) &&
             IndexSum(cell) == std::lround(turned / (2 * std::numbers::pi));
    };
    if (agrees()) return true;
    const Vector centre = cell.Centre();
    Try(centre, false);
    Try(centre, true);
    if (agrees()) return true;
    if (divisions == 0) return false;
    bool checked = true;
    for (int part = 0; part < 4; ++part) {
      StateBox child = cell;
      (part % 2 == 0 ? child.upper : child.lower)[0] = centre[0];
      (part / 2 == 0 ? child.upper : child.lower)[1] = centre[1];
      const std::optional<int> winding = WindingNumber(evaluate_, child);
      checked = CheckCell(child, winding ? 2 * std::numbers::pi * *winding : NAN, divisions - 1) &&
                checked;
    }
    return checked;
  }

  // Starts Newton's method from quasi-random points. In three dimensions, starts from more of them
  // if the degree tells that a fixed point is missing.
  bool SearchSpace() {
    const Matrix starts = HaltonPoints(grid_, kMoreStarts * options_.starts);
    const auto first = static_cast<Eigen::Index>(options_.starts);
    for (Eigen::Index i = 0; i < first; ++i) Try(starts.row(i).transpose(), i % 2 == 1);
    if (evaluate_.dim() != 3) return false;
    const std::optional<int> degree = BoundaryDegree(evaluate_, grid_);
    for (Eigen::Index i = first; i < starts.rows(); ++i) {
      if (!degree || IndexSum(grid_) == *degree) break;
      Try(starts.row(i).transpose(), true);
    }
    return degree && IndexSum(grid_) == *degree;
  }

  Evaluator evaluate_;
  StateBox box_, grid_;
  const FixedPointOptions& options_;
  std::vector<FixedPoint> found_;
};

FixedPointType TypeOf(const Eigen::VectorXcd& eigenvalues, double centre) {
  if (eigenvalues.size() == 1) return FixedPointType::kNode;
  const std::complex<double> leading = eigenvalues[0];
  const bool is_complex = leading.imag() != 0;
  if (is_complex && std::abs(leading.real()) <= centre * std::abs(leading.imag())) {
    return FixedPointType::kCentre;
  }
  const bool positive = eigenvalues.real().maxCoeff() > 0,
             negative = eigenvalues.real().minCoeff() < 0;
  if (positive && negative) return FixedPointType::kSaddle;
  return is_complex ? FixedPointType::kSpiral : FixedPointType::kNode;
}

}  // namespace

bool StateBox::Contains(const Vector& state) const {
  return (state.array() >= lower.array()).all() && (state.array() < upper.array()).all();
}

StateBox StateBox::Enlarged(double factor) const {
  return {Centre() - factor * HalfWidths(), Centre() + factor * HalfWidths()};
}

void CheckBox(std::string_view where, const StateBox& box, std::size_t dim) {
  CheckSize(where, "the box", static_cast<std::size_t>(box.lower.size()), dim);
  CheckSize(where, "the box", static_cast<std::size_t>(box.upper.size()), dim);
  for (Eigen::Index d = 0; d < box.lower.size(); ++d) {
    if (std::isfinite(box.lower[d]) && std::isfinite(box.upper[d]) && box.lower[d] < box.upper[d]) {
      continue;
    }
    ThrowInput(where, "the box",
               fmt::format("goes from {} to {} along state {}, must go from a finite number to a "
                           "larger one",
                           box.lower[d], box.upper[d], d + 1));
  }
}

Matrix GridPoints(const StateBox& box, std::size_t side) {
  CheckAtLeast("GridPoints", "side", static_cast<std::ptrdiff_t>(side), 2);
  const auto dim = box.lower.size(), count = static_cast<Eigen::Index>(side);
  Eigen::Index rows = 1;
  for (Eigen::Index d = 0; d < dim; ++d) rows *= count;
  Matrix points(rows, dim);
  for (Eigen::Index i = 0; i < rows; ++i) {
    Eigen::Index rest = i;
    for (Eigen::Index d = dim - 1; d >= 0; --d, rest /= count) {
      const double share = static_cast<double>(rest % count) / static_cast<double>(count - 1);
      points(i, d) = box.lower[d] + share * (box.upper[d] - box.lower[d]);
    }
  }
  return points;
}

std::string_view Name(FixedPointType type) {
  constexpr std::string_view kNames[] = {"node", "spiral", "saddle", "centre"};
  return kNames[static_cast<std::size_t>(type)];
}

FixedPoint ClassifyFixedPoint(const Field& field, const Vector& state, double centre) {
  FixedPoint point{.state = state, .jacobian = Evaluator(field).JacobianAt(state)};
  point.eigenvalues = Eigen::EigenSolver<Matrix>(point.jacobian, false).eigenvalues();
  std::ranges::sort(point.eigenvalues, [](std::complex<double> a, std::complex<double> b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  point.type = TypeOf(point.eigenvalues, centre);
  point.stable = point.type != FixedPointType::kCentre && point.eigenvalues[0].real() < 0;
  const double determinant = point.jacobian.determinant();
  point.index = (determinant > 0) - (determinant < 0);
  return point;
}

FixedPointSearch FindFixedPoints(const Field& field, const StateBox& box,
                                 const FixedPointOptions& options) {
  constexpr char kWhere[] = "FindFixedPoints";
  CheckSize(kWhere, "the inputs of the field", field.inputs(), 0);
  CheckBox(kWhere, box, field.dim());
  CheckAtLeast(kWhere, "cells", static_cast<std::ptrdiff_t>(options.cells), 1);
  CheckSize(
      kWhere, "a row of guesses", static_cast<std::size_t>(options.guesses.cols()),
      options.guesses.size() > 0 ? field.dim() : static_cast<std::size_t>(options.guesses.cols()));
  return Search(field, box, options).Run();
}

}  // namespace gpode
