// Systems with known equations, as autonomous fields. They serve to simulate data, to score a
// learned field, and to fit parameters of known equations.
//
//   vdp             Van der Pol      x1' = x2,  x2' = -x1 + mu x2 (1 - x1^2)
//   fhn             FitzHugh-Nagumo  x1' = c (x1 - x1^3/3 + x2),  x2' = (a - c x1 - b x2) / c
//   lotka-volterra  Lotka-Volterra   x1' = alpha x1 - beta x1 x2,  x2' = -gamma x2 + delta x1 x2
//   lorenz63        Lorenz 1963      x1' = sigma (x2 - x1),  x2' = x1 (rho - x3) - x2,
//                                    x3' = x1 x2 - beta x3
//   pendulum        damped pendulum  angle' = w,  w' = -stiffness sin(angle) - damping w
//   duffing         Duffing          x1' = x2,  x2' = -stiffness x1 - cubic x1^3 - damping x2
//   cubic-spiral    cubic spiral     x1' = -decay x1^3 + rotation x2^3,
//                                    x2' = -rotation x1^3 - decay x2^3
//   brusselator     Brusselator      x1' = a + x1^2 x2 - (b + 1) x1,  x2' = b x1 - x1^2 x2
//   selkov          Sel'kov          x1' = -x1 + a x2 + x1^2 x2,  x2' = b - a x2 - x1^2 x2
//   morris-lecar    Morris-Lecar     v' = current - leak (v + 0.5) - potassium w (v + 0.7)
//                                         - calcium m(v) (v - 1),
//                                    w' = rate cosh((v - 0.1) / 0.29) (n(v) - w),
//                                    m(v) = (1 + tanh((v + 0.01) / 0.15)) / 2,
//                                    n(v) = (1 + tanh((v - 0.1) / 0.145)) / 2
//   rossler         Rossler          x1' = -x2 - x3,  x2' = x1 + a x2,  x3' = b + x3 (x1 - c)
//   sir             SIR epidemic     s' = -infection s i,  i' = infection s i - recovery i
//   seir            SEIR epidemic    s' = -infection s i,  e' = infection s i - incubation e,
//                                    i' = incubation e - recovery i,  r' = recovery i
//   rosenzweig-macarthur             x1' = growth x1 (1 - x1 / capacity) - x1 x2 / (1 + x1),
//                                    x2' = conversion x1 x2 / (1 + x1) - death x2
//   may-leonard     May-Leonard      xi' = xi (1 - xi - alpha xj - beta xk),
//                                    (i, j, k) = (1, 2, 3), (2, 3, 1), (3, 1, 2)
//   toggle-switch   toggle switch    x1' = rate / (1 + x2^n) - x1,  x2' = rate / (1 + x1^n) - x2
//   repressilator   repressilator    xi' = rate / (1 + xj^n) - xi,  (i, j) = (1, 3), (2, 1), (3, 2)
//   compartments    a chain of five  xi' = r(x(i-1)) - r(xi),  r(x) = rate x / (half + x),
//                                    without the inflow r(x0) for i = 1
//   robertson       Robertson        a' = -slow a + cross b c,  c' = fast b^2,
//                                    b' = slow a - cross b c - fast b^2
//   oregonator      Oregonator       x1' = scale (x2 + x1 (1 - loss x1 - x2)),
//                                    x2' = (x3 - (1 + x1) x2) / scale,  x3' = rate (x1 - x3)
//   linear          linear system    x' = A x
//
// vdp and fhn with their default parameters are those of Hegde et al. (2022), Variational multiple
// shooting for Bayesian ODEs with Gaussian processes, sections 4.1 and 4.2. morris-lecar is the
// dimensionless form of Rinzel and Ermentrout (1998), Analysis of neural excitability and
// oscillations.
//
// Shapes are those of field.h. The parameters are a flat vector in the order of the constructor.
// Records are empty, because evaluating the closed form again costs less than reading a record.
// No function allocates.
//
// Thread safety: any thread may call a system's functions; it does not change after construction.
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

// The base class, which loops over the points of a batch. A derived class defines its equations in
// three functions for one point.
class System : public Field {
 public:
  std::size_t dim() const final { return dim_; }
  std::size_t parameter_count() const final { return parameters_.size(); }
  std::size_t record_size() const final { return 0; }

  std::span<const double> parameters() const { return parameters_; }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }

  void Value(const FieldPoints& points, std::span<double> f, std::span<double> scratch) const final;
  void Record(const FieldPoints& points, std::span<double> f, std::span<double> record) const final;
  // Keeps the Jacobian of a point on the stack. Systems with more than kMaxStackDim states must
  // override this.
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const final;

 protected:
  // Throws an InputError that begins with `name` unless all parameters are finite.
  System(std::string_view name, std::size_t dim, std::vector<std::string> parameter_names,
         std::vector<double> parameters);

  static constexpr std::size_t kMaxStackDim = 5;

  double parameter(std::size_t i) const { return parameters_[i]; }

  // At one point x (D), ValueAt writes the value f (D), JacobianAt writes every entry of the
  // Jacobian (D, D), and PullParametersAt adds (df/dparameters)^T g to bparameters.
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

// The default is a double well with friction: two stable fixed points.
class Duffing final : public System {
 public:
  explicit Duffing(double stiffness = -1.0, double cubic = 1.0, double damping = 0.2);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class CubicSpiral final : public System {
 public:
  explicit CubicSpiral(double decay = 0.1, double rotation = 2.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class Brusselator final : public System {
 public:
  explicit Brusselator(double a = 1.0, double b = 3.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class Selkov final : public System {
 public:
  explicit Selkov(double a = 0.08, double b = 0.6);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class MorrisLecar final : public System {
 public:
  explicit MorrisLecar(double current = 0.2, double calcium = 1.0, double potassium = 2.0,
                       double leak = 0.5, double rate = 0.1);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class Rossler final : public System {
 public:
  explicit Rossler(double a = 0.2, double b = 0.2, double c = 5.7);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// The states are shares of a population.
class SirEpidemic final : public System {
 public:
  explicit SirEpidemic(double infection = 1.5, double recovery = 0.5);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class SeirEpidemic final : public System {
 public:
  explicit SeirEpidemic(double infection = 2.0, double incubation = 1.0, double recovery = 0.5);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class RosenzweigMacArthur final : public System {
 public:
  explicit RosenzweigMacArthur(double growth = 1.0, double capacity = 3.0, double conversion = 1.0,
                               double death = 0.4);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

class MayLeonard final : public System {
 public:
  explicit MayLeonard(double alpha = 0.5, double beta = 1.7);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// Two genes that repress each other. The states must not be negative.
class ToggleSwitch final : public System {
 public:
  explicit ToggleSwitch(double rate = 4.0, double exponent = 3.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// Three genes that repress each other in a ring. The states must not be negative.
class Repressilator final : public System {
 public:
  explicit Repressilator(double rate = 8.0, double exponent = 3.0);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// Five compartments in a row, each emptied into the next at a rate that saturates
// (Michaelis-Menten).
class Compartments final : public System {
 public:
  explicit Compartments(double rate = 1.0, double half = 0.5);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// Robertson's chemical reaction, the classical stiff system: rate constants of 0.04, 3e7 and 1e4.
class Robertson final : public System {
 public:
  explicit Robertson(double slow = 0.04, double fast = 3e7, double cross = 1e4);

 private:
  void ValueAt(std::span<const double> x, std::span<double> f) const override;
  void JacobianAt(std::span<const double> x, std::span<double> jacobian) const override;
  void PullParametersAt(std::span<const double> x, std::span<const double> g,
                        std::span<double> bparameters) const override;
};

// The Belousov-Zhabotinskii reaction in the form of Field and Noyes, a stiff oscillator.
class Oregonator final : public System {
 public:
  explicit Oregonator(double scale = 77.27, double loss = 8.375e-6, double rate = 0.161);

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
  double default_span;                   // a length of time that shows this behaviour
  bool positive = false;                 // the states are meaningful only above zero
  bool stiff = false;                    // true if it needs an implicit method
};

// Returns the names in the order of the table above.
std::vector<std::string> SystemNames();

// DescribeSystem returns the description of a system, MakeSystem the system with its default
// parameters. Both throw an InputError that lists the known names if `name` is not one of them.
SystemInfo DescribeSystem(std::string_view name);
std::unique_ptr<System> MakeSystem(std::string_view name);

}  // namespace gpode
