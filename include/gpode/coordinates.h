// The coordinates of a model: the only place that knows scales, offsets and units.
//
// A model computes with states z, time s and inputs w that are of about unit size. States x, time t
// and inputs u in the user's units follow from them:
//
//   x = state_scale z + state_offset,  u = input_scale w + input_offset,  t = start + time_scale s
//   dx/dt = state_scale (dz/ds) / time_scale
//
// where `start` is the start time of a trajectory.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   Matrix z = coordinates.ToModel(x);
//   Matrix slopes = coordinates.SlopesToUser(field_values);
#pragma once

#include <span>

#include "gpode/matrix.h"

namespace gpode {

struct Coordinates {
  Vector state_scale = {}, state_offset = {};  // (D)
  double time_scale = 1;                       // the user's time per unit of the model's time
  Vector input_scale = {}, input_offset = {};  // (U)

  std::size_t dim() const { return static_cast<std::size_t>(state_scale.size()); }
  std::size_t inputs() const { return static_cast<std::size_t>(input_scale.size()); }

  // These convert rows of states (n, D) between the user's and the model's coordinates. Differences
  // of states are only scaled, since the offset cancels.
  Matrix ToModel(const Matrix& states) const;
  Matrix ToUser(const Matrix& states) const;
  Matrix DifferencesToModel(const Matrix& differences) const;
  // Converts n states, stored one after the other, to the model's coordinates. Allocates no memory.
  void ToModel(std::span<const double> states, std::span<double> result) const;

  // These convert rows of slopes (n, D), or of variances of slopes, between the model's and the
  // user's units.
  Matrix SlopesToUser(const Matrix& slopes) const;
  Matrix SlopesToModel(const Matrix& slopes) const;
  Matrix SlopeVariancesToUser(const Matrix& variances) const;
  // Returns the size, in the user's units, of a slope of state d that is one in the model's units.
  double SlopeUnit(std::size_t d) const;
  // Converts n Jacobians (D, D) of the field to the user's units, in place.
  void JacobiansToUser(std::span<double> jacobians) const;

  // Converts lengths along the states (rows, D), such as lengthscales, to the user's units.
  Matrix LengthsToUser(const Matrix& lengths) const;

  double TimeToModel(double time, double start) const { return (time - start) / time_scale; }
  double TimeToUser(double time, double start) const { return start + time_scale * time; }

  Matrix InputsToModel(const Matrix& inputs) const;
  Matrix InputsToUser(const Matrix& inputs) const;

  // Returns coordinates with scales of one and offsets of zero.
  static Coordinates Identity(std::size_t dim, std::size_t inputs = 0);
};

}  // namespace gpode
