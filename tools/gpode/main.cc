// The command line's entry point: registers the subcommands, prints errors as one line, sets the
// exit code.
//
//   0    done          1    a fault of the program
//   2    bad input     130  interrupted, with all saved
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "arguments.h"
#include "commands.h"
#include "gpode/gpode.h"
#include "io/files.h"

namespace gpode::tool {
namespace {

constexpr int kFault = 1, kBadInput = 2, kInterrupted = 130;
constexpr std::size_t kHelpColumn = 30;

// The subcommand that was named, or the program itself.
const CLI::App& Chosen(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

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

// What to say of a word that no command or option takes.
std::string Unexpected(const CLI::App& app, const std::string& word) {
  const CLI::App& command = Chosen(app);
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> known = NamesOf(command, true);
  // After a lone "--" even an option is but a word.
  const bool option = word.starts_with('-') && word != "-" &&
                      std::find(known.begin(), known.end(), name) == known.end();
  const bool subcommand = !option && &command == &app;
  const std::string here = &command == &app ? "" : command.get_name() + ": ";
  const std::string kind = option ? "option" : subcommand ? "command" : "argument";
  if (!option && !subcommand) {
    return fmt::format("{}{} is one word too many; see gpode {} --help", here,
                       internal::Quote(word), command.get_name());
  }
  const auto nearest = Nearest(name, NamesOf(command, option));
  const std::string help =
      &command == &app ? "gpode --help" : fmt::format("gpode {} --help", command.get_name());
  return fmt::format("{}{} {} is unknown; {}see {}", here, kind, internal::Quote(name),
                     nearest ? fmt::format("did you mean {}? ", *nearest) : "", help);
}

// CLI11's complaints in our words.
std::string Describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Chosen(app);
  const std::string here = &command == &app ? "" : command.get_name() + ": ";
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    return extras.empty() ? here + what : Unexpected(app, extras.front());
  }
  const std::string option = what.substr(0, what.find_first_of(": "));
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return fmt::format("{}{} is missing; see gpode {} --help", here, option, command.get_name());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (what.find("flag override") != std::string::npos) {
      return fmt::format("{}--{} takes no value", here, option);
    }
    const bool twice =
        what.find("received") != std::string::npos || what.find("At Most") != std::string::npos;
    return fmt::format("{}{} {}", here, option, twice ? "is given twice" : "has no value after it");
  }
  return here + what.substr(0, what.find('\n'));
}

// The name of the command that was asked for, or nothing.
std::string asked_for;

// Returns the line with control characters, which file names may hold, as \xNN.
std::string OneLine(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    text += control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return text;
}

void Complain(std::string_view message) { fmt::print(stderr, "gpode: {}\n", OneLine(message)); }

// Library functions whose arguments are options of the commands, and where these options are found.
struct OptionSource {
  std::string_view function, prefix;
};
constexpr OptionSource kOptionSources[] = {{"Fit", ""},      {"Solver", "solver."},
                                           {"Simulate", ""}, {"SolveSystem", ""},
                                           {"Forecast", ""}, {"Posterior", ""}};

// Complains about the command's option where the library complains about a function's argument.
void Complain(const InputError& error) {
  for (const OptionSource& source : kOptionSources) {
    if (asked_for.empty() || error.function() != source.function) continue;
    return Complain(
        fmt::format("{}: {}{} {}", asked_for, source.prefix, error.argument(), error.message()));
  }
  Complain(error.what());
}

int Run(int argc, char** argv) {
  CLI::App app(fmt::format(
      "gpode {}: learns unknown ordinary differential equations from data, with uncertainty",
      Version()));
  app.name("gpode");
  app.set_version_flag("--version", fmt::format("gpode {}", Version()));
  app.get_formatter()->column_width(kHelpColumn);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  AddSimulate(app);
  AddFit(app);
  AddForecast(app);
  AddImpute(app);
  AddField(app);
  AddPlot(app);
  AddScore(app);
  AddInfo(app);
  AddReport(app);
  AddReproduce(app);
  AddCompletion(app);
  AddManual(app);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
  app.require_subcommand(0, 1);
  AddExamples(&app, {"gpode simulate vdp -o vdp.csv", "gpode fit vdp.csv -o vdp.gpode",
                     "gpode forecast vdp.gpode --until 14 --plot"});
  SetCommandLine(argc, argv);
  if (argc > 1) asked_for = argv[1];
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    Complain(Describe(app, error));
    return kBadInput;
  }
}

}  // namespace
}  // namespace gpode::tool

int main(int argc, char** argv) {
  using namespace gpode::tool;
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is an error of writing, with a message
  try {
    const int code = Run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      Complain("standard output cannot be written to its end");
      return kBadInput;
    }
    return code;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const gpode::InputError& error) {
    Complain(error);
    return kBadInput;
  } catch (const std::system_error&) {
    Complain("standard output cannot be written to its end");
    return kBadInput;
  } catch (const std::bad_alloc&) {
    Complain("not enough memory for this");
    return kBadInput;
  } catch (const std::exception& error) {
    Complain(error.what());
    return kFault;
  }
}
