// A vector field: the right-hand side of the ODE  dx/dt = f(t, x, u),  x in R^D, u in R^U.
//
// Everything that a solver (ode.h) can follow is a Field: a function g([x, u]) such as a draw from
// a Gaussian process or a neural network (function.h), or a system with known equations
// (systems.h). The inputs u are data: a solver takes them from an InputSignal. Most fields are
// autonomous: they have no inputs and do not depend on the time.
//
// A solver calls Value, or Record if a gradient is wanted later. The solver's adjoint then calls
// Pullback, which reads the record instead of evaluating the field again. Pullbacks work on
// cotangents: the cotangent of a quantity y is the gradient of the objective (in training, the
// bound) with respect to y. Its name is y's with a "b" in front: bx is the cotangent of x.
//
// All functions take a batch of n points that share the time:
//
//   x       (n, D)               states, one after the other
//   u       (n, U)               inputs
//   f       (n, D)               values
//   record  (n record_size())    what Pullback needs, in a layout that only the field knows
//
// A batch gives the same bits as its points evaluated one by one.
//
// Thread safety: a Field does not change while it is evaluated. Any number of threads may call the
// const functions, each with its own outputs.
//
//   VanDerPol field(0.5);
//   Matrix f = Evaluate(field, states);
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "gpode/matrix.h"

namespace gpode {

// The points where a field is evaluated. An autonomous field needs only the states, so anything
// that converts to a span of states converts to FieldPoints. The memory belongs to the caller.
struct FieldPoints {
  double t = 0;
  std::span<const double> x;  // (n, D)
  std::span<const double> u;  // (n, U)

  FieldPoints() = default;
  FieldPoints(double time, std::span<const double> states, std::span<const double> inputs = {})
      : t(time), x(states), u(inputs) {}
  template <typename States>
  requires std::convertible_to<const States&, std::span<const double>> FieldPoints(
      const States& states)
      : x(states) {}  // NOLINT: implicit on purpose

  // Returns point p alone, for a field with these dimensions.
  FieldPoints Point(std::size_t p, std::size_t dim, std::size_t inputs) const {
    return {t, x.subspan(p * dim, dim), u.subspan(p * inputs, inputs)};
  }
};

class Field {
 public:
  virtual ~Field() = default;

  // The number D of states and the number U of inputs.
  virtual std::size_t dim() const = 0;
  virtual std::size_t inputs() const { return 0; }
  // The length of the gradient that Pullback adds to.
  virtual std::size_t parameter_count() const = 0;
  // The number of doubles that a record takes for each point. Value needs as much scratch memory.
  virtual std::size_t record_size() const = 0;

  // Computes f = field(points). The contents of scratch (n record_size()) are left undefined.
  virtual void Value(const FieldPoints& points, std::span<double> f,
                     std::span<double> scratch) const = 0;

  // Computes f = field(points) and writes to `record` what Pullback needs.
  virtual void Record(const FieldPoints& points, std::span<double> f,
                      std::span<double> record) const = 0;

  // Reverses Record: for the cotangent g (n, D) of f,
  //   bx          += (df/dx)^T g           (n, D)
  //   bparameters += (df/dparameters)^T g  summed over the points
  // `points` and `record` must be those of the call of Record.
  virtual void Pullback(const FieldPoints& points, std::span<const double> record,
                        std::span<const double> g, std::span<double> bx,
                        std::span<double> bparameters) const = 0;

  // Computes the Jacobians (n, D, D): jacobian[p, i, j] = df_i/dx_j at point p. This default does D
  // pullbacks for each point, and allocates memory.
  virtual void Jacobian(const FieldPoints& points, std::span<double> jacobian) const;

 protected:
  Field() = default;
  Field(const Field&) = default;
  Field& operator=(const Field&) = default;
};

// Returns the values (n, D) at the rows of `states` (n, D), at time t and with inputs (n, U).
Matrix Evaluate(const Field& field, const Matrix& states, double t = 0, const Matrix& inputs = {});

// Returns the Jacobian (D, D) at one state (D), at time t and with inputs (U).
Matrix EvaluateJacobian(const Field& field, const Vector& state, double t = 0,
                        const Vector& inputs = {});

}  // namespace gpode
