// The coordinates of a model: the only place that knows scales, offsets and units.
//
// A model lives in states z, time s and inputs w of about unit size. With the user's states x, time
// t and inputs u,
//
//   x = state_scale z + state_offset,  u = input_scale w + input_offset,  t = start + time_scale s
//   dx/dt = state_scale (dz/ds) / time_scale
//
// where `start` is the start time of a trajectory.
//
// Thread safety: plain values.
//
//   Matrix z = coordinates.ToModel(x);
//   Matrix slopes = coordinates.SlopesToUser(field_values);
#pragma once

#include <span>

#include "gpode/matrix.h"

namespace gpode {

struct Coordinates {
  Vector state_scale = {}, state_offset = {};  // (D)
  double time_scale = 1;                       // the user's time per unit of the model's
  Vector input_scale = {}, input_offset = {};  // (U)

  std::size_t dim() const { return static_cast<std::size_t>(state_scale.size()); }
  std::size_t inputs() const { return static_cast<std::size_t>(input_scale.size()); }

  // Rows of states (n, D), both ways; and without the offset, as differences of states transform.
  Matrix ToModel(const Matrix& states) const;
  Matrix ToUser(const Matrix& states) const;
  Matrix DifferencesToModel(const Matrix& differences) const;
  // The same for n states one after the other, without allocation.
  void ToModel(std::span<const double> states, std::span<double> result) const;

  // Rows of slopes (n, D) to the user's units; slopes from the user's units; variances of slopes.
  Matrix SlopesToUser(const Matrix& slopes) const;
  Matrix SlopesToModel(const Matrix& slopes) const;
  Matrix SlopeVariancesToUser(const Matrix& variances) const;
  // How many of the user's units a unit slope of state d is.
  double SlopeUnit(std::size_t d) const;
  // Jacobians (n, D, D) of the field to the user's units, in place.
  void JacobiansToUser(std::span<double> jacobians) const;

  // Lengths along the states (rows, D), such as lengthscales, to the user's units.
  Matrix LengthsToUser(const Matrix& lengths) const;

  double TimeToModel(double time, double start) const { return (time - start) / time_scale; }
  double TimeToUser(double time, double start) const { return start + time_scale * time; }

  Matrix InputsToModel(const Matrix& inputs) const;
  Matrix InputsToUser(const Matrix& inputs) const;

  // Scales of one, offsets of zero.
  static Coordinates Identity(std::size_t dim, std::size_t inputs = 0);
};

}  // namespace gpode
