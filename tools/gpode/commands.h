// The subcommands, and what they share.
//
// Each Add… function registers one subcommand with its options, help and examples; its work is done
// in the callback once all words are read. Errors are InputErrors of one line; main prints them and
// sets the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpode/data_files.h"

namespace gpode::tool {

void AddSimulate(CLI::App& app);
void AddFit(CLI::App& app);
void AddForecast(CLI::App& app);
void AddImpute(CLI::App& app);
void AddField(CLI::App& app);
void AddPlot(CLI::App& app);
void AddScore(CLI::App& app);
void AddInfo(CLI::App& app);
void AddReport(CLI::App& app);
void AddReproduce(CLI::App& app);
void AddCompletion(CLI::App& app);
void AddManual(CLI::App& app);

// Ctrl-C: all is saved, main ends with exit code 130.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// A run that ended without a usable result, which it has saved all the same: exit code 1.
struct TrainingFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Options that most commands have.
struct Common {
  std::size_t threads = 0;  // 0: as many as the machine has
  std::uint64_t seed = 1;
  bool quiet = false, verbose = false, json = false;
};
void AddSeed(CLI::App* command, Common* common, const std::string& of);
void AddThreads(CLI::App* command, Common* common);
void AddQuiet(CLI::App* command, Common* common);
void AddVerbose(CLI::App* command, Common* common);
void AddJson(CLI::App* command, Common* common);

// Options about reading data files.
void AddReadOptions(CLI::App* command, ReadOptions* read);
// "Examples:" and one line each, at the end of the help.
void AddExamples(CLI::App* command, const std::vector<std::string>& examples);

// The command as one line that a shell would take; main says what was typed.
void SetCommandLine(int argc, const char* const* argv);
const std::string& CommandLine();

}  // namespace gpode::tool
