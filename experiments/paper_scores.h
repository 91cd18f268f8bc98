// Published scores that ours are compared with: the paper's tables (Hegde et al. 2022), and later
// work on the same tasks.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   for (const PaperRow& row : PaperRowsOf("fhn")) ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode::experiments {

// A mean over runs and its standard error as published; NaN if it was not published.
struct PaperScore {
  double mean, error;
};

struct PaperRow {
  std::string task;
  std::string method;  // our corresponding method; empty if there is none
  std::string title;
  PaperScore mnll, mse;
};

const std::vector<PaperRow>& AllPaperRows();
std::vector<PaperRow> PaperRowsOf(std::string_view task);

}  // namespace gpode::experiments
