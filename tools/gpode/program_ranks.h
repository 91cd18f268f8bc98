// The processes that mpirun has started for this command (gpode/ranks.h).
//
// Rank 0 runs the command, and the other ranks help it to train. A command may instead be spread,
// as `gpode reproduce` is: every rank then runs the command and does its share of the experiments.
// A program that was built without MPI, or was not started by mpirun, has only one process.
//
// Thread safety: only the main thread may call these functions.
#pragma once

#include <functional>
#include <string>

#include "gpode/ranks.h"

namespace gpode::tool {

// Starts MPI, if it is there, and runs the command by calling `run`, whose result, the exit code,
// it returns. `run` is called on rank 0. If the command is spread, the other ranks call it after
// rank 0 has called BeginSpreadWork; otherwise they help with training.
int RunOnRanks(bool is_spread, const std::function<int()>& run);

// Returns the ranks of this command, or null if there is only one process.
Ranks* ProgramRanks();

// Tells the other ranks that the arguments of a spread command are valid and its work begins. Does
// nothing on ranks other than 0, or if there is only one process.
void BeginSpreadWork();

// Returns the version of MPI that the program was built with, such as "Open MPI v4.1.4", or "no
// MPI".
std::string DescribeMpi();

}  // namespace gpode::tool
