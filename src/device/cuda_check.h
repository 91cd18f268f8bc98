// Checks of CUDA's status codes, and the engines for each number of states (cuda_engine.cu).
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "device/engine.h"

namespace gpode::device {

// Throws a std::runtime_error that names the call and CUDA's reason.
void CheckCuda(cudaError_t status, const char* call);
// Checks the status of an allocation of this many bytes. If the GPU has too little memory, throws
// an InputError that says how much is needed.
void RequireMemory(cudaError_t status, std::size_t bytes);
// Throws an InputError if there is no GPU.
void RequireGpu();

template <int D>
std::unique_ptr<Engine> MakeCudaEngineFor(const Problem& problem);

}  // namespace gpode::device
