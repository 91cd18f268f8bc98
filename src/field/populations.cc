// Epidemics and interacting species among the systems with known equations (gpode/systems.h).
#include <algorithm>
#include <array>

#include "gpode/systems.h"

namespace gpode {

SirEpidemic::SirEpidemic(double infection, double recovery)
    : System("SirEpidemic", 2, {"infection", "recovery"}, {infection, recovery}) {}

void SirEpidemic::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double infected = parameter(0) * x[0] * x[1];
  f[0] = -infected;
  f[1] = infected - parameter(1) * x[1];
}

void SirEpidemic::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  jacobian[0] = -parameter(0) * x[1];
  jacobian[1] = -parameter(0) * x[0];
  jacobian[2] = parameter(0) * x[1];
  jacobian[3] = parameter(0) * x[0] - parameter(1);
}

void SirEpidemic::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                   std::span<double> bparameters) const {
  bparameters[0] += (g[1] - g[0]) * x[0] * x[1];
  bparameters[1] -= g[1] * x[1];
}

SeirEpidemic::SeirEpidemic(double infection, double incubation, double recovery)
    : System("SeirEpidemic", 4, {"infection", "incubation", "recovery"},
             {infection, incubation, recovery}) {}

void SeirEpidemic::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double infected = parameter(0) * x[0] * x[2];
  f[0] = -infected;
  f[1] = infected - parameter(1) * x[1];
  f[2] = parameter(1) * x[1] - parameter(2) * x[2];
  f[3] = parameter(2) * x[2];
}

void SeirEpidemic::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double infection = parameter(0), incubation = parameter(1), recovery = parameter(2);
  const std::array<double, 16> rows = {-infection * x[2],
                                       0.0,
                                       -infection * x[0],
                                       0.0,  //
                                       infection * x[2],
                                       -incubation,
                                       infection * x[0],
                                       0.0,  //
                                       0.0,
                                       incubation,
                                       -recovery,
                                       0.0,  //
                                       0.0,
                                       0.0,
                                       recovery,
                                       0.0};
  std::copy(rows.begin(), rows.end(), jacobian.begin());
}

void SeirEpidemic::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                    std::span<double> bparameters) const {
  bparameters[0] += (g[1] - g[0]) * x[0] * x[2];
  bparameters[1] += (g[2] - g[1]) * x[1];
  bparameters[2] += (g[3] - g[2]) * x[2];
}

RosenzweigMacArthur::RosenzweigMacArthur(double growth, double capacity, double conversion,
                                         double death)
    : System("RosenzweigMacArthur", 2, {"growth", "capacity", "conversion", "death"},
             {growth, capacity, conversion, death}) {}

void RosenzweigMacArthur::ValueAt(std::span<const double> x, std::span<double> f) const {
  const double eaten = x[0] * x[1] / (1 + x[0]);
  f[0] = parameter(0) * x[0] * (1 - x[0] / parameter(1)) - eaten;
  f[1] = parameter(2) * eaten - parameter(3) * x[1];
}

void RosenzweigMacArthur::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  const double by_prey = x[1] / ((1 + x[0]) * (1 + x[0])), by_predators = x[0] / (1 + x[0]);
  jacobian[0] = parameter(0) * (1 - 2 * x[0] / parameter(1)) - by_prey;
  jacobian[1] = -by_predators;
  jacobian[2] = parameter(2) * by_prey;
  jacobian[3] = parameter(2) * by_predators - parameter(3);
}

void RosenzweigMacArthur::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                           std::span<double> bparameters) const {
  const double growth = parameter(0), capacity = parameter(1);
  bparameters[0] += g[0] * x[0] * (1 - x[0] / capacity);
  bparameters[1] += g[0] * growth * x[0] * x[0] / (capacity * capacity);
  bparameters[2] += g[1] * x[0] * x[1] / (1 + x[0]);
  bparameters[3] -= g[1] * x[1];
}

MayLeonard::MayLeonard(double alpha, double beta)
    : System("MayLeonard", 3, {"alpha", "beta"}, {alpha, beta}) {}

void MayLeonard::ValueAt(std::span<const double> x, std::span<double> f) const {
  for (std::size_t i = 0; i < 3; ++i) {
    f[i] = x[i] * (1 - x[i] - parameter(0) * x[(i + 1) % 3] - parameter(1) * x[(i + 2) % 3]);
  }
}

void MayLeonard::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    jacobian[3 * i + i] = 1 - 2 * x[i] - parameter(0) * x[j] - parameter(1) * x[k];
    jacobian[3 * i + j] = -parameter(0) * x[i];
    jacobian[3 * i + k] = -parameter(1) * x[i];
  }
}

void MayLeonard::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                  std::span<double> bparameters) const {
  for (std::size_t i = 0; i < 3; ++i) {
    bparameters[0] -= g[i] * x[i] * x[(i + 1) % 3];
    bparameters[1] -= g[i] * x[i] * x[(i + 2) % 3];
  }
}

}  // namespace gpode
