// draw_paper_figures RESULTS DATA OUT: draws the paper's figures as `gpode reproduce` does at its
// end, for the tests.
#include <fmt/format.h>

#include "experiments/figures/paper_figures.h"
#include "gpode/error.h"

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  try {
    for (const auto& path : gpode::experiments::WritePaperFigures(argv[1], argv[2], argv[3])) {
      fmt::print("{}\n", path.string());
    }
    return 0;
  } catch (const gpode::InputError& error) {
    fmt::print(stderr, "gpode: {}\n", error.what());
    return 2;
  }
}
