// FitOptions as text, for configuration files, model files and the command line: lines
// `name = value` in a subset of TOML. Names are those of the members; enumerators are quoted words.
//
//   bound = "shooting"
//   steps = 20000
//   solver.rtol = 1e-06
//
// Errors are InputErrors with a message of one line: "fit.toml:3: steps is -1, must be a whole
// number, zero or more".
//
// Thread safety: all functions may be called from any thread.
//
//   FitOptions options = ParseOptions(text, "fit.toml");
//   SetOption(options, "inducing", "32", "--inducing");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
#include "gpode/fit_options.h"

namespace gpode {

// Returns the numbers of FitOptions::process_noise; none if it is "none" or "learnt".
std::vector<double> KnownProcessNoise(const FitOptions& options);

// Returns all options, one per line. If `with_help` is true, a comment describes each of them.
std::string OptionsText(const FitOptions& options, bool with_help = false);

// Returns `base` with the options that the text sets. Unknown names, wrong types and values out of
// range are InputErrors that name the source and the line.
FitOptions ParseOptions(std::string_view text, std::string_view source,
                        const FitOptions& base = {});

// Sets one option from a word of the command line, where strings have no quotes and lists no
// brackets. Error messages begin with `source`: "--inducing is 0, must be at least 1".
void SetOption(FitOptions& options, std::string_view name, std::string_view value,
               std::string_view source);

// A model that has a name, for `gpode fit --model` and `gpode reproduce --models`: "gpode",
// "shooting" (GPODE with the shooting bound), "npode", "npode-shooting", "neural", ...
struct NamedModel {
  std::string name;
  std::string title;  // for tables: "Bayesian NeuralODE (VI), shooting"
  std::string function, posterior;
  BoundKind bound;
};
const std::vector<NamedModel>& ListModels();
// Returns the named model that the options describe. If there is none, the name is composed of the
// choices of function, posterior and bound.
NamedModel NameOf(const FitOptions& options);
// Sets function, posterior and bound to those of the model with this name. Throws an InputError
// that begins with `source` if the name is unknown.
void SetModel(FitOptions& options, std::string_view name, std::string_view source);
// Tells whether the posterior is made by a sampler rather than trained.
bool IsSampled(const FitOptions& options);
// Returns the number of states of a model: that of the option `states` or, without it, that of the
// given observation map or, without either, the number of channels.
std::size_t CountStates(const FitOptions& options, std::size_t channels);

// Returns the options that say what kind of file was read, as text for Dataset::reading; empty if
// they are the defaults.
std::string ReadingText(const ReadOptions& options);
// Returns options for files of the same kind as those that the data came from: their columns,
// separators, markers and calendar. Columns that a file does not have are found anew.
ReadOptions OptionsLike(const Dataset& data);

struct OptionInfo {
  std::string name, default_value, help;
};
std::vector<OptionInfo> ListOptions();

}  // namespace gpode
