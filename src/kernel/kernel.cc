#include "gpode/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "gpode/error.h"
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

#define GPODE_KERNEL(name) &profiles::name(),
const auto& AllKernels() {
  static const std::array kernels = {
#include "kernel_list.h"
  };
  return kernels;
}
#undef GPODE_KERNEL

}  // namespace

double Kernel::SpectralFactor(std::span<const double>) const { return 1.0; }

const Kernel& GetKernel(std::string_view name) {
  for (const Kernel* kernel : AllKernels()) {
    if (kernel->name() == name) return *kernel;
  }
  ThrowInput("GetKernel", "name",
             fmt::format("is '{}', must be one of {}", name, fmt::join(KernelNames(), ", ")));
}

std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const Kernel* kernel : AllKernels()) names.emplace_back(kernel->name());
  return names;
}

}  // namespace gpode
