// The ranks of a program that mpirun has started (gpode/ranks.h), on Open MPI or another MPI 3.
//
// Thread safety: only the thread that made the object may use it.
//
//   const std::unique_ptr<Ranks> ranks = StartMpi();  // null without mpirun
#pragma once

#include <memory>

#include "gpode/ranks.h"

namespace gpode::tool {

// Returns the ranks of this program, or null if mpirun did not start it. Destroying the object ends
// MPI, and waits until all ranks have destroyed theirs.
std::unique_ptr<Ranks> StartMpi();

// Returns the version of the MPI library, such as "Open MPI v4.1.4".
std::string MpiVersion();

}  // namespace gpode::tool
