// The device functions of a build without CUDA, which report that there is no GPU.
#ifndef GPODE_CUDA
#include "device/engine.h"
#include "gpode/error.h"

namespace gpode::device {

std::string WhyNoGpu() {
  return "this build has no CUDA; script/build cuda makes a build with CUDA";
}
std::string GpuName() { return ""; }
std::string CudaVersion() { return ""; }

std::unique_ptr<Engine> MakeCudaEngine(const Problem&) {
  ThrowInput("fit", "--device", WhyNoGpu());
}

}  // namespace gpode::device
#endif
