// phi(s) = (1 + a + a^2 / 3) exp(-a) with a = sqrt(5 s): draws are twice differentiable.
#include <cmath>

#include "gpode/kernel.h"
#include "kernel/profiles.h"
#include "simd/simd.h"

namespace gpode::profiles {
namespace {

class Matern52 : public Kernel {
 public:
  std::string_view name() const override { return "matern52"; }

  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    const std::size_t n = s.size();
    for (std::size_t start = 0; start < n; start += kProfileChunk) {
      const std::size_t count = std::min(kProfileChunk, n - start);
      double a[kProfileChunk], e[kProfileChunk];
      for (std::size_t i = 0; i < count; ++i) {
        a[i] = std::min(std::sqrt(5.0 * s[start + i]), kProfileFar);
        e[i] = -a[i];
      }
      simd::Exp({e, count}, {e, count});
      for (std::size_t i = 0; i < count; ++i) {
        phi[start + i] = (1.0 + a[i] + a[i] * a[i] / 3.0) * e[i];
      }
      if (psi.empty()) continue;
      for (std::size_t i = 0; i < count; ++i) psi[start + i] = 5.0 / 3.0 * (1.0 + a[i]) * e[i];
    }
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
