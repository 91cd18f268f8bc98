// The command line's entry point: finds the subcommand, prints errors as one line, sets the exit
// code.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "gpode/gpode.h"
#include "subcommands.h"

namespace {

constexpr int kBadInput = 2;

void PrintHelp() {
  fmt::print(
      "gpode {}: learns unknown ordinary differential equations from data\n\n"
      "usage: gpode SUBCOMMAND [ARGUMENTS]\n"
      "  learn       learn a simulated system from noisy observations, show the forecast\n"
      "  portrait    draw vector fields from a Gaussian process, integrate them, show them\n\n"
      "  --help, --version; gpode SUBCOMMAND --help says more\n",
      gpode::Version());
}

int Run(int argc, char** argv) {
  const char* command = argc > 1 ? argv[1] : "--help";
  if (std::strcmp(command, "--version") == 0) {
    fmt::print("gpode {}\n", gpode::Version());
    return 0;
  }
  if (std::strcmp(command, "--help") == 0 || std::strcmp(command, "-h") == 0) {
    PrintHelp();
    return 0;
  }
  if (std::strcmp(command, "learn") == 0) return gpode::tool::Learn(argc - 2, argv + 2);
  if (std::strcmp(command, "portrait") == 0) return gpode::tool::Portrait(argc - 2, argv + 2);
  fmt::print(stderr,
             "gpode: unknown subcommand '{}', must be learn or portrait; see gpode --help\n",
             command);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const gpode::InputError& error) {
    fmt::print(stderr, "gpode: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpode: {}\n", error.what());
    return 1;
  }
}
