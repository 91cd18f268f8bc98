// The program's entry point: registers the commands, prints errors as one line, sets the exit code.
//
//   0      success
//   1      training failed, all draws of a forecast are lost, or a fault of the program
//   2      bad input
//   130    interrupted, with everything saved
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "arguments.h"
#include "commands.h"
#include "device/engine.h"
#include "gpode/gpode.h"
#include "io/files.h"
#include "output.h"
#include "program_ranks.h"
#include "simd/simd.h"

namespace gpode::tool {
namespace {

constexpr int kFault = 1, kBadInput = 2, kInterrupted = 130;
constexpr std::size_t kHelpColumn = 30;

// Returns the command that the command line names, or the program itself if it names none.
const CLI::App& ChosenCommand(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

// Returns the long names of all options, or the names of all commands if `options` is false.
std::vector<std::string> NamesOf(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  }
  return names;
}

// Returns the message about a word that no command or option accepts.
std::string DescribeUnexpected(const CLI::App& app, const std::string& word) {
  const CLI::App& command = ChosenCommand(app);
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> known = NamesOf(command, true);
  // A known option can be unexpected only after a lone "--", where it is an argument.
  const bool option = word.starts_with('-') && word != "-" &&
                      std::find(known.begin(), known.end(), name) == known.end();
  const bool subcommand = !option && &command == &app;
  const std::string here = &command == &app ? "" : command.get_name() + ": ";
  const std::string kind = option ? "option" : subcommand ? "command" : "argument";
  if (!option && !subcommand) {
    return fmt::format("{}{} is unexpected; see gpode {} --help", here, internal::Quote(word),
                       command.get_name());
  }
  const auto nearest = Nearest(name, NamesOf(command, option));
  const std::string help =
      &command == &app ? "gpode --help" : fmt::format("gpode {} --help", command.get_name());
  return fmt::format("{}{} {} is unknown; {}see {}", here, kind, internal::Quote(name),
                     nearest ? fmt::format("did you mean {}? ", *nearest) : "", help);
}

// Returns the version and facts about how the program was built and which instructions it uses.
std::string DescribeBuild() {
#ifdef __clang__
  const std::string compiler = fmt::format("Clang {}.{}", __clang_major__, __clang_minor__);
#else
  const std::string compiler = fmt::format("GCC {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
#ifdef __AVX2__
  const std::string least = "x86-64-v3";
#else
  const std::string least = "any CPU of its kind";
#endif
  const std::string cuda = device::CudaVersion();
  return fmt::format(
      "gpode {}\nbuilt with {}, Eigen {}.{}.{} and {} for {}; its loops use {} here{}", Version(),
      compiler, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, DescribeMpi(), least,
      simd::Name(simd::ActiveIsa()), cuda.empty() ? "" : "\n" + cuda);
}

// Returns the first example of a command's help; empty if there is none.
std::string FirstExample(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const std::size_t begin = footer.find("\n  ");
  if (begin == footer.npos) return "";
  return footer.substr(begin + 3, footer.find('\n', begin + 3) - begin - 3);
}

// Returns the program's message for an error of CLI11.
// `nothing_given` is true if the command line is no more than the name of a command.
std::string Describe(const CLI::App& app, const CLI::ParseError& error, bool nothing_given) {
  const CLI::App& command = ChosenCommand(app);
  const std::string here = &command == &app ? "" : command.get_name() + ": ";
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    return extras.empty() ? here + what : DescribeUnexpected(app, extras.front());
  }
  const std::string option = what.substr(0, what.find_first_of(": "));
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::string example = FirstExample(command);
    return fmt::format("{}{} is missing{}; see gpode {} --help", here, option,
                       nothing_given && !example.empty() ? ", for example " + example : "",
                       command.get_name());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (what.find("flag override") != std::string::npos) {
      return fmt::format("{}--{} takes no value", here, option);
    }
    const bool twice =
        what.find("received") != std::string::npos || what.find("At Most") != std::string::npos;
    return fmt::format("{}{} {}", here, option, twice ? "is given twice" : "needs a value");
  }
  return here + what.substr(0, what.find('\n'));
}

// The name of the command that runs; empty if there is none.
std::string command_name;

void PrintError(std::string_view message) { PrintToError("gpode: {}\n", SafeLine(message)); }

// Prints a remark, once only, that there are fewer threads than requested. A command may make
// several pools.
void PrintThreadShortage(std::size_t wanted, std::size_t size) {
  static std::atomic<bool> printed = false;
  if (printed.exchange(true)) return;
  PrintRemark(
      fmt::format("gpode: the system cannot start {} threads; continuing with {}, which "
                  "changes no result",
                  wanted, size));
}

// A function of the library, as InputErrors name it, whose arguments the user gives as options. The
// names of these options are the names of the arguments with this prefix.
struct OptionSource {
  std::string_view function, prefix;
};
constexpr OptionSource kOptionSources[] = {
    {"Fit", ""},          {"Solver", "solver."}, {"Simulate", ""},
    {"SolveSystem", ""},  {"Forecast", ""},      {"ForecastPushed", ""},
    {"Posterior", ""},    {"Condition", ""},     {"AnalysePosterior", ""},
    {"ExplainModel", ""}, {"CompareFields", ""}, {"DesignMeasurements", ""},
    {"CompareModels", ""}};

// Prints an error. If the error is about an argument of one of kOptionSources, names the command
// and its option instead, which the user knows.
void PrintError(const InputError& error) {
  for (const OptionSource& source : kOptionSources) {
    if (command_name.empty() || error.function() != source.function) continue;
    return PrintError(
        fmt::format("{}: {}{} {}", command_name, source.prefix, error.argument(), error.message()));
  }
  PrintError(error.what());
}

int Run(int argc, char** argv) {
  CLI::App app(fmt::format(
      "gpode {}: learns unknown ordinary differential equations from data, with uncertainty",
      Version()));
  app.name("gpode");
  app.set_version_flag("--version", DescribeBuild());
  app.get_formatter()->column_width(kHelpColumn);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  AddSimulate(app);
  AddFit(app);
  AddForecast(app);
  AddImpute(app);
  AddField(app);
  AddAnalyse(app);
  AddExplain(app);
  AddCompare(app);
  AddDesign(app);
  AddPlot(app);
  AddScore(app);
  AddInfo(app);
  AddReport(app);
  AddCompareModels(app);
  AddReproduce(app);
  AddHelp(app);
  AddCompletion(app);
  AddManual(app);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
  app.require_subcommand(0, 1);
  AddExamples(&app, {"gpode simulate vdp -o vdp.csv", "gpode fit vdp.csv -o vdp.gpode",
                     "gpode forecast vdp.gpode --until 14 --plot"});
  SetCommandLine(argc, argv);
  if (argc > 1) command_name = argv[1];
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) Print("{}", app.help());
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    PrintError(Describe(app, error, argc == 2));
    return kBadInput;
  }
}

// Runs the command, and prints its error if there is one. Returns the exit code. Throws bad_alloc
// if the memory is exhausted.
int RunAndPrintError(int argc, char** argv) {
  try {
    simd::ActiveIsa();  // refuses a bad GPODE_SIMD before any work
    const int code = Run(argc, argv);
    if (!StandardOutputIsComplete()) {
      PrintError("standard output cannot be written completely");
      return kBadInput;
    }
    return code;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const InputError& error) {
    PrintError(error);
    return kBadInput;
  } catch (const std::system_error& error) {
    PrintError(fmt::format("the operating system reports an error: {}", error.what()));
    return kBadInput;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    PrintError(error.what());
    return kFault;
  }
}

// Prints the message about exhausted memory, which needs no memory itself.
void PrintOutOfMemory() { std::fputs("gpode: not enough memory for this\n", stderr); }

// Runs the command and returns the exit code. The message about exhausted memory may replace that of
// another error.
int RunAndReport(int argc, char** argv) {
  try {
    return RunAndPrintError(argc, argv);
  } catch (const std::bad_alloc&) {
    PrintOutOfMemory();
    return kBadInput;
  }
}

// The destructors of JSON values allocate memory, and an exception that leaves a destructor ends the
// process. If it is that of exhausted memory, this handler prints the usual message and ends with
// the usual code in place of an abort.
[[noreturn]] void EndProcess() {
  if (const std::exception_ptr exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
      PrintOutOfMemory();
      std::_Exit(kBadInput);
    } catch (...) {
      // All other exceptions abort.
    }
  }
  std::abort();
}

}  // namespace
}  // namespace gpode::tool

int main(int argc, char** argv) {
  using namespace gpode::tool;
  std::set_terminate(EndProcess);
  OpenStandardDescriptors();
  gpode::SetThreadShortageHandler(PrintThreadShortage);
  // By default, writing a file larger than the system's limit kills the process. With the signal
  // ignored, the write fails with an error.
  std::signal(SIGXFSZ, SIG_IGN);
  const bool is_spread = argc > 1 && std::string_view(argv[1]) == "reproduce";
  return RunOnRanks(is_spread, [&] { return RunAndReport(argc, argv); });
}
