// Blocks of threads, which execute the kernels of the device (kernels/*.h).
//
// A kernel is a function template whose parameter is the type of the block. CudaBlock runs it on a
// GPU. HostBlock runs the same function on the CPU, one thread after the other: tests compare the
// two, and most errors are found on machines without a GPU. A kernel's body is a list of phases,
//
//   block.ForThreads([&](int t) { ... });   // what thread t does
//   block.Sync();                           // the next phase may use what other threads wrote
//
// and a variable that a thread keeps from one phase to the next is a PerThread. Within a phase,
// threads must not depend on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#ifdef __CUDACC__
#define GPODE_HD __host__ __device__
#define GPODE_HD_INLINE __host__ __device__ __forceinline__
#define GPODE_UNROLL _Pragma("unroll")
#define GPODE_UNROLL_BY(n) GPODE_PRAGMA(unroll n)
#define GPODE_PRAGMA(text) _Pragma(#text)
#else
#define GPODE_HD
#define GPODE_HD_INLINE inline
#define GPODE_UNROLL
#define GPODE_UNROLL_BY(n)
#endif

namespace gpode::device {

class HostBlock {
 public:
  // `x` and `y` are the block's place in the grid; `shared` is its shared memory.
  HostBlock(int x, int y, int threads, std::byte* shared)
      : x_(x), y_(y), threads_(threads), shared_(shared) {}

  GPODE_HD int x() const { return x_; }
  GPODE_HD int y() const { return y_; }
  GPODE_HD int threads() const { return threads_; }
  GPODE_HD std::byte* shared() const { return shared_; }
  template <typename Visit>
  GPODE_HD void ForThreads(Visit&& visit) const {
    for (int t = 0; t < threads_; ++t) visit(t);
  }
  GPODE_HD void Sync() const {}
  // Like ForThreads, but only for the first 32 threads.
  template <typename Visit>
  GPODE_HD void ForWarp(Visit&& visit) const {
    for (int t = 0; t < 32; ++t) visit(t);
  }
  GPODE_HD void SyncWarp() const {}
  static constexpr bool kIsHost = true;

 private:
  int x_, y_, threads_;
  std::byte* shared_;
};

#ifdef __CUDACC__
extern __shared__ double2 gpode_shared_memory[];

class CudaBlock {
 public:
  __device__ __forceinline__ int x() const { return static_cast<int>(blockIdx.x); }
  __device__ __forceinline__ int y() const { return static_cast<int>(blockIdx.y); }
  __device__ __forceinline__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ std::byte* shared() const {
    return reinterpret_cast<std::byte*>(gpode_shared_memory);
  }
  template <typename Visit>
  __device__ __forceinline__ void ForThreads(Visit&& visit) const {
    visit(static_cast<int>(threadIdx.x));
  }
  __device__ __forceinline__ void Sync() const { __syncthreads(); }
  template <typename Visit>
  __device__ __forceinline__ void ForWarp(Visit&& visit) const {
    if (threadIdx.x < 32) visit(static_cast<int>(threadIdx.x));
  }
  __device__ __forceinline__ void SyncWarp() const {
    if (threadIdx.x < 32) __syncwarp();
  }
  static constexpr bool kIsHost = false;
};
#endif

// A variable of which each thread of a block has its own copy.
template <typename Block, typename T>
class PerThread {
 public:
  GPODE_HD explicit PerThread(const Block& block) {
    if constexpr (Block::kIsHost) values_.resize(static_cast<std::size_t>(block.threads()));
  }
  GPODE_HD T& operator()(int t) {
    if constexpr (Block::kIsHost) {
      return values_[static_cast<std::size_t>(t)];
    } else {
      return values_;
    }
  }

 private:
  std::conditional_t<Block::kIsHost, std::vector<T>, T> values_{};
};

// Divides a block's shared memory into arrays.
class SharedMemory {
 public:
  GPODE_HD explicit SharedMemory(std::byte* memory) : memory_(memory) {}
  template <typename T>
  GPODE_HD T* Take(std::size_t count) {
    T* const taken = reinterpret_cast<T*>(memory_ + used_);
    used_ += (count * sizeof(T) + 15) / 16 * 16;
    return taken;
  }
  // Returns the number of bytes taken so far.
  GPODE_HD std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace gpode::device
