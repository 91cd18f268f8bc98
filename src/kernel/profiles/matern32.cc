// phi(s) = (1 + a) exp(-a) with a = sqrt(3 s): draws are once differentiable.
#include <cmath>

#include "gpode/kernel.h"
#include "kernel/profiles.h"
#include "simd/simd.h"

namespace gpode::profiles {
namespace {

class Matern32 : public Kernel {
 public:
  std::string_view name() const override { return "matern32"; }

  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    const std::size_t n = s.size();
    for (std::size_t start = 0; start < n; start += kProfileChunk) {
      const std::size_t count = std::min(kProfileChunk, n - start);
      double a[kProfileChunk], e[kProfileChunk];
      for (std::size_t i = 0; i < count; ++i) {
        a[i] = std::min(std::sqrt(3.0 * s[start + i]), kProfileFar);
        e[i] = -a[i];
      }
      simd::Exp({e, count}, {e, count});
      for (std::size_t i = 0; i < count; ++i) phi[start + i] = (1.0 + a[i]) * e[i];
      if (psi.empty()) continue;
      for (std::size_t i = 0; i < count; ++i) psi[start + i] = 3.0 * e[i];
    }
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
