#include "gpode/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <mutex>
#include <utility>

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

// The known kernels, which are never removed.
class Registry {
 public:
  const Kernel* Find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    return FindLocked(name);
  }

  std::vector<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const Kernel* kernel : known_) names.emplace_back(kernel->name());
    return names;
  }

  void Add(std::unique_ptr<const Kernel> kernel) {
    const std::string_view name = kernel->name();
    if (name.empty()) ThrowInput("RegisterKernel", "the kernel's name", "is empty");
    const std::lock_guard lock(mutex_);
    if (FindLocked(name) != nullptr) {
      ThrowInput("RegisterKernel", "the kernel's name", fmt::format("'{}' is taken", name));
    }
    known_.push_back(kernel.get());
    registered_.push_back(std::move(kernel));
  }

 private:
  const Kernel* FindLocked(std::string_view name) const {
    for (const Kernel* kernel : known_) {
      if (kernel->name() == name) return kernel;
    }
    return nullptr;
  }

  mutable std::mutex mutex_;
#define GPODE_KERNEL(name) &profiles::name(),
  std::vector<const Kernel*> known_ = {
#include "kernel_list.h"
  };
#undef GPODE_KERNEL
  std::vector<std::unique_ptr<const Kernel>> registered_;
};

Registry& Kernels() {
  static Registry registry;
  return registry;
}

}  // namespace

double Kernel::SpectralFactor(std::span<const double>) const { return 1.0; }

const Kernel& GetKernel(std::string_view name) {
  if (const Kernel* kernel = Kernels().Find(name)) return *kernel;
  ThrowInput("GetKernel", "name",
             fmt::format("is '{}', must be one of {}", name, fmt::join(KernelNames(), ", ")));
}

std::vector<std::string> KernelNames() { return Kernels().Names(); }

void RegisterKernel(std::unique_ptr<const Kernel> kernel) { Kernels().Add(std::move(kernel)); }

}  // namespace gpode
