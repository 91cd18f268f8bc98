// The commands of the program, and the options and functions that they share.
//
// Each Add… function registers one command with its options, help and examples. The command's
// callback does the work after all words of the command line are read. Errors are InputErrors of
// one line; main prints them and sets the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
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
void AddAnalyse(CLI::App& app);
void AddExplain(CLI::App& app);
void AddCompare(CLI::App& app);
void AddDesign(CLI::App& app);
void AddPlot(CLI::App& app);
void AddScore(CLI::App& app);
void AddInfo(CLI::App& app);
void AddReport(CLI::App& app);
void AddReproduce(CLI::App& app);
void AddCompareModels(CLI::App& app);
void AddHelp(CLI::App& app);
void AddCompletion(CLI::App& app);
void AddManual(CLI::App& app);

// The exception that is thrown after Ctrl-C, when everything is saved. The exit code is then 130.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// The exception that is thrown if training ended without a usable model. The exit code is then 1.
struct TrainingFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The exception that is thrown if all draws of a forecast are lost, after all output has been
// written. The exit code is then 1.
struct ForecastFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The values of options that most commands have.
struct CommonOptions {
  std::size_t threads = 0;  // 0: as many as the machine has cores
  std::uint64_t seed = 1;
  bool quiet = false, verbose = false, json = false;
};
// Each adds one of these options; `seeded` says in the help what the seed is for.
void AddSeed(CLI::App* command, CommonOptions* common, const std::string& seeded);
void AddThreads(CLI::App* command, CommonOptions* common);
void AddQuiet(CLI::App* command, CommonOptions* common);
void AddVerbose(CLI::App* command, CommonOptions* common);
void AddJson(CLI::App* command, CommonOptions* common);
// Adds --raw, for bands without the widening of gpode/widening.h.
void AddRaw(CLI::App* command, bool* raw);

// A change that the command line makes to the options for reading data files, and all such changes.
using ReadChange = std::function<void(ReadOptions&)>;
using ReadChanges = std::vector<ReadChange>;
// Adds the options for reading data files, except those named in `without`. add(change) is called
// for each option that is given.
void AddReadOptions(CLI::App* command, const std::function<void(ReadChange)>& add,
                    const std::vector<std::string>& without = {});
void AddReadOptions(CLI::App* command, ReadChanges* changes,
                    const std::vector<std::string>& without = {});
// Returns the options with these changes.
ReadOptions Changed(ReadOptions options, const ReadChanges& changes);
// Adds "Examples:" and the examples, one per line, at the end of the help.
void AddExamples(CLI::App* command, const std::vector<std::string>& examples);

// SetCommandLine stores the words of the command line; CommandLine returns them as one line that a
// shell accepts.
void SetCommandLine(int argc, const char* const* argv);
const std::string& CommandLine();

}  // namespace gpode::tool
