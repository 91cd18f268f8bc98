// The engine that runs the device's kernels on the CPU, for tests.
#include "device/engine_steps.h"
#include "gpode/error.h"

namespace gpode::device {
namespace {

class HostBackend {
 public:
  int processors() const { return 4; }
  std::size_t most_shared() const { return 227 * 1024; }

  std::byte* Allocate(std::size_t bytes) {
    // New memory is filled with NaN, so that tests detect reads of memory that was never written.
    memory_.assign(bytes / sizeof(double) + 64, std::numeric_limits<double>::quiet_NaN());
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return reinterpret_cast<std::byte*>(memory_.data()) + (256 - address % 256) % 256;
  }
  void Upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  void Download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

  template <typename Kernel>
  void Run(const Grid& grid, const Work& w, bool) {
    RunOnHost<Kernel>(grid, w);
  }
  template <typename Steps>
  void Repeat(std::size_t count, Steps&& step) {
    for (std::size_t i = 0; i < count; ++i) step();
  }
  template <typename Body>
  double Seconds(Body&& body) {
    body();
    return 0;
  }
  void Fork() {}
  void ForkAgain() {}
  void Join() {}
  void Wait() {}

 private:
  std::vector<double> memory_;
};

template <int D>
std::unique_ptr<Engine> MakeFor(const Problem& problem) {
  if (problem.is_single) return std::make_unique<EngineFor<D, float, HostBackend>>(problem);
  return std::make_unique<EngineFor<D, double, HostBackend>>(problem);
}

}  // namespace

std::unique_ptr<Engine> MakeHostEngine(const Problem& problem) {
  switch (problem.sizes.dim) {
    case 1:
      return MakeFor<1>(problem);
    case 2:
      return MakeFor<2>(problem);
    case 3:
      return MakeFor<3>(problem);
    case 4:
      return MakeFor<4>(problem);
    default:
      ThrowInput("MakeHostEngine", "problem", "has too many states for the emulation, at most 4");
  }
}

}  // namespace gpode::device
