// phi(s) = (1 + a + a^2 / 3) exp(-a) with a = sqrt(5 s): draws are twice differentiable. s is
// defined in gpode/kernel.h; k(x, z) is computed in kernel/kernel_matrix.cc, frequencies are drawn
// in field/gp_normals.cc.
#include "gpode/kernel.h"
#include "kernel/profiles.h"

namespace gpode::profiles {
namespace {

class Matern52 : public Kernel {
 public:
  std::string_view name() const override { return "matern52"; }

  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    ForDecays(5.0, s, [&](std::size_t i, double a, double e) {
      phi[i] = (1.0 + a + a * a / 3.0) * e;
      if (!psi.empty()) psi[i] = 5.0 / 3.0 * (1.0 + a) * e;
    });
  }

  std::size_t spectral_normals() const override { return 5; }
  double SpectralFactor(std::span<const double> normals) const override {
    return StudentFactor(normals);
  }
};

}  // namespace

const Kernel& matern52() {
  static const Matern52 kernel;
  return kernel;
}

}  // namespace gpode::profiles
