// Queries about the GPUs of this machine, and checks of CUDA's status codes.
#ifdef GPODE_CUDA
#include <fmt/format.h>

#include <stdexcept>

#include "device/cuda_check.h"
#include "gpode/error.h"

namespace gpode::device {
namespace {

constexpr int kLeastMajor = 9;  // the lowest major compute capability that the code supports

std::string Version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string FindWhyNoGpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    return fmt::format("there is no GPU: {}",
                       cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status));
  }
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  if (properties.major < kLeastMajor) {
    return fmt::format("the {} has compute capability {}.{}, must have at least {}.0",
                       properties.name, properties.major, properties.minor, kLeastMajor);
  }
  return "";
}

}  // namespace

void CheckCuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(
      fmt::format("the GPU failed in {}: {}", call, cudaGetErrorString(status)));
}

void RequireMemory(cudaError_t status, std::size_t bytes) {
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    ThrowInput(
        "fit", "--device",
        fmt::format("cuda: the run needs {:.1f} GB of the GPU's memory, which it does not have",
                    1e-9 * static_cast<double>(bytes)));
  }
  CheckCuda(status, "cudaMalloc");
}

void RequireGpu() {
  if (const std::string reason = WhyNoGpu(); !reason.empty()) ThrowInput("fit", "--device", reason);
}

std::string WhyNoGpu() {
  static const std::string reason = FindWhyNoGpu();
  return reason;
}

std::string GpuName() {
  if (!WhyNoGpu().empty()) return "";
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return properties.name;
}

std::string CudaVersion() {
  int driver = 0;
  const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  return fmt::format("CUDA {}, {}", Version(CUDART_VERSION),
                     !has_driver          ? "no driver on this machine"
                     : WhyNoGpu().empty() ? GpuName()
                                          : WhyNoGpu());
}

std::unique_ptr<Engine> MakeCudaEngine(const Problem& problem) {
  RequireGpu();
  switch (problem.sizes.dim) {
    case 1:
      return MakeCudaEngineFor<1>(problem);
    case 2:
      return MakeCudaEngineFor<2>(problem);
    case 3:
      return MakeCudaEngineFor<3>(problem);
    case 4:
      return MakeCudaEngineFor<4>(problem);
    case 5:
      return MakeCudaEngineFor<5>(problem);
    case 6:
      return MakeCudaEngineFor<6>(problem);
    default:
      ThrowInput("MakeCudaEngine", "problem", "has too many states");
  }
}

}  // namespace gpode::device
#endif
