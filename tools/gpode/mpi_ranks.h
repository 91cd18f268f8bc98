// The ranks of a program that mpirun has started (gpode/ranks.h), on Open MPI or another MPI 3.
//
// Thread safety: only the thread that made the object may use it.
//
//   const std::unique_ptr<Ranks> ranks = StartMpi();  // null without mpirun
#pragma once

#include <memory>

#include "gpode/ranks.h"

namespace gpode::tool {

// Returns the ranks of this program; null if it was not started by mpirun. MPI ends with the
// object, when all ranks have destroyed theirs.
std::unique_ptr<Ranks> StartMpi();

// Returns the version of the MPI library: "Open MPI v4.1.4".
std::string MpiVersion();

}  // namespace gpode::tool
