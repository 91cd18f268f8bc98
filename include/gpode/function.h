// A differentiable function g: R^I -> R^O with parameters, such as a draw from a Gaussian process
// (gp.h) or a neural network (mlp.h); and the field that a function makes.
//
// All functions take a batch of n points, n = x.size() / inputs():
//
//   x       (n, I)               points, one after the other
//   f       (n, O)               values
//   record  (n, record_size())   what Pullback needs, in a layout that only the function knows
//
// A batch gives the same bits as its points evaluated one by one. Cotangents (names that begin with
// b) are explained in field.h.
//
// Thread safety: a Function does not change while it is evaluated. Any number of threads may call
// the const functions, each with its own outputs.
//
//   Mlp network(3, {32}, 2);
//   Matrix f = Evaluate(network, points);
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpode/field.h"

namespace gpode {

class FunctionField;

class Function {
 public:
  virtual ~Function() = default;

  // The number I of inputs and the number O of outputs.
  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  // The length of the gradient that Pullback adds to.
  virtual std::size_t parameter_count() const = 0;
  // The number of doubles that a record takes for each point. Value needs as much scratch memory.
  virtual std::size_t record_size() const = 0;

  // Computes f = g(x). The contents of scratch (n, record_size()) are left undefined.
  virtual void Value(std::span<const double> x, std::span<double> f,
                     std::span<double> scratch) const = 0;

  // Computes f = g(x) and writes to `record` what Pullback needs.
  virtual void Record(std::span<const double> x, std::span<double> f,
                      std::span<double> record) const = 0;

  // Reverses Record: for the cotangent g (n, O) of f,
  //   bx          += (df/dx)^T g           (n, I)
  //   bparameters += (df/dparameters)^T g  summed over the points
  virtual void Pullback(std::span<const double> x, std::span<const double> record,
                        std::span<const double> g, std::span<double> bx,
                        std::span<double> bparameters) const = 0;

  // Computes the Jacobians (n, O, I): jacobian[p, i, j] = df_i/dx_j at point p. This default does O
  // pullbacks for each point, and allocates memory.
  virtual void Jacobian(std::span<const double> x, std::span<double> jacobian) const;

  // Returns the field of this function, so that a function can be passed where a field is expected.
  // The field refers to the function, which must outlive it.
  operator FunctionField() const;  // NOLINT: implicit on purpose

 protected:
  Function() = default;
  Function(const Function&) = default;
  Function& operator=(const Function&) = default;
};

// The field  f(t, x, u) = g([x, u])  of a function g with I = D + U inputs and O = D outputs. If
// the field has no inputs (U = 0), it costs one virtual call more than g. Otherwise x and u of each
// point are first copied to one place, and I may be at most kMostInputs.
//
// Thread safety: as for Field.
//
//   GpDraw draw(gp, features);
//   solver.Solve(draw, x0, t0, times, states);              // converts for the time of the call
//   auto field = std::make_unique<FunctionField>(std::move(unique_pointer_to_a_draw));
class FunctionField final : public Field {
 public:
  static constexpr std::size_t kMostInputs = 1024;

  // The first form refers to a function, which must outlive the field; the second shares the
  // function's ownership. Both throw an InputError for a function with more outputs than inputs, or
  // with more than kMostInputs inputs if the field has inputs.
  explicit FunctionField(const Function& function);
  explicit FunctionField(std::shared_ptr<const Function> function);

  const Function& function() const { return *function_; }

  std::size_t dim() const override { return dim_; }
  std::size_t inputs() const override { return inputs_; }
  std::size_t parameter_count() const override { return function_->parameter_count(); }
  std::size_t record_size() const override;
  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override;

 private:
  void Join(const FieldPoints& points, std::span<double> joined) const;
  [[gnu::noinline]] void PullbackWithInputs(std::span<const double> record,
                                            std::span<const double> g, std::span<double> bx,
                                            std::span<double> bparameters) const;

  std::shared_ptr<const Function> function_;
  std::size_t dim_, inputs_;
};

// Returns the values (n, O) at the rows of `points` (n, I).
Matrix Evaluate(const Function& function, const Matrix& points);

// Returns the Jacobian (O, I) at one point (I).
Matrix EvaluateJacobian(const Function& function, const Vector& point);

}  // namespace gpode
