// The base class of systems, the paper's Van der Pol and FitzHugh-Nagumo systems and a few others,
// and the table of all systems. gpode/systems.h lists the equations.
#include "gpode/systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gpode/error.h"

namespace gpode {
namespace {

// Adds J^T g to bx for one point; J is (D, D).
void AddTransposed(std::span<const double> jacobian, std::span<const double> g,
                   std::span<double> bx) {
  const std::size_t d = g.size();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) bx[j] += jacobian[i * d + j] * g[i];
  }
}

}  // namespace

System::System(std::string_view name, std::size_t dim, std::vector<std::string> parameter_names,
               std::vector<double> parameters)
    : dim_(dim), parameter_names_(std::move(parameter_names)), parameters_(std::move(parameters)) {
  GPODE_CHECK(parameter_names_.size() == parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    CheckFinite(name, parameter_names_[i], parameters_[i]);
  }
}

void System::Value(const FieldPoints& points, std::span<double> f, std::span<double>) const {
  const std::span<const double> x = points.x;
  GPODE_CHECK(x.size() % dim_ == 0 && f.size() == x.size());
  for (std::size_t p = 0; p < x.size(); p += dim_) ValueAt(x.subspan(p, dim_), f.subspan(p, dim_));
}

void System::Record(const FieldPoints& points, std::span<double> f,
                    std::span<double> record) const {
  Value(points, f, record);
}

void System::Pullback(const FieldPoints& points, std::span<const double>, std::span<const double> g,
                      std::span<double> bx, std::span<double> bparameters) const {
  const std::span<const double> x = points.x;
  GPODE_CHECK(dim_ <= kMaxStackDim);
  GPODE_CHECK(x.size() % dim_ == 0 && g.size() == x.size() && bx.size() == x.size());
  GPODE_CHECK(bparameters.size() == parameters_.size());
  std::array<double, kMaxStackDim * kMaxStackDim> buffer;
  const auto jacobian = std::span(buffer).first(dim_ * dim_);
  for (std::size_t p = 0; p < x.size(); p += dim_) {
    JacobianAt(x.subspan(p, dim_), jacobian);
    AddTransposed(jacobian, g.subspan(p, dim_), bx.subspan(p, dim_));
    PullParametersAt(x.subspan(p, dim_), g.subspan(p, dim_), bparameters);
  }
}

void System::Jacobian(const FieldPoints& points, std::span<double> jacobian) const {
  const std::span<const double> x = points.x;
  GPODE_CHECK(x.size() % dim_ == 0 && jacobian.size() == x.size() * dim_);
  for (std::size_t p = 0; p < x.size(); p += dim_) {
    JacobianAt(x.subspan(p, dim_), jacobian.subspan(p * dim_, dim_ * dim_));
  }
}

VanDerPol::VanDerPol(double mu) : System("VanDerPol", 2, {"mu"}, {mu}) {}

void VanDerPol::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = x[1];
  f[1] = -x[0] + parameter(0) * x[1] * (1 - x[0] * x[0]);
}

void VanDerPol::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double mu = parameter(0);
  jacobian[0] = 0;
  jacobian[1] = 1;
  jacobian[2] = -1 - 2 * mu * x[0] * x[1];
  jacobian[3] = mu * (1 - x[0] * x[0]);
}

void VanDerPol::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                 std::span<double> bparameters) const {
  bparameters[0] += g[1] * x[1] * (1 - x[0] * x[0]);
}

FitzHughNagumo::FitzHughNagumo(double a, double b, double c)
    : System("FitzHughNagumo", 2, {"a", "b", "c"}, {a, b, c}) {
  CheckPositive("FitzHughNagumo", "c", c);
}

void FitzHughNagumo::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double a = parameter(0), b = parameter(1), c = parameter(2);
  f[0] = c * (x[0] - x[0] * x[0] * x[0] / 3 + x[1]);
  f[1] = (a - c * x[0] - b * x[1]) / c;
}

void FitzHughNagumo::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double b = parameter(1), c = parameter(2);
  jacobian[0] = c * (1 - x[0] * x[0]);
  jacobian[1] = c;
  jacobian[2] = -1;
  jacobian[3] = -b / c;
}

void FitzHughNagumo::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                      std::span<double> bparameters) const {
  const double a = parameter(0), b = parameter(1), c = parameter(2);
  bparameters[0] += g[1] / c;
  bparameters[1] -= g[1] * x[1] / c;
  bparameters[2] += g[0] * (x[0] - x[0] * x[0] * x[0] / 3 + x[1]) - g[1] * (a - b * x[1]) / (c * c);
}

LotkaVolterra::LotkaVolterra(double alpha, double beta, double gamma, double delta)
    : System("LotkaVolterra", 2, {"alpha", "beta", "gamma", "delta"}, {alpha, beta, gamma, delta}) {
}

void LotkaVolterra::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = parameter(0) * x[0] - parameter(1) * x[0] * x[1];
  f[1] = -parameter(2) * x[1] + parameter(3) * x[0] * x[1];
}

void LotkaVolterra::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  jacobian[0] = parameter(0) - parameter(1) * x[1];
  jacobian[1] = -parameter(1) * x[0];
  jacobian[2] = parameter(3) * x[1];
  jacobian[3] = -parameter(2) + parameter(3) * x[0];
}

void LotkaVolterra::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                     std::span<double> bparameters) const {
  bparameters[0] += g[0] * x[0];
  bparameters[1] -= g[0] * x[0] * x[1];
  bparameters[2] -= g[1] * x[1];
  bparameters[3] += g[1] * x[0] * x[1];
}

Lorenz63::Lorenz63(double sigma, double rho, double beta)
    : System("Lorenz63", 3, {"sigma", "rho", "beta"}, {sigma, rho, beta}) {}

void Lorenz63::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = parameter(0) * (x[1] - x[0]);
  f[1] = x[0] * (parameter(1) - x[2]) - x[1];
  f[2] = x[0] * x[1] - parameter(2) * x[2];
}

void Lorenz63::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double sigma = parameter(0), rho = parameter(1), beta = parameter(2);
  const std::array<double, 9> rows = {-sigma,     sigma, 0.0,    //
                                      rho - x[2], -1.0,  -x[0],  //
                                      x[1],       x[0],  -beta};
  std::copy(rows.begin(), rows.end(), jacobian.begin());
}

void Lorenz63::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                std::span<double> bparameters) const {
  bparameters[0] += g[0] * (x[1] - x[0]);
  bparameters[1] += g[1] * x[0];
  bparameters[2] -= g[2] * x[2];
}

DampedPendulum::DampedPendulum(double stiffness, double damping)
    : System("DampedPendulum", 2, {"stiffness", "damping"}, {stiffness, damping}) {}

void DampedPendulum::ValueAt(std::span<const double> x, std::span<double> f) const {
  f[0] = x[1];
  f[1] = -parameter(0) * std::sin(x[0]) - parameter(1) * x[1];
}

void DampedPendulum::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  jacobian[0] = 0;
  jacobian[1] = 1;
  jacobian[2] = -parameter(0) * std::cos(x[0]);
  jacobian[3] = -parameter(1);
}

void DampedPendulum::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                      std::span<double> bparameters) const {
  bparameters[0] -= g[1] * std::sin(x[0]);
  bparameters[1] -= g[1] * x[1];
}

namespace {

std::vector<std::string> EntryNames(const Matrix& a) {
  CheckAtLeast("LinearSystem", "number of A's rows", a.rows(), 1);
  CheckSize("LinearSystem", "a row of A", a.cols(), a.rows());
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < a.cols(); ++j) names.push_back(fmt::format("a[{},{}]", i, j));
  }
  return names;
}

}  // namespace

LinearSystem::LinearSystem(const Matrix& a)
    : System("LinearSystem", a.rows(), EntryNames(a), {a.data(), a.data() + a.size()}) {}

void LinearSystem::Pullback(const FieldPoints& points, std::span<const double>,
                            std::span<const double> g, std::span<double> bx,
                            std::span<double> bparameters) const {
  const std::span<const double> x = points.x;
  const std::size_t d = dim();
  GPODE_CHECK(x.size() % d == 0 && g.size() == x.size() && bx.size() == x.size());
  GPODE_CHECK(bparameters.size() == d * d);
  for (std::size_t p = 0; p < x.size(); p += d) {
    AddTransposed(parameters(), g.subspan(p, d), bx.subspan(p, d));
    PullParametersAt(x.subspan(p, d), g.subspan(p, d), bparameters);
  }
}

void LinearSystem::ValueAt(std::span<const double> x, std::span<double> f) const {
  const std::size_t d = dim();
  for (std::size_t i = 0; i < d; ++i) {
    f[i] = 0;
    for (std::size_t j = 0; j < d; ++j) f[i] += parameter(i * d + j) * x[j];
  }
}

void LinearSystem::JacobianAt(std::span<const double>, std::span<double> jacobian) const {
  std::copy(parameters().begin(), parameters().end(), jacobian.begin());
}

void LinearSystem::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                    std::span<double> bparameters) const {
  const std::size_t d = dim();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) bparameters[i * d + j] += g[i] * x[j];
  }
}

namespace {

struct Entry {
  SystemInfo info;
  std::unique_ptr<System> (*make)();
};

template <typename T>
std::unique_ptr<System> MakeDefault() {
  return std::make_unique<T>();
}

// Returns the system whose solutions rotate with period pi and decay.
std::unique_ptr<System> MakeSpiral() {
  Matrix a(2, 2);
  a << -0.1, 2.0, -2.0, -0.1;
  return std::make_unique<LinearSystem>(a);
}

std::vector<Entry> Table() {
  return {
      {{"vdp", "Van der Pol oscillator", 2, {"x1", "x2"}, {-1.5, 2.5}, 7.0},
       MakeDefault<VanDerPol>},
      {{"fhn", "FitzHugh-Nagumo oscillator", 2, {"x1", "x2"}, {-1.0, -1.0}, 5.0},
       MakeDefault<FitzHughNagumo>},
      {{"lotka-volterra", "Lotka-Volterra", 2, {"prey", "predators"}, {1.0, 1.0}, 10.0, true},
       MakeDefault<LotkaVolterra>},
      {{"lorenz63", "Lorenz attractor (1963)", 3, {"x", "y", "z"}, {1.0, 1.0, 1.0}, 20.0},
       MakeDefault<Lorenz63>},
      {{"pendulum", "damped pendulum", 2, {"angle", "velocity"}, {2.0, 0.0}, 20.0},
       MakeDefault<DampedPendulum>},
      {{"duffing", "Duffing oscillator, double well", 2, {"x1", "x2"}, {1.8, 1.0}, 14.0},
       MakeDefault<Duffing>},
      {{"cubic-spiral", "cubic spiral", 2, {"x1", "x2"}, {2.0, 0.0}, 8.0},
       MakeDefault<CubicSpiral>},
      {{"brusselator", "Brusselator", 2, {"x", "y"}, {1.0, 1.0}, 15.0, true},
       MakeDefault<Brusselator>},
      {{"selkov", "Sel'kov glycolysis", 2, {"adp", "f6p"}, {1.0, 1.0}, 25.0, true},
       MakeDefault<Selkov>},
      {{"morris-lecar", "Morris-Lecar neuron", 2, {"v", "w"}, {-0.3, 0.1}, 40.0},
       MakeDefault<MorrisLecar>},
      {{"rossler", "Rossler attractor", 3, {"x", "y", "z"}, {-5.0, -5.0, 0.1}, 15.0},
       MakeDefault<Rossler>},
      {{"sir", "SIR epidemic", 2, {"s", "i"}, {0.98, 0.02}, 8.0, true}, MakeDefault<SirEpidemic>},
      {{"seir", "SEIR epidemic", 4, {"s", "e", "i", "r"}, {0.97, 0.01, 0.01, 0.01}, 11.0, true},
       MakeDefault<SeirEpidemic>},
      {{"rosenzweig-macarthur",
        "Rosenzweig-MacArthur",
        2,
        {"prey", "predators"},
        {1.0, 0.5},
        40.0,
        true},
       MakeDefault<RosenzweigMacArthur>},
      {{"may-leonard", "May-Leonard competition", 3, {"a", "b", "c"}, {0.5, 0.3, 0.2}, 40.0, true},
       MakeDefault<MayLeonard>},
      {{"toggle-switch", "genetic toggle switch", 2, {"u", "v"}, {3.0, 2.7}, 6.0, true},
       MakeDefault<ToggleSwitch>},
      {{"repressilator", "repressilator", 3, {"a", "b", "c"}, {1.0, 1.5, 3.0}, 12.0, true},
       MakeDefault<Repressilator>},
      {{"compartments",
        "chain of compartments",
        5,
        {"x1", "x2", "x3", "x4", "x5"},
        {4.0, 1.0, 0.2, 0.2, 0.2},
        8.0,
        true},
       MakeDefault<Compartments>},
      {{"robertson", "Robertson reaction", 3, {"a", "b", "c"}, {1.0, 0.0, 0.0}, 40.0, true, true},
       MakeDefault<Robertson>},
      {{"oregonator", "Oregonator", 3, {"x1", "x2", "x3"}, {1.0, 2.0, 3.0}, 360.0, true, true},
       MakeDefault<Oregonator>},
      {{"linear", "linear spiral", 2, {"x1", "x2"}, {2.0, 0.0}, 10.0}, MakeSpiral},
  };
}

Entry Find(std::string_view function, std::string_view name) {
  std::string known;
  for (Entry& entry : Table()) {
    if (entry.info.name == name) return std::move(entry);
    known += (known.empty() ? "" : ", ") + entry.info.name;
  }
  ThrowInput(function, "name", fmt::format("is \"{}\", must be one of {}", name, known));
}

}  // namespace

std::vector<std::string> SystemNames() {
  std::vector<std::string> names;
  for (const Entry& entry : Table()) names.push_back(entry.info.name);
  return names;
}

SystemInfo DescribeSystem(std::string_view name) { return Find("DescribeSystem", name).info; }

std::unique_ptr<System> MakeSystem(std::string_view name) {
  return Find("MakeSystem", name).make();
}

}  // namespace gpode
