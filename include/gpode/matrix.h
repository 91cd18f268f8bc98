// The matrices of the library are Eigen's and always row-major. A row is a point, a state of a
// trajectory or an output dimension.
//
//   Matrix states{{1.0, 0.0}, {0.9, -0.4}};  // two states of two dimensions
//   Vector first = states.row(0);
#pragma once

#include <Eigen/Core>

namespace gpode {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

}  // namespace gpode
