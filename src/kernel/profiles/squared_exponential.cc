// phi(s) = exp(-s/2): infinitely smooth. Its spectral density is normal.
#include "gpode/kernel.h"
#include "kernel/profiles.h"
#include "simd/simd.h"

namespace gpode::profiles {
namespace {

class SquaredExponential : public Kernel {
 public:
  std::string_view name() const override { return "squared-exponential"; }

  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    for (std::size_t i = 0; i < s.size(); ++i) phi[i] = -0.5 * s[i];
    simd::Exp(phi, phi);
    for (std::size_t i = 0; i < psi.size(); ++i) psi[i] = -phi[i];
  }
};

}  // namespace

const Kernel& squared_exponential() {
  static const SquaredExponential kernel;
  return kernel;
}

}  // namespace gpode::profiles
