// The memory that a process may use.
//
// Thread safety: any thread may call the function.
#pragma once

namespace gpode::internal {

// Returns the largest number of bytes that this process can have: the memory of the machine, or
// less if the system limits the process or its control group. Returns infinity if it is not known.
double MemoryLimit();

}  // namespace gpode::internal
