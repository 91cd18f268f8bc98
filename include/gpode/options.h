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

#include "gpode/fit_options.h"

namespace gpode {

// Returns all options, one per line. With `with_help`, a comment before each line describes it.
std::string OptionsText(const FitOptions& options, bool with_help = false);

// Returns `base` with the options that the text sets. Unknown names, wrong types and values out of
// range are InputErrors that name the source and the line.
FitOptions ParseOptions(std::string_view text, std::string_view source,
                        const FitOptions& base = {});

// Sets one option from a word of the command line: strings need no quotes, lists no brackets. Error
// messages begin with `source`: "--inducing is 0, must be at least 1".
void SetOption(FitOptions& options, std::string_view name, std::string_view value,
               std::string_view source);

// The models that have names, as `gpode fit --model` and `gpode reproduce --models` know them:
// "gpode", "shooting" (GPODE with that bound), "npode", "npode-shooting", "neural", ...
struct NamedModel {
  std::string name;
  std::string title;  // for tables: "Bayesian NeuralODE (VI), shooting"
  std::string function, posterior;
  BoundKind bound;
};
const std::vector<NamedModel>& ListModels();
// Returns the model that the options describe. Choices that no named model makes get a name made of
// them.
NamedModel NameOf(const FitOptions& options);
// Sets function, posterior and bound; an unknown name is an error that begins with `source`.
void SetModel(FitOptions& options, std::string_view name, std::string_view source);
// Tells whether the posterior is sampled (nuts.h) rather than trained.
bool IsSampled(const FitOptions& options);

struct OptionInfo {
  std::string name, default_value, help;
};
std::vector<OptionInfo> ListOptions();

}  // namespace gpode
