// Tests of options as text: every member is written and read, and mistakes are refused.
#include "options/fit_options.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

#include "options/option_values.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using internal::FromToml;
using internal::ParseToml;
using internal::ParseTomlValue;
using internal::ShowToml;
using internal::ToToml;
using internal::UnknownOptions;
using testing_support::MessageOf;

// Members<T>() counts the members of the aggregate T. It finds out with how many values T can be
// initialised. Each value is an Anything, which converts to every type.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT: implicit on purpose
};
template <typename T, typename... Values>
consteval std::size_t Members() {
  if constexpr (requires { T{Values()..., Anything()}; }) {
    return Members<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

TEST(FitOptions, EveryMemberIsInTheTable) {
  std::set<std::string> members;  // The options of a nested struct begin with the struct's name.
  std::size_t of_solver = 0;
  for (const OptionInfo& option : ListOptions()) {
    members.insert(option.name.substr(0, option.name.find('.')));
    of_solver += option.name.starts_with("solver.");
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
  EXPECT_EQ(members.size(), Members<FitOptions>()) << "src/options/fit_options.h lacks a member";
  EXPECT_EQ(of_solver, Members<SolverOptions>());
}

FitOptions Unusual() {
  FitOptions o;
  o.function = "network";
  o.posterior = "normals";
  o.bound = BoundKind::kShooting;
  o.observation = Observation::kPca;
  o.states = 3;
  o.kernel = "matern52";
  o.shared_hyperparameters = true;
  o.precision = FeaturePrecision::kFloat;
  o.learning_rate = 0.1 + 0.2;
  o.seed = std::numeric_limits<std::uint64_t>::max();
  o.solver.method = Method::kTsitouras54;
  o.solver.rtol = 1e-300;
  o.solver.max_step = 5;
  return o;
}

TEST(FitOptions, TextAndBackIsTheSame) {
  for (const FitOptions& options : {FitOptions(), Unusual()}) {
    for (bool with_help : {false, true}) {
      const FitOptions again = ParseOptions(OptionsText(options, with_help), "f");
      EXPECT_EQ(OptionsText(again), OptionsText(options));
    }
  }
  const FitOptions again = ParseOptions(OptionsText(Unusual()), "f");
  EXPECT_EQ(again.function, "network");
  EXPECT_EQ(again.posterior, "normals");
  EXPECT_EQ(again.bound, BoundKind::kShooting);
  EXPECT_EQ(again.kernel, "matern52");
  EXPECT_EQ(again.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(again.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(again.solver.method, Method::kTsitouras54);
}

TEST(FitOptions, TextIsWhatAPersonWouldWrite) {
  const std::string text = OptionsText({});
  for (const char* line :
       {"function = \"process\"\n", "posterior = \"blocks\"\n", "likelihood = \"gaussian\"\n",
        "bound = \"vanilla\"\n", "steps = 20000\n", "jitter = 1e-06\n",
        "shared_hyperparameters = false\n", "solver.method = \"dopri5\"\n",
        "solver.max_step = inf\n", "approach = 0.5\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;
  }
}

TEST(FitOptions, ATextSetsWhatItNamesAndLeavesTheRest) {
  const FitOptions options = ParseOptions(
      "# a comment\n\n  bound = \"shooting\"  # another\r\nsteps = 20_000\n"
      "learning_rate = +2e-2\n[solver]\nrtol = 1\nmethod=\"rk4\"",
      "f", Unusual());
  EXPECT_EQ(options.bound, BoundKind::kShooting);
  EXPECT_EQ(options.steps, 20000u);
  EXPECT_EQ(options.learning_rate, 0.02);
  EXPECT_EQ(options.solver.rtol, 1);
  EXPECT_EQ(options.solver.method, Method::kRungeKutta4);
  EXPECT_EQ(options.kernel, "matern52");
}

TEST(FitOptions, AKernelHasItsCanonicalName) {
  EXPECT_EQ(ParseOptions("kernel = \"se+linear\"", "f").kernel, "squared-exponential + linear");
  FitOptions options;
  SetOption(options, "kernel", "matern52 +polynomial2", "--kernel");
  EXPECT_EQ(options.kernel, "matern52 + polynomial2");
  EXPECT_EQ(ParseOptions(OptionsText(options), "f").kernel, options.kernel);
  SetOption(options, "kernel", "se", "--kernel");
  EXPECT_EQ(options.kernel, FitOptions().kernel);
}

TEST(FitOptions, MistakesAreNamedWithTheirLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\nsteps = -1", "f.toml:2: steps is -1, must be a whole number of at least 1"},
      {"steps = 1.5", "f.toml:1: steps is 1.5, must be a whole number of at least 1"},
      {"steps = 18446744073709551616", "f.toml:1: steps is 18446744073709551616, must be a whole"},
      {"steps = 0", "f.toml:1: steps is 0, must be at least 1"},
      {"features = 2000000", "f.toml:1: features is 2000000, must be at most 1000000"},
      {"approach = 1.5", "f.toml:1: approach is 1.5, must be between 0 and 1"},
      {"learning_rate = 0", "f.toml:1: learning_rate is 0, must be positive and finite"},
      {"learning_rate = inf", "f.toml:1: learning_rate is inf, must be finite"},
      {"learning_rate = nan", "f.toml:1: learning_rate is nan, must be positive and finite"},
      {"jitter = \"small\"", "f.toml:1: jitter is \"small\", must be a number"},
      {"bound = shooting", "f.toml:1: 'shooting' found, must be a number, true, false, a \"string"},
      {"bound = \"shoot\"", "f.toml:1: bound is \"shoot\", must be \"vanilla\" or \"shooting\""},
      {"kernel = 3", "f.toml:1: kernel is 3, must be a \"string\""},
      {"kernel = \"rbf\"",
       "f.toml:1: kernel is \"rbf\", must be one of matern32, matern52, squared-"},
      {"function = \"proces\"",
       "f.toml:1: function is \"proces\", must be one of process, network, equations"},
      {"posterior = \"block\"",
       "f.toml:1: posterior is \"block\", must be one of blocks, normals, point, draws"},
      {"likelihood = \"normal\"", "f.toml:1: likelihood is \"normal\", must be one of gaussian"},
      {"posterior = 1", "f.toml:1: posterior is 1, must be a \"string\""},
      {"model = \"npod\"", "f.toml:1: model is \"npod\", must be one of \"gpode\", \"npode\", "},
      {"model = \"npode-shooting\"", "f.toml:1: model is \"npode-shooting\", must be one of"},
      {"model = 1", "f.toml:1: model is 1, must be one of \"gpode\", "},
      {"noise_variance = [1, -1]",
       "f.toml:1: noise_variance is [1, -1], must be positive and finite"},
      {"seed = -1", "f.toml:1: seed is -1, must be a whole number, zero or more"},
      {"solver.method = \"rk5\"", "f.toml:1: solver.method is \"rk5\", must be one of \"euler\", "},
      {"shared_hyperparameters = 1",
       "f.toml:1: shared_hyperparameters is 1, must be true or false"},
      {"# x\nstep = 3",
       "f.toml:2: option 'step' is unknown, known: function, posterior, likelihood, positive, "
       "bound, "
       "observation"},
      {"steps = 3\n\nsteps = 4", "f.toml:3: steps is given twice, first on line 1"},
      {"steps 3", "f.toml:1: '3' found, must be '='"},
      {"steps = 3 4", "f.toml:1: '4' found, must be the end of the line"},
      {"steps =", "f.toml:1: nothing found, must be a number"},
      {"= 3", "f.toml:1: '= 3' found, must be a name"},
      {"kernel = \"a", "f.toml:1: nothing found, must be a closing quote"},
      {"kernel = \"\\x\"", "f.toml:1: 'x\"' found, must be one of"},
      {"steps = [1, 2", "f.toml:1: nothing found, must be ',' or ']'"},
      {"steps = [[[[[[[[[[[[", "f.toml:1: '[[[' found, must be fewer arrays within arrays"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = MessageOf([&] { ParseOptions(text, "f.toml"); });
    EXPECT_TRUE(message.starts_with(expected)) << message << "\n" << expected;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

// Older configuration and model files have one key, `model`, for function and posterior together.
// It must still be read.
TEST(FitOptions, TheOldKeyOfAModelSetsFunctionAndPosterior) {
  const std::vector<std::array<std::string, 3>> models = {
      {"gpode", "process", "blocks"},     {"npode", "process", "point"},
      {"neural", "network", "point"},     {"neural-vi", "network", "blocks"},
      {"neural-hmc", "network", "draws"}, {"gpode-hmc", "process", "draws"}};
  for (const auto& [name, function, posterior] : models) {
    const FitOptions options =
        ParseOptions("bound = \"shooting\"\nmodel = \"" + name + "\"\n", "f", Unusual());
    EXPECT_EQ(options.function, function) << name;
    EXPECT_EQ(options.posterior, posterior) << name;
    EXPECT_EQ(options.bound, BoundKind::kShooting) << "the bound has a key of its own";
  }
  EXPECT_EQ(OptionsText({}).find("model ="), std::string::npos) << "but is written no more";
}

TEST(FitOptions, AModelFileMayHaveOptionsOfLaterVersions) {
  const FitOptions options =
      internal::ReadOptions("steps = 3\nfuture = [[1], [2]]\n", "f", {}, UnknownOptions::kIgnore);
  EXPECT_EQ(options.steps, 3u);
  EXPECT_THROW(internal::ReadOptions("steps = 0", "f", {}, UnknownOptions::kIgnore), InputError);
}

TEST(FitOptions, OneAtATimeFromACommandLine) {
  FitOptions options;
  SetOption(options, "bound", "shooting", "--bound");
  SetOption(options, "kernel", "matern32", "--kernel");
  SetOption(options, "steps", "77", "--steps");
  EXPECT_EQ(options.bound, BoundKind::kShooting);
  EXPECT_EQ(options.kernel, "matern32");
  EXPECT_EQ(options.steps, 77u);
  SetOption(options, "noise_variance", ".5, 2.", "--noise-variance");
  EXPECT_EQ(options.noise_variance, (std::vector<double>{0.5, 2}));
  SetOption(options, "noise_variance", "0.25", "--noise-variance");
  EXPECT_EQ(options.noise_variance, (std::vector<double>{0.25}));
  EXPECT_EQ(MessageOf([&] { SetOption(options, "steps", "many", "fit: --steps"); }),
            "fit: --steps is \"many\", must be a whole number of at least 1");
  EXPECT_EQ(MessageOf([&] { SetOption(options, "steps", "0", "fit: --steps"); }),
            "fit: --steps is 0, must be at least 1");
  EXPECT_EQ(MessageOf([&] { SetOption(options, "learning_rate", "-.5", "fit: --learning-rate"); }),
            "fit: --learning-rate is -.5, must be positive and finite");
  EXPECT_EQ(MessageOf([&] { SetOption(options, "noise_variance", "1,x", "--noise"); }),
            "--noise is [1, \"x\"], must be a list of numbers");
  EXPECT_TRUE(MessageOf([&] {
                SetOption(options, "stops", "1", "gpode: fit");
              }).starts_with("gpode: fit: option 'stops' is unknown"));
}

TEST(FitOptions, ImpossibleCombinationsOfSizesAreRefused) {
  FitOptions options;
  options.features = 1000000;
  options.draws = 1000;
  EXPECT_EQ(MessageOf([&] { internal::CheckRanges(options, "Fit"); }),
            "Fit: features times draws is 1000000000, must be at most 100000000");
}

TEST(OptionValues, ListsAndMatrices) {
  std::vector<double> list;
  EXPECT_EQ(FromToml(ParseTomlValue("[1, 2.5, ]", "f"), list), "");
  EXPECT_EQ(list, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(ShowToml(ToToml(list)), "[1, 2.5]");
  EXPECT_EQ(FromToml(ParseTomlValue("3", "f"), list), "a list of numbers");
  EXPECT_EQ(FromToml(ParseTomlValue("[true]", "f"), list), "a list of numbers");
  Matrix matrix;
  EXPECT_EQ(FromToml(ParseToml("m = [[1, 2], # one\n  [3, 4],\n]\n", "f")[0].value, matrix), "");
  EXPECT_EQ(matrix, (Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(ShowToml(ToToml(matrix)), "[[1, 2], [3, 4]]");
  EXPECT_EQ(FromToml(ParseTomlValue("[]", "f"), matrix), "");
  EXPECT_EQ(matrix.size(), 0);
  EXPECT_NE(FromToml(ParseTomlValue("[[1], [2, 3]]", "f"), matrix), "");
  EXPECT_NE(FromToml(ParseTomlValue("[1]", "f"), matrix), "");
  Vector vector;
  EXPECT_EQ(FromToml(ParseTomlValue("[-1e3]", "f"), vector), "");
  EXPECT_EQ(vector[0], -1000);
  EXPECT_EQ(ShowToml(ToToml(vector)), "[-1000]");
}

TEST(OptionValues, StringsKeepEveryCharacter) {
  const std::string odd = "a\"b\\c\nd\te #";
  std::string again;
  EXPECT_EQ(FromToml(ParseTomlValue(ShowToml(ToToml(odd)), "f"), again), "");
  EXPECT_EQ(again, odd);
}

}  // namespace
}  // namespace gpode
