// Systems with known equations, as autonomous fields. They serve to simulate data, to score a
// learned field, and to fit parameters of known equations.
//
//   vdp             Van der Pol      x1' = x2,  x2' = -x1 + mu x2 (1 - x1^2)
//   fhn             FitzHugh-Nagumo  x1' = c (x1 - x1^3/3 + x2),  x2' = (a - c x1 - b x2) / c
//   lotka-volterra  Lotka-Volterra   x1' = alpha x1 - beta x1 x2,  x2' = -gamma x2 + delta x1 x2
//   lorenz63        Lorenz 1963      x1' = sigma (x2 - x1),  x2' = x1 (rho - x3) - x2,
//                                    x3' = x1 x2 - beta x3
//   pendulum        damped pendulum  angle' = w,  w' = -stiffness sin(angle) - damping w
//   linear          linear system    x' = A x
//
// vdp and fhn with their default parameters are those of Hegde et al. (2022), Variational multiple
// shooting for Bayesian ODEs with Gaussian processes, sections 4.1 and 4.2.
//
// Shapes are those of field.h. The parameters are a flat vector in the order of the constructor.
// Records are empty, because evaluating the closed form again costs less than reading a record.
// No function allocates.
//
// Thread safety: a system does not change after construction.
//
//   VanDerPol field(0.5);
//   std::unique_ptr<System> other = MakeSystem("lorenz63");
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// The loop over a batch. A derived class defines in three functions what happens at one point.
class System : public Field {
 public:
  std::size_t dim() const final { return dim_; }
  std::size_t parameter_count() const final { return parameters_.size(); }
  std::size_t record_size() const final { return 0; }

  std::span<const double> parameters() const { return parameters_; }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }

  void Value(const FieldPoints& points, std::span<double> f, std::span<double> scratch) const final;
  void Record(const FieldPoints& points, std::span<double> f, std::span<double> record) const final;
  // Systems with more than kMaxStackDim states override this.
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const final;

 protected:
  // Throws an InputError that begins with `name` unless all parameters are finite.
  System(std::string_view name, std::size_t dim, std::vector<std::string> parameter_names,
         std::vector<double> parameters);

  static constexpr std::size_t kMaxStackDim = 3;

  double parameter(std::size_t i) const { return parameters_[i]; }

  // At one point x (D), these write the value f (D), write every entry of the Jacobian (D, D), and
  // add (df/dparameters)^T g to bparameters.
  virtual void ValueAt(std::span<const double> x, std::span<double> f) const = 0;
  virtual void JacobianAt(std::span<const double> x, std::span<double> jacobian) const = 0;
  virtual void PullParametersAt(std::span<const double> x, std::span<const double> g,
                                std::span<double> bparameters) const = 0;

 private:
  std::size_t dim_;
  std::vector<std::string> parameter_names_;
  std::vector<double> parameters_;
};

class VanDerPol final : public System {
 public:
  explicit VanDerPol(double mu = 0.5);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class FitzHughNagumo final : public System {
 public:
  // The time-scale parameter c must be positive.
  explicit FitzHughNagumo(double a = 0.2, double b = 0.2, double c = 3.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class LotkaVolterra final : public System {
 public:
  explicit LotkaVolterra(double alpha = 1.5, double beta = 1.0, double gamma = 3.0,
                         double delta = 1.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class Lorenz63 final : public System {
 public:
  explicit Lorenz63(double sigma = 10.0, double rho = 28.0, double beta = 8.0 / 3.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class DampedPendulum final : public System {
 public:
  explicit DampedPendulum(double stiffness = 1.0, double damping = 0.1);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// The parameters are the entries of A, row by row. D is any number.
class LinearSystem final : public System {
 public:
  explicit LinearSystem(const Matrix& a);  // (D, D)

  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

struct SystemInfo {
  std::string name;   // the name for MakeSystem
  std::string title;  // a name for people
  std::size_t dim;
  std::vector<std::string> state_names;  // (D)
  std::vector<double> default_start;     // (D), a state that leads to the typical behaviour
  double default_span;                   // the length of time that shows it
  bool positive = false;                 // the states have a meaning only above zero
};

// Returns the names in the order of the table above.
std::vector<std::string> SystemNames();

// Return the description of a system, and the system with its default parameters. Both throw an
// InputError that lists the known names.
SystemInfo DescribeSystem(std::string_view name);
std::unique_ptr<System> MakeSystem(std::string_view name);

}  // namespace gpode
