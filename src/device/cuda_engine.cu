// The engine that runs on a GPU, for systems with GPODE_DEVICE_STATES states. The build compiles
// this file once for each number of states (src/CMakeLists.txt).
#include <cuda_runtime.h>

#include "device/cuda_check.h"
#include "device/engine_steps.h"

namespace gpode::device {
namespace {

template <typename Kernel>
__global__ void __launch_bounds__(Kernel::kMostThreads) Launch(const __grid_constant__ Work w) {
  Kernel::Run(CudaBlock(), w);
}

// Runs kernels in order on one stream. Between Fork and Join, kernels with `beside` run on a second
// stream at the same time as the others. Repeated steps are captured as a graph.
class CudaBackend {
 public:
  CudaBackend() {
    RequireGpu();
    int device = 0;
    CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
    CheckCuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
              "cudaDeviceGetAttribute");
    int shared = 0;
    CheckCuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "cudaDeviceGetAttribute");
    most_shared_ = static_cast<std::size_t>(shared);
    CheckCuda(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking), "cudaStreamCreate");
    CheckCuda(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t* event : {&fork_, &again_, &join_}) {
      CheckCuda(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreate");
    }
    for (cudaEvent_t* event : {&begin_, &end_})
      CheckCuda(cudaEventCreate(event), "cudaEventCreate");
  }
  ~CudaBackend() {
    ForgetGraphs();
    for (cudaEvent_t event : {fork_, again_, join_, begin_, end_}) cudaEventDestroy(event);
    for (cudaStream_t stream : {main_, side_}) cudaStreamDestroy(stream);
    cudaFree(memory_);
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  int processors() const { return processors_; }
  std::size_t most_shared() const { return most_shared_; }

  std::byte* Allocate(std::size_t bytes) {
    ForgetGraphs();
    CheckCuda(cudaFree(memory_), "cudaFree");
    memory_ = nullptr;
    RequireMemory(cudaMalloc(&memory_, bytes), bytes);
    // A double with these bytes is NaN, so that tests detect reads of memory that was never
    // written.
    CheckCuda(cudaMemset(memory_, 0xff, bytes), "cudaMemset");
    CheckCuda(cudaDeviceSynchronize(), "cudaMemset");
    return static_cast<std::byte*>(memory_);
  }
  void Upload(void* to, const void* from, std::size_t bytes) {
    CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, main_), "cudaMemcpy");
    Wait();
  }
  void Download(void* to, const void* from, std::size_t bytes) {
    CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, main_), "cudaMemcpy");
    Wait();
  }

  template <typename Kernel>
  void Run(const Grid& grid, const Work& w, bool beside) {
    if (grid.shared > 48 * 1024) {
      CheckCuda(cudaFuncSetAttribute(Launch<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(grid.shared)),
                Kernel::kName);
    }
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y));
    Launch<Kernel>
        <<<blocks, static_cast<unsigned>(grid.threads), grid.shared, beside ? side_ : main_>>>(w);
    CheckCuda(cudaGetLastError(), Kernel::kName);
  }

  template <typename Step>
  void Repeat(std::size_t count, Step&& step) {
    while (count > 0) {
      const std::size_t steps = count >= kStepsOfGraph ? kStepsOfGraph : 1;
      cudaGraphExec_t& graph = steps == 1 ? single_ : several_;
      if (graph == nullptr) graph = Capture(steps, step);
      CheckCuda(cudaGraphLaunch(graph, main_), "cudaGraphLaunch");
      count -= steps;
    }
    Wait();
  }

  template <typename Body>
  double Seconds(Body&& body) {
    CheckCuda(cudaEventRecord(begin_, main_), "cudaEventRecord");
    body();
    CheckCuda(cudaEventRecord(end_, main_), "cudaEventRecord");
    Wait();
    float milliseconds = 0;
    CheckCuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  void Fork() {
    CheckCuda(cudaEventRecord(fork_, main_), "cudaEventRecord");
    CheckCuda(cudaStreamWaitEvent(side_, fork_), "cudaStreamWaitEvent");
  }
  // Makes the second stream, which is already forked, wait for all earlier kernels of the first.
  void ForkAgain() {
    CheckCuda(cudaEventRecord(again_, main_), "cudaEventRecord");
    CheckCuda(cudaStreamWaitEvent(side_, again_), "cudaStreamWaitEvent");
  }
  void Join() {
    CheckCuda(cudaEventRecord(join_, side_), "cudaEventRecord");
    CheckCuda(cudaStreamWaitEvent(main_, join_), "cudaStreamWaitEvent");
  }
  void Wait() { CheckCuda(cudaStreamSynchronize(main_), "a kernel"); }

 private:
  static constexpr std::size_t kStepsOfGraph = 10;

  template <typename Step>
  cudaGraphExec_t Capture(std::size_t steps, Step&& step) {
    CheckCuda(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal), "capture");
    for (std::size_t i = 0; i < steps; ++i) step();
    cudaGraph_t graph = nullptr;
    CheckCuda(cudaStreamEndCapture(main_, &graph), "capture");
    cudaGraphExec_t exec = nullptr;
    CheckCuda(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    CheckCuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return exec;
  }
  void ForgetGraphs() {
    for (cudaGraphExec_t* graph : {&single_, &several_}) {
      if (*graph != nullptr) cudaGraphExecDestroy(*graph);
      *graph = nullptr;
    }
  }

  int processors_ = 0;
  std::size_t most_shared_ = 0;
  void* memory_ = nullptr;
  cudaStream_t main_ = nullptr, side_ = nullptr;
  cudaEvent_t fork_ = nullptr, again_ = nullptr, join_ = nullptr, begin_ = nullptr, end_ = nullptr;
  cudaGraphExec_t single_ = nullptr, several_ = nullptr;
};

}  // namespace

template <int D>
std::unique_ptr<Engine> MakeCudaEngineFor(const Problem& problem) {
  if (problem.is_single) return std::make_unique<EngineFor<D, float, CudaBackend>>(problem);
  return std::make_unique<EngineFor<D, double, CudaBackend>>(problem);
}
template std::unique_ptr<Engine> MakeCudaEngineFor<GPODE_DEVICE_STATES>(const Problem& problem);

}  // namespace gpode::device
