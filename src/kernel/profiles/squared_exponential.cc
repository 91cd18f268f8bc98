// phi(s) = exp(-s/2): draws are infinitely differentiable. The spectral density is normal. s is
// defined in gpode/kernel.h; k(x, z) is computed in kernel/kernel_matrix.cc, frequencies are drawn
// in field/gp_normals.cc.
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
    simd::ExpScaled(-0.5, s, phi);
    std::copy_n(phi.begin(), psi.size(), psi.begin());
  }
  bool slope_is_value() const override { return true; }
};

}  // namespace

const Kernel& squared_exponential() {
  static const SquaredExponential kernel;
  return kernel;
}

}  // namespace gpode::profiles
