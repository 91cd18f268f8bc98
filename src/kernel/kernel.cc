// The registry of kernels. The covariance k(x, z) itself is computed in kernel_matrix.cc from the
// profiles in profiles/.
#include "gpode/kernel.h"

#include <cmath>
#include <utility>

#include "core/registry.h"
#include "kernel/profiles.h"

namespace gpode {

namespace profiles {

double StudentFactor(std::span<const double> normals) {
  double chi_square = 0;
  for (double z : normals) chi_square += z * z;
  return std::sqrt(static_cast<double>(normals.size()) / chi_square);
}

}  // namespace profiles

namespace {

Registry<Kernel>& Kernels() {
  static Registry<Kernel>& registry = *[] {
    auto* own = new Registry<Kernel>("kernel", "GetKernel", "RegisterKernel");
#define GPODE_KERNEL(name) own->AddStatic(profiles::name());
#include "kernel_list.h"
#undef GPODE_KERNEL
    return own;
  }();
  return registry;
}

}  // namespace

double Kernel::SpectralFactor(std::span<const double>) const { return 1.0; }

const Kernel& GetKernel(std::string_view name) { return Kernels().Get(name); }

std::vector<std::string> KernelNames() { return Kernels().Names(); }

void RegisterKernel(std::unique_ptr<const Kernel> kernel) { Kernels().Add(std::move(kernel)); }

}  // namespace gpode
