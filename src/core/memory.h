// The memory that a process may use.
//
// Thread safety: any thread may call the function.
#pragma once

namespace gpode::internal {

// Returns the number of bytes that this process can have at most: the memory of the machine, or less
// where the system limits the process or its control group. Infinite if that is not known.
double MemoryLimit();

}  // namespace gpode::internal
