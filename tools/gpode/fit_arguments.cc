#include "fit_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "arguments.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/npz.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/number_text.h"

namespace gpode::tool {
namespace {

// The name, the kind of value and the help text of a frequently used option, for a member of
// FitOptions.
struct NamedOption {
  std::string option, kind, help;
};
const std::map<std::string, NamedOption>& NamedOptions() {
  static const std::map<std::string, NamedOption> named = {
      {"states", {"--states", "N", "dimension of the state (default: number of channels)"}},
      {"kernel",
       {"--kernel", "NAME",
        "covariance function of the vector field, such as matern52 or \"se + linear\""}},
      {"inducing", {"--inducing", "N", "number of inducing points of the Gaussian process"}},
      {"features", {"--features", "N", "number of Fourier features of a draw"}},
      {"steps", {"--iterations", "N", "maximal number of training steps"}},
      {"draws", {"--draws", "N", "functions drawn per step"}},
      {"batch", {"--batch", "N", "observation times per step; 0: all"}},
      {"learning_rate", {"--learning-rate", "X", "learning rate of the optimiser"}},
      {"positive",
       {"--positive", "CHANNEL,...",
        "channels that cannot be negative, as in hare,lynx=sqrt; alone or all: every channel, "
        "by its logarithm"}},
      {"period",
       {"--period", "P,...",
        "periods of a clock that drives the system, such as 24, in the unit of the times"}},
      {"hold", {"--hold", "previous|linear", "inputs between their samples"}},
      {"noise_variance", {"--noise", "V,...", "known noise variance: one, or one per channel"}},
      {"process_noise",
       {"--process-noise", "NAME|S,...",
        "random force on the states: none, learnt, or its known size per square root of time"}},
      {"segment", {"--segment", "N", "observation gaps per shooting segment"}},
      {"form",
       {"--form", "NAME",
        "equations of a common form: growth, second-order, hamiltonian, coupled-hamiltonian, "
        "gradient or divergence-free"}},
      {"damping",
       {"--damping", "X",
        "linear loss of --form second-order or hamiltonian: a number, or learnt"}},
      {"solver.method", {"--solver", "NAME", "integration method; esdirk4 is for stiff systems"}},
      {"solver.rtol", {"--rtol", "X", "relative tolerance of the solver"}},
      {"solver.atol", {"--atol", "X", "absolute tolerance of the solver"}},
  };
  return named;
}

// Returns true for the members of FitOptions that have a hand-written option, such as --seed.
bool HasOwnOption(const std::string& name) {
  return name == "model" || name == "bound" || name == "equations" || name == "observation" ||
         name == "seed" || name == "threads" || name == "time_input" || name == "tolerance" ||
         name == "tight_tolerance" || name.starts_with("observation_map");
}

std::string OptionName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '_' || c == '.'; }, '-');
  return "--" + name;
}

// Returns the value of --positive. The option may stand without a value, for which CLI11 gives
// "true"; a file name after it is then the first data file.
std::string TakePositive(std::string word, FitArguments* a) {
  if (word.empty() || word == "true") return "all";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(word, ignored)) return word;
  a->first_file = std::move(word);
  return "all";
}

// Adds the option for one member of FitOptions. The value is tried on default options as soon as it
// is read, so that an error is found before any work is done.
void AddFitOption(CLI::App* command, FitArguments* a, const OptionInfo& info) {
  const auto named = NamedOptions().find(info.name);
  const bool common = named != NamedOptions().end();
  const std::string option = common ? named->second.option : OptionName(info.name);
  const std::string help = common ? named->second.help : info.help;
  const bool has_default = info.default_value != "[]" && help.find("default") == std::string::npos;
  CLI::Option* const added = AddWord(
      command, option, common ? named->second.kind : "VALUE",
      [a, name = info.name](const Place& place, std::string word) {
        const std::string source = fmt::format("{}: {}", place.command, place.option);
        if (name == "positive") word = TakePositive(std::move(word), a);
        if (name == "states") ParseCount(place, word, {1, 1'000'000});
        FitOptions trial;
        SetOption(trial, name, word, source);
        a->given.push_back(name);
        a->changes.push_back([=](RunConfig& c) { SetOption(c.fit, name, word, source); });
      },
      has_default ? fmt::format("{} (default: {})", help, info.default_value) : help);
  added->group(common ? "Options" : "More options");
  if (info.name == "positive") added->expected(0, 1);
}

// Parses "learnt", "fixed", "lowered", or the final value of a lowered tolerance.
void ParseTolerance(const Place& place, const std::string& word, FitArguments* a) {
  const std::string source = fmt::format("{}: {}", place.command, place.option);
  a->given.emplace_back("tolerance");
  if (word == "learnt" || word == "fixed" || word == "lowered") {
    a->changes.push_back([=](RunConfig& c) { SetOption(c.fit, "tolerance", word, source); });
    return;
  }
  const std::optional<double> number = internal::ToNumber(word);
  if (!number || !(*number > 0) || !std::isfinite(*number)) {
    Refuse(place, word, "a positive number, learnt, fixed or lowered");
  }
  a->changes.push_back([x = *number](RunConfig& c) {
    c.fit.tight_tolerance = x;
    c.fit.loose_tolerance = std::max(c.fit.loose_tolerance, x);
  });
}

void ParseInitial(const Place& place, const std::string& word, FitArguments* a) {
  if (!IsInitial(word)) Refuse(place, word, kInitialWords);
  a->changes.push_back([=](RunConfig& c) { c.initial = word; });
}

std::vector<double> ParseRow(const Place& place, const std::string& word, std::string_view row) {
  try {
    return ParseNumbers(place, row, kSaneNumber);
  } catch (const InputError&) {
    Refuse(place, word, "identity, pca, rows of a matrix as in 1,0;0,1, or an .npy file");
  }
}

Matrix ParseMatrix(const Place& place, const std::string& word) {
  std::vector<std::vector<double>> rows;
  std::string_view rest = word;
  while (true) {
    const std::size_t end = rest.find(';');
    rows.push_back(ParseRow(place, word, rest.substr(0, end)));
    if (rows.back().size() != rows.front().size()) {
      Refuse(place, word, "rows of equal length");
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  Matrix matrix(std::ssize(rows), std::ssize(rows.front()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), matrix.row(static_cast<Eigen::Index>(i)).begin());
  }
  return matrix;
}

Matrix ReadMatrix(const Place& place, const std::string& word) {
  const Array array = ReadNpy(word);
  if (array.shape.size() != 2) Refuse(place, word, "an array (channels, states)");
  return Eigen::Map<const Matrix>(array.values.data(), static_cast<Eigen::Index>(array.shape[0]),
                                  static_cast<Eigen::Index>(array.shape[1]));
}

}  // namespace

void AddDataOptions(CLI::App* command, FitArguments* a) {
  AddReadOptions(command, [a](const ReadChange& change) {
    a->changes.push_back([=](RunConfig& c) { change(c.read); });
  });
}

void AddHoldout(CLI::App* command, FitArguments* a, const std::string& help) {
  AddWord(
      command, "--holdout", "SHARE",
      [a](const Place& place, const std::string& word) {
        if (!ParseShare(word)) Refuse(place, word, kShareWords);
        a->holdout = word;
      },
      "hold back this share of each trajectory's rows, the last ones, as in 0.2 or 20%" + help);
  AddWord(
      command, "--holdout-after", "T",
      [a](const Place& place, const std::string& word) {
        CheckTimeWord(place, word);
        a->holdout_after = word;
      },
      "hold back all rows after this time instead");
}

void AddModelOptions(CLI::App* command, FitArguments* a) {
  AddWord(
      command, "--observe", "HOW",
      [a](const Place&, const std::string& word) { a->observe = word; },
      "map from states to channels: identity, pca, rows of a matrix as in 1,0;0,1, "
      "or an .npy file (default: identity; channels are the first states if there are fewer)");
  AddWord(
      command, "--tolerance", "X",
      [a](const Place& place, const std::string& word) { ParseTolerance(place, word, a); },
      "final tolerance of shooting relative to the spread of states, or learnt (default: 0.01)");
  for (const OptionInfo& info : ListOptions()) {
    if (!HasOwnOption(info.name)) AddFitOption(command, a, info);
  }
  AddWord(
      command, "--equations", "FILE",
      [a](const Place& place, const std::string& word) {
        if (word.empty()) Refuse(place, word, "a file");
        a->given.emplace_back("equations");
        a->equations = word;
        const std::vector<std::byte> bytes = internal::ReadFile(word);
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        a->changes.push_back([=](RunConfig& c) { c.fit.equations = text; });
      },
      "file with known equations, whose unknown parts are learnt (docs/known-equations.md)");
  AddWord(
      command, "--initial", "WHEN",
      [a](const Place& place, const std::string& word) { ParseInitial(place, word, a); },
      "time of the initial state: first (observation), gap (one gap earlier) or a time "
      "(default: first)");
  AddWord(
      command, "--inputs-from", "FILE",
      [a](const Place& place, const std::string& word) {
        if (word.empty()) Refuse(place, word, "a file");
        a->changes.push_back([=](RunConfig& c) { c.inputs_from = word; });
      },
      "file with the inputs, at times of its own (default: columns of DATA)");
  command
      ->add_flag_callback(
          "--time-input",
          [a] {
            a->given.emplace_back("time_input");
            a->changes.push_back([](RunConfig& c) { c.fit.time_input = true; });
          },
          "the time itself drives the system")
      ->disable_flag_override()
      ->group("Options");
  AddWord(
      command, "--seed", "N",
      [a](const Place& place, const std::string& word) {
        const std::uint64_t seed = ParseCount(place, word);
        a->changes.push_back([=](RunConfig& c) { c.fit.seed = seed; });
      },
      "seed of training; the same seed gives the same model on machines with the same instruction "
      "sets (default: 1)");
}

void AddFitOptions(CLI::App* command, FitArguments* a) {
  command->add_option("DATA", a->files, "data files, each with one or more trajectories");
  AddName(command, "-o,--output", "FILE", &a->out,
          "model file (default: name of the first data file with .gpode)");
  std::vector<std::string> models = {"auto"};
  for (const NamedModel& model : ListModels()) models.push_back(model.name);
  AddChoice(
      command, "--model", &a->model, models,
      "gpode: GPODE on whole trajectories; shooting: GPODE on short segments; auto (default): the "
      "joint posterior (--posterior joint) with kernel se + linear for up to 100 times and 6 "
      "states; for more than 100 times, up to 3000 values, the first of joint, shooting and gpode "
      "that forecasts held-back rows better than simple forecasts do; for other data, and with an "
      "option of training such as --iterations, shooting for 100 or more times in a row, otherwise "
      "gpode; other models of the vector field: npode, neural and neural-vi, each also with "
      "-shooting; neural-hmc; gpode-hmc");
  AddName(command, "--validation", "FILE", &a->validation, "held-out data for early stopping");
  AddHoldout(
      command, a,
      "; forecast them beside simple models, widen bands that are too narrow, then learn from "
      "everything");
  AddSwitch(command, "--no-refit", &a->no_refit,
            "keep the model that has not seen the held-back rows");
  AddModelOptions(command, a);
  AddName(command, "--config", "FILE", &a->config,
          "TOML file with options; options of the command line take precedence");
  AddSwitch(command, "--resume", &a->resume, "resume the run in the model file");
  AddSwitch(command, "--force", &a->force,
            "do not keep a model that the new one replaces (default: it becomes NAME~)");
  AddWord(
      command, "--device", "NAME",
      [a](const Place& place, const std::string& word) {
        if (word != "cpu" && word != "cuda" && word != "auto") {
          Refuse(place, word, "cpu, cuda or auto");
        }
        a->device = word == "cpu" ? Device::kCpu : word == "cuda" ? Device::kCuda : Device::kAuto;
      },
      "the device that trains: cpu, cuda (a GPU) or auto (a GPU where it is faster) (default: cpu; "
      "docs/gpu.md)");
  AddNumber(command, "--checkpoint", &a->checkpoint_seconds, {.least = 0},
            "seconds between checkpoints of a long run; 0: none (default: 5)");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddVerbose(command, &a->common);
  AddJson(command, &a->common);
  AddDataOptions(command, a);
}

RunConfig ConfigOf(const FitArguments& a) {
  RunConfig config;
  config.read.fewest_rows = 2;
  if (!a.config.empty()) config = ReadConfig(a.config, config);
  for (const auto& change : a.changes) change(config);
  if (!a.files.empty()) config.files = a.files;
  if (!a.first_file.empty()) {
    if (a.files.empty()) config.files.clear();
    config.files.insert(config.files.begin(), a.first_file);
  }
  if (!a.validation.empty()) config.validation = a.validation;
  if (a.holdout || a.holdout_after) {
    config.holdout = a.holdout.value_or("");
    config.holdout_after = a.holdout_after.value_or("");
  }
  if (a.no_refit) config.refit = false;
  if (!config.holdout.empty() && !config.holdout_after.empty()) {
    ThrowInput("fit", "--holdout", "cannot be combined with --holdout-after");
  }
  if (!config.files.empty() && a.no_refit && config.holdout.empty() &&
      config.holdout_after.empty()) {
    ThrowInput("fit", "--no-refit", "needs --holdout or --holdout-after");
  }
  return config;
}

void SetObservation(const std::optional<std::string>& observe, std::size_t channels,
                    FitOptions* options) {
  const Place place{"fit", "--observe"};
  if (!observe) {
    const bool plain = options->observation == Observation::kIdentity && options->states > 0;
    if (plain && options->states < channels) {
      ThrowInput(
          "fit", "--states",
          fmt::format("is {} for {} channels, must be at least as many, or see --observe pca",
                      options->states, channels));
    }
    CompleteObservation(channels, options);
    return;
  }
  options->observation_map = {};
  if (*observe == "identity" || *observe == "pca") {
    SetOption(*options, "observation", *observe, "fit: --observe");
    if (*observe == "pca" && options->states == 0) {
      ThrowInput("fit", "--states", "is missing, must be the number of principal components");
    }
    return;
  }
  options->observation = Observation::kMatrix;
  options->observation_map.matrix =
      observe->ends_with(".npy") ? ReadMatrix(place, *observe) : ParseMatrix(place, *observe);
  const Matrix& matrix = options->observation_map.matrix;
  if (static_cast<std::size_t>(matrix.rows()) != channels) {
    Refuse(place, *observe, fmt::format("a matrix with {} rows, one per channel", channels));
  }
  if (options->states != 0 && static_cast<Eigen::Index>(options->states) != matrix.cols()) {
    Refuse(place, *observe,
           fmt::format("a matrix with {} columns, one per state", options->states));
  }
}

}  // namespace gpode::tool
