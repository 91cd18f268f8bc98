// The devices that tests of src/device run on: the emulation on the CPU, and a GPU if there is one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "device/engine.h"
#include "gpode/training.h"

namespace gpode::testing_support {

// Tests of this fixture run on both devices. Without a GPU, those on the GPU are skipped with a
// message.
class OnDevice : public ::testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (GetParam() == Device::kCuda && !device::WhyNoGpu().empty()) {
      GTEST_SKIP() << "no GPU: " << device::WhyNoGpu();
    }
  }
  static std::unique_ptr<device::Engine> Make(const device::Problem& problem) {
    return GetParam() == Device::kCuda ? device::MakeCudaEngine(problem)
                                       : device::MakeHostEngine(problem);
  }
};

inline std::string DeviceName(const ::testing::TestParamInfo<Device>& info) {
  return info.param == Device::kCuda ? "Gpu" : "Emulated";
}

#define GPODE_ON_DEVICES(Suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, ::testing::Values(Device::kEmulated, Device::kCuda), \
                           ::gpode::testing_support::DeviceName)

}  // namespace gpode::testing_support
