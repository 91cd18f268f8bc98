// A vector field: the right-hand side f of the autonomous ODE  dx/dt = f(x),  x in R^D.
//
// Everything an ODE can follow here is a Field: a draw from a Gaussian process posterior (gp.h), a
// neural network (mlp.h), a system with known equations (systems.h). A solver (ode.h) needs the
// value; its adjoint needs the pullback, which works on what an earlier recorded evaluation kept,
// so that the backward pass evaluates no field.
//
// All functions take a batch of n points that share the field, n = x.size() / dim():
//
//   x       (n, D)               points, one after the other
//   f       (n, D)               values
//   record  (n, record_size())   what the pullback will need; opaque, owned by the caller
//
// Any batch gives the same bits as its points one by one.
//
// Thread safety: a Field does not change while it is evaluated; any number of threads may call the
// const functions, each with its own outputs.
//
//   VanDerPol field(0.5);
//   Matrix f = Evaluate(field, points);
#pragma once

#include <cstddef>
#include <span>

#include "gpode/matrix.h"

namespace gpode {

class Field {
 public:
  virtual ~Field() = default;

  virtual std::size_t dim() const = 0;
  // Length of the gradient that Pullback adds to.
  virtual std::size_t parameter_count() const = 0;
  // How many doubles per point a record takes. Value uses as many as scratch.
  virtual std::size_t record_size() const = 0;

  // f = field(x). The scratch's contents are left undefined.
  virtual void Value(std::span<const double> x, std::span<double> f,
                     std::span<double> scratch) const = 0;

  // f = field(x), and keeps in `record` what Pullback needs.
  virtual void Record(std::span<const double> x, std::span<double> f,
                      std::span<double> record) const = 0;

  // Reverse of Record: for the cotangent g (n, D) on f,
  //   bx          += (df/dx)^T g           (n, D)
  //   bparameters += (df/dparameters)^T g  summed over the points
  virtual void Pullback(std::span<const double> x, std::span<const double> record,
                        std::span<const double> g, std::span<double> bx,
                        std::span<double> bparameters) const = 0;

  // J (n, D, D): jacobian[p, i, j] = df_i/dx_j at point p. By default D pullbacks per point.
  virtual void Jacobian(std::span<const double> x, std::span<double> jacobian) const;

 protected:
  Field() = default;
  Field(const Field&) = default;
  Field& operator=(const Field&) = default;
};

// For convenience: values (n, D) at the rows of points (n, D), and the Jacobian (D, D) at one
// point.
Matrix Evaluate(const Field& field, const Matrix& points);
Matrix EvaluateJacobian(const Field& field, const Vector& point);

}  // namespace gpode
