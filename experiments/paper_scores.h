// The figures that ours are compared with: the paper's tables (Hegde et al. 2022), and later work
// on the same tasks.
//
// Thread safety: plain functions and values.
//
//   for (const PaperRow& figure : PaperRowsOf("fhn")) ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode::experiments {

// Mean and standard error over runs, as printed; NaN: not given.
struct PaperScore {
  double mean, error;
};

struct PaperRow {
  std::string task;
  std::string
      method;  // ours of that name is compared with it; empty: later work, by another method
  std::string title;
  PaperScore mnll, mse;
};

const std::vector<PaperRow>& AllPaperRows();
std::vector<PaperRow> PaperRowsOf(std::string_view task);

}  // namespace gpode::experiments
