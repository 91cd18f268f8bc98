// phi(s) = (1 + a) exp(-a) with a = sqrt(3 s): draws are once differentiable. s is defined in
// gpode/kernel.h; k(x, z) is computed in kernel/kernel_matrix.cc, frequencies are drawn in
// field/gp_normals.cc.
#include "gpode/kernel.h"
#include "kernel/profiles.h"

namespace gpode::profiles {
namespace {

class Matern32 : public Kernel {
 public:
  std::string_view name() const override { return "matern32"; }

  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    ForDecays(3.0, s, [&](std::size_t i, double a, double e) {
      phi[i] = (1.0 + a) * e;
      if (!psi.empty()) psi[i] = 3.0 * e;
    });
  }

  std::size_t spectral_normals() const override { return 3; }
  double SpectralFactor(std::span<const double> normals) const override {
    return StudentFactor(normals);
  }
};

}  // namespace

const Kernel& matern32() {
  static const Matern32 kernel;
  return kernel;
}

}  // namespace gpode::profiles
