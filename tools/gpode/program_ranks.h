// The processes that mpirun has started for this command (gpode/ranks.h).
//
// Rank 0 runs the command; the other ranks help it to train. `gpode reproduce` is spread: every
// rank runs the command, and does its share of the experiments. A program that was built without
// MPI, or was not started by mpirun, is alone.
//
// Thread safety: only the main thread may call these functions.
#pragma once

#include <functional>
#include <string>

#include "gpode/ranks.h"

namespace gpode::tool {

// Starts MPI, if there is any, and runs the command. `run` returns the command's exit code, and so
// does this function. It calls `run` on rank 0 and, if the command is spread, on the other ranks
// after rank 0 has called BeginSpreadWork.
int RunOnRanks(bool is_spread, const std::function<int()>& run);

// Returns the ranks of this command; null if the program is alone.
Ranks* ProgramRanks();

// Says that the arguments of a spread command are right and its work begins. It does nothing on
// other ranks than 0, or if the program is alone.
void BeginSpreadWork();

// Returns the MPI that the program was built with, such as "Open MPI v4.1.4"; "no MPI" if there is
// none.
std::string DescribeMpi();

}  // namespace gpode::tool
