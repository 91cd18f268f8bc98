#include "gpode/coordinates.h"

namespace gpode {
namespace {

Matrix Scaled(const Matrix& rows, const Vector& scale) {
  return rows.array().rowwise() * scale.transpose().array();
}

Matrix Divided(const Matrix& rows, const Vector& scale) {
  return rows.array().rowwise() / scale.transpose().array();
}

}  // namespace

Coordinates Coordinates::Identity(std::size_t dim, std::size_t inputs) {
  const auto d = static_cast<Eigen::Index>(dim), u = static_cast<Eigen::Index>(inputs);
  return {.state_scale = Vector::Ones(d),
          .state_offset = Vector::Zero(d),
          .time_scale = 1,
          .input_scale = Vector::Ones(u),
          .input_offset = Vector::Zero(u)};
}

Matrix Coordinates::ToModel(const Matrix& states) const {
  return Divided(states.rowwise() - state_offset.transpose(), state_scale);
}

Matrix Coordinates::ToUser(const Matrix& states) const {
  return Scaled(states, state_scale).rowwise() + state_offset.transpose();
}

Matrix Coordinates::DifferencesToModel(const Matrix& differences) const {
  return Divided(differences, state_scale);
}

void Coordinates::ToModel(std::span<const double> states, std::span<double> result) const {
  const std::size_t d = dim();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i % d);
    result[i] = (states[i] - state_offset[k]) / state_scale[k];
  }
}

double Coordinates::SlopeUnit(std::size_t d) const {
  return state_scale[static_cast<Eigen::Index>(d)] / time_scale;
}

Matrix Coordinates::SlopesToUser(const Matrix& slopes) const {
  return Scaled(slopes, state_scale / time_scale);
}

Matrix Coordinates::SlopesToModel(const Matrix& slopes) const {
  return Divided(slopes, state_scale / time_scale);
}

Matrix Coordinates::SlopeVariancesToUser(const Matrix& variances) const {
  return Scaled(variances, (state_scale / time_scale).array().square());
}

void Coordinates::JacobiansToUser(std::span<double> jacobians) const {
  const std::size_t d = dim();
  for (std::size_t i = 0; i < jacobians.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i / d % d), col = static_cast<Eigen::Index>(i % d);
    jacobians[i] *= state_scale[row] / (state_scale[col] * time_scale);
  }
}

Matrix Coordinates::LengthsToUser(const Matrix& lengths) const {
  return Scaled(lengths, state_scale);
}

Matrix Coordinates::InputsToModel(const Matrix& inputs) const {
  return Divided(inputs.rowwise() - input_offset.transpose(), input_scale);
}

Matrix Coordinates::InputsToUser(const Matrix& inputs) const {
  return Scaled(inputs, input_scale).rowwise() + input_offset.transpose();
}

}  // namespace gpode
