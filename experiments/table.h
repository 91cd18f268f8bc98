// Runs tasks and prints their scores as a Markdown table.
#pragma once

#include <cstdint>
#include <vector>

#include "gpode/forecast.h"
#include "tasks.h"

namespace gpode::experiments {

struct RunOptions {
  std::vector<BoundKind> bounds = {BoundKind::kVanilla, BoundKind::kShooting};
  std::uint64_t seeds = 5;  // each task is learnt with seeds 1, 2, ...
  std::size_t steps = 0;    // 0: the default
  Origin from = Origin::kInitialState;
};

// All (row, bound, task, seed) go in parallel, one thread each; a row is printed when it and those
// before it are done.
void PrintTable(const std::vector<Row>& rows, const RunOptions& options);

}  // namespace gpode::experiments
