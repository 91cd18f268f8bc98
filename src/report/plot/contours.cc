#include "report/plot/contours.h"

#include <array>

namespace gpode::report {
namespace {

using Corner = Eigen::Vector2d;

}  // namespace

GridValues EvaluateOnGrid(const StateBox& box,
                          const std::function<Matrix(const Matrix& points)>& functions,
                          Eigen::Index side) {
  Matrix points(side * side, 2);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double a = static_cast<double>(i / side) / static_cast<double>(side - 1),
                 b = static_cast<double>(i % side) / static_cast<double>(side - 1);
    points.row(i) << box.lower[0] + a * (box.upper[0] - box.lower[0]),
        box.lower[1] + b * (box.upper[1] - box.lower[1]);
  }
  return {box, side, functions(points)};
}

std::vector<Matrix> ZeroContours(const GridValues& grid, Eigen::Index function) {
  std::vector<Matrix> lines;
  const Vector cell = (grid.box.upper - grid.box.lower) / static_cast<double>(grid.side - 1);
  const auto corner = [&](Eigen::Index i, Eigen::Index j) -> Corner {
    return {grid.box.lower[0] + static_cast<double>(i) * cell[0],
            grid.box.lower[1] + static_cast<double>(j) * cell[1]};
  };
  for (Eigen::Index i = 0; i + 1 < grid.side; ++i) {
    for (Eigen::Index j = 0; j + 1 < grid.side; ++j) {
      const std::array<Corner, 5> at = {corner(i, j), corner(i + 1, j), corner(i + 1, j + 1),
                                        corner(i, j + 1), corner(i, j)};
      const auto value = [&](Eigen::Index a, Eigen::Index b) {
        return grid.values(a * grid.side + b, function);
      };
      const std::array<double, 5> v = {value(i, j), value(i + 1, j), value(i + 1, j + 1),
                                       value(i, j + 1), value(i, j)};
      std::vector<Corner> crossings;
      for (std::size_t k = 0; k < 4; ++k) {
        if ((v[k] < 0) == (v[k + 1] < 0)) continue;
        const double share = v[k] / (v[k] - v[k + 1]);
        crossings.push_back((1 - share) * at[k] + share * at[k + 1]);
      }
      for (std::size_t k = 0; k + 1 < crossings.size(); k += 2) {
        Matrix line(2, 2);
        line << crossings[k].transpose(), crossings[k + 1].transpose();
        lines.push_back(line);
      }
    }
  }
  return lines;
}

}  // namespace gpode::report
