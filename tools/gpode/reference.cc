// Implements `gpode help`, and `gpode completion` and `gpode manual`, which generate completion
// files and a manual page from the program's options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "experiments/tasks.h"
#include "gpode/gpode.h"
#include "io/files.h"
#include "output.h"

namespace gpode::tool {
namespace {

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command);
  return commands;
}

std::vector<std::string> OptionWords(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

// Returns the values that an option accepts, if its kind lists them as "auto|gpode|shooting".
std::vector<std::string> Choices(const CLI::Option& option) {
  std::vector<std::string> choices;
  std::string kind = option.get_type_name();
  if (kind.find('|') == std::string::npos) return choices;
  for (std::size_t end = 0; end != std::string::npos; kind.erase(0, end + 1)) {
    end = kind.find('|');
    choices.push_back(kind.substr(0, end));
    if (end == std::string::npos) break;
  }
  return choices;
}

std::string BashCompletion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : Commands(app)) {
    names.push_back(command->get_name());
    std::string words_after;
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string> choices = Choices(*option);
      if (choices.empty() || option->get_lnames().empty()) continue;
      words_after +=
          fmt::format("        --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                      option->get_lnames()[0], fmt::join(choices, " "));
    }
    if (!words_after.empty()) {
      words_after = "      case \"$previous\" in\n" + words_after + "      esac\n";
    }
    cases += fmt::format("    {})\n{}      options=\"{}\" ;;\n", command->get_name(), words_after,
                         fmt::join(OptionWords(*command), " "));
  }
  return fmt::format(
      "# bash completion for gpode {}\n"
      "_gpode() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} "
      "options=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n"
      "{}"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [ \"${{COMP_WORDS[1]}}\" = simulate ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "  elif [ \"${{COMP_WORDS[1]}}\" = reproduce ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o default -F _gpode gpode\n",
      Version(), fmt::join(names, " "), cases, fmt::join(SystemNames(), " "),
      fmt::join(experiments::TaskWords(), " "));
}

// Returns a text in single quotes for a shell, in one line and without a colon, which zsh would
// take for the end of a name.
std::string Quoted(const std::string& text, bool fish = false) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += fish ? "\\'" : "'\\''";
    } else if (c == '\\' && fish) {
      out += "\\\\";
    } else {
      out += c == '\n' ? ' ' : c == ':' && !fish ? ',' : c;
    }
  }
  return out + "'";
}

// Returns words that may come after a command: systems or tasks.
std::vector<std::string> ArgumentWords(const CLI::App& command) {
  if (command.get_name() == "simulate") return SystemNames();
  if (command.get_name() == "reproduce") return experiments::TaskWords();
  return {};
}

std::string ZshCase(const CLI::App& command) {
  std::string values, options;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> choices = Choices(*option);
    for (const std::string& name : option->get_lnames()) {
      options += fmt::format("      '--{}:{}\n", name, Quoted(option->get_description()).substr(1));
      if (!choices.empty()) {
        values +=
            fmt::format("      --{}) compadd -- {}; return ;;\n", name, fmt::join(choices, " "));
      }
    }
  }
  if (!values.empty()) values = "    case $words[CURRENT-1] in\n" + values + "    esac\n";
  const std::vector<std::string> words = ArgumentWords(command);
  return fmt::format(
      "  {})\n{}    options=(\n{}    )\n{}    ;;\n", command.get_name(), values, options,
      words.empty()
          ? ""
          : fmt::format("    [[ $PREFIX == -* ]] || compadd -- {}\n", fmt::join(words, " ")));
}

std::string ZshCompletion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : Commands(app)) {
    const std::string text = Quoted(command->get_description());
    commands += fmt::format("    '{}:{}\n", command->get_name(), text.substr(1));
    cases += ZshCase(*command);
  }
  return fmt::format(
      "#compdef gpode\n"
      "# zsh completion for gpode {}\n"
      "_gpode() {{\n"
      "  local -a commands options\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    compadd -- --help --version\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n{}  esac\n"
      "  if [[ $PREFIX == -* ]]; then _describe -o option options; else _files; fi\n"
      "}}\n"
      "if [[ $funcstack[1] == _gpode ]]; then _gpode \"$@\"; else compdef _gpode gpode; fi\n",
      Version(), commands, cases);
}

std::string FishCompletion(const CLI::App& app) {
  std::string text = fmt::format("# fish completion for gpode {}\n", Version());
  for (const CLI::App* command : Commands(app)) {
    const std::string& name = command->get_name();
    text += fmt::format("complete -c gpode -f -n __fish_use_subcommand -a {} -d {}\n", name,
                        Quoted(command->get_description(), true));
    const std::string after =
        fmt::format("complete -c gpode -n '__fish_seen_subcommand_from {}'", name);
    if (const auto words = ArgumentWords(*command); !words.empty()) {
      text += fmt::format("{} -a '{}'\n", after, fmt::join(words, " "));
    }
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_lnames().empty() && option->get_snames().empty()) continue;
      text += after;
      for (const std::string& word : option->get_lnames()) text += " -l " + word;
      for (const std::string& word : option->get_snames()) text += " -s " + word;
      const std::vector<std::string> choices = Choices(*option);
      if (!choices.empty()) {
        text += fmt::format(" -x -a '{}'", fmt::join(choices, " "));
      } else if (option->get_items_expected_max() > 0) {
        text += " -r";
      }
      text += fmt::format(" -d {}\n", Quoted(option->get_description(), true));
    }
  }
  return text;
}

// Returns the text escaped for roff, the format of manual pages: hyphens and backslashes are
// literal, and no line begins with '.' or "'", which would make it a command.
std::string Roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string OptionEntry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const bool flag = option.get_items_expected_max() == 0;
  const std::string kind =
      flag || names.empty() ? "" : " \\fI" + Roff(option.get_type_name()) + "\\fR";
  const std::string head =
      names.empty() ? Roff(option.get_name(true)) : Roff(fmt::format("{}", fmt::join(names, ", ")));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", head, kind, Roff(option.get_description()));
}

std::string CommandSection(const CLI::App& command) {
  std::string text =
      fmt::format(".SH gpode {}\n{}.\n", Roff(command.get_name()), Roff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) text += OptionEntry(*option);
  std::string examples = command.get_footer();
  if (!examples.empty()) {
    examples.erase(0, examples.find('\n') + 1);
    text += ".PP\nExamples:\n.nf\n" + Roff(examples) + "\n.fi\n";
  }
  return text;
}

std::string Manual(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH GPODE 1 \"\" \"gpode {}\"\n.SH NAME\ngpode \\- learn unknown ordinary differential "
      "equations from data, with uncertainty\n.SH SYNOPSIS\n\\fBgpode\\fR \\fICOMMAND\\fR "
      "[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n",
      Roff(Version()));
  text += Roff(
      "Learns the vector field behind noisy, irregular, gappy time series by Gaussian processes, "
      "forecasts with credible bands, fills gaps and scores forecasts.\n");
  for (const CLI::App* command : Commands(app)) text += CommandSection(*command);
  text +=
      ".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n1\ntraining failed, or a fault of the "
      "program\n.TP\n2\n"
      "bad input: one line on standard error says what was found, where, and what is accepted\n"
      ".TP\n130\ninterrupted, with everything saved\n";
  text += ".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set, plots in the terminal have no colours\n";
  return text;
}

}  // namespace

void AddHelp(CLI::App& app) {
  auto about = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Show how to use a command");
  command->add_option("COMMAND", *about, "the command (default: list all)");
  AddExamples(command, {"gpode help", "gpode help fit"});
  command->callback([&app, about] {
    const std::vector<const CLI::App*> commands = Commands(app);
    if (about->empty()) {
      // The program's own help; App::help would be that of this command, which was chosen.
      WriteToStandardOutput(
          app.get_formatter()->make_help(&app, "gpode", CLI::AppFormatMode::Normal));
      return;
    }
    std::vector<std::string> names;
    for (const CLI::App* one : commands) {
      names.push_back(one->get_name());
      if (names.back() == *about) return WriteToStandardOutput(one->help("gpode"));
    }
    const auto nearest = Nearest(*about, names);
    throw InputError(fmt::format("help: command {} is unknown; {}see gpode --help",
                                 internal::Quote(*about),
                                 nearest ? fmt::format("did you mean {}? ", *nearest) : ""));
  });
}

void AddCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App* command =
      app.add_subcommand("completion", "Print a completion file for bash, zsh or fish");
  command->add_option("SHELL", *shell, "bash, zsh or fish (default: bash)");
  AddExamples(command, {"source <(gpode completion)",
                        "gpode completion > ~/.local/share/bash-completion/completions/gpode",
                        "gpode completion zsh > ~/.zfunc/_gpode",
                        "gpode completion fish > ~/.config/fish/completions/gpode.fish"});
  command->callback([&app, shell] {
    if (*shell == "bash") return WriteToStandardOutput(BashCompletion(app));
    if (*shell == "zsh") return WriteToStandardOutput(ZshCompletion(app));
    if (*shell == "fish") return WriteToStandardOutput(FishCompletion(app));
    Refuse({"completion", "SHELL"}, *shell, "bash, zsh or fish");
  });
}

void AddManual(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page, for man");
  AddExamples(command, {"gpode manual | man -l -", "gpode manual > gpode.1"});
  command->callback([&app] { WriteToStandardOutput(Manual(app)); });
}

}  // namespace gpode::tool
