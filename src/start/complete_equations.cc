// Completes the options of a fit with known equations. See CompleteEquations in gpode/fit_input.h.
#include <fmt/format.h>

#include <algorithm>

#include "field/equation_system.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/link.h"
#include "start/equation_forms.h"

namespace gpode {
namespace {

std::string Line(std::string_view word, const std::vector<std::string>& names,
                 const std::vector<Link>& links = {}) {
  std::string line(word);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find_first_of("\"\n\r") != std::string::npos) {
      ThrowInput("Fit", "equations",
                 fmt::format("cannot name the column '{}', which has a quote or a line end in its "
                             "name; rename it",
                             names[i]));
    }
    line += (i == 0 ? " " : ", ") + EquationName(names[i]);
    if (!links.empty() && links[i] == Link::kLog) line += " in log";
  }
  return line + '\n';
}

EquationNames NamesOf(const Dataset& data, const FitOptions& options) {
  return {data.channels, options.InputsWith(data.inputs).AllNames()};
}

// Returns the text of options.equations or, if there is one, of options.form.
std::string TextOf(const Dataset& data, const FitOptions& options) {
  const std::string form = FormText(data, options);
  if (form.empty()) return options.equations;
  const EquationNames names = NamesOf(data, options);
  const std::string whole =
      Line("channels", names.channels, LinksOf(options.positive, names.channels)) +
      Line("inputs", names.inputs) + form;
  if (!options.equations.empty() && options.equations != whole) {
    ThrowInput("Fit", "form", "cannot be combined with equations");
  }
  return whole;
}

void CheckNames(std::string_view source, std::string_view what,
                const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  if (found == expected) return;
  throw InputError(fmt::format("{}: {} are{}, must be those of the data,{}", source, what,
                               Line("", found).substr(0, Line("", found).size() - 1),
                               Line("", expected).substr(0, Line("", expected).size() - 1)));
}

}  // namespace

void CompleteEquations(const Dataset& data, FitOptions* options, std::string_view source) {
  std::string text = TextOf(data, *options);
  if (text.empty()) {
    if (options->function == "equations") {
      ThrowInput("Fit", "equations", "is empty, but the function asks for equations");
    }
    return;
  }
  options->function = "equations";
  EquationSystem system = ParseEquations(text, source, NamesOf(data, *options));
  if (system.uses_time && !options->time_input) {
    options->time_input = true;
    system = ParseEquations(text, source, NamesOf(data, *options));
  }
  const EquationNames names = NamesOf(data, *options);
  const std::vector<Link> links = LinksOf(options->positive, names.channels);
  if (std::ranges::count(links, Link::kSqrt) > 0) {
    ThrowInput("Fit", "positive",
               "has a channel with the link sqrt, which equations and forms do not know; use log");
  }
  if (!system.has_names) {
    text = Line("channels", names.channels, links) + Line("inputs", names.inputs) + text;
    system = ParseEquations(text, source, names);
  }
  const std::vector<std::string> channels(
      system.states.begin(), system.states.begin() + static_cast<std::ptrdiff_t>(system.channels));
  CheckNames(source, "channels", channels, names.channels);
  CheckNames(source, "inputs", system.inputs, names.inputs);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (system.is_log[c] == (!links.empty() && links[c] == Link::kLog)) continue;
    ThrowInput(
        "Fit", "positive",
        fmt::format("and the equations' line of channels differ in the link of '{}'", channels[c]));
  }
  options->equations = text;
  const std::size_t states = system.states.size();
  if (options->states != 0 && options->states != states) {
    ThrowInput(
        "Fit", "states",
        fmt::format("is {}, but the equations have {}; leave it out", options->states, states));
  }
  const auto own = static_cast<Eigen::Index>(names.channels.size());
  const bool is_plain = options->observation == Observation::kIdentity ||
                        (options->observation == Observation::kMatrix &&
                         options->observation_map.matrix.rows() == own &&
                         options->observation_map.matrix.isIdentity(0) &&
                         options->observation_map.offset.size() == 0);
  if (!is_plain) {
    ThrowInput("Fit", "observation", "must be the identity for equations, whose states have names");
  }
  options->states = states;
  CompleteObservation(names.channels.size(), options);
}

}  // namespace gpode
