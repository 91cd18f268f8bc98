// Implements `gpode explain`, which writes a model's field as readable equations. The work is done
// in src/analyse/explain.cc.
#include "gpode/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "output.h"
#include "readable.h"
#include "report/insight_json.h"
#include "report/model_view.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr double kLeastShown = 0.01;  // the lowest probability of a term that is printed

struct Arguments {
  std::string model, out, latex, terms;
  std::size_t degree = 3, draws = 64;
  double level = 0.9;
  CommonOptions common;
};

void PrintExplanation(const Arguments& a, const Explanation& found) {
  Print("{}: {} for each state, {}, seed {}\n", a.model,
        report::Pluralise(found.library.names.size(), "term", "terms"),
        report::Pluralise(a.draws, "draw", "draws"), a.common.seed);
  for (std::size_t d = 0; d < found.equations.size(); ++d) {
    const EquationSummary& equation = found.equations[d];
    Print("\nd{}/dt = {}\n", equation.state, FormulaText(found, d));
    Print("  explains {:.1f} % of the field at the data\n", 100 * equation.explained);
    Print("  {:<16} {:>11} {:>12}  {:g} % band\n", "term", "probability", "coefficient",
          100 * found.level);
    for (std::size_t k = 0; k < equation.terms.size(); ++k) {
      const TermSummary& term = equation.terms[k];
      if (term.probability < kLeastShown) continue;
      Print("  {:<16} {:>11.3f} {:>12.4g}  {:.4g} to {:.4g}\n", found.library.names[k],
            term.probability, term.band.median, term.band.lower, term.band.upper);
    }
  }
}

// Returns the candidate terms: polynomials, or those of --terms.
TermLibrary LibraryOf(const Arguments& a, const Model& model) {
  constexpr std::size_t kMostTerms = 60;
  const std::vector<std::string> variables = ExplainVariables(model);
  if (!a.terms.empty()) {
    const std::vector<std::byte> bytes = internal::ReadFile(a.terms);
    TermLibrary library = WrittenTerms({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                       a.terms, variables);
    if (library.names.size() <= kMostTerms) return library;
    internal::ThrowAt(a.terms, fmt::format("has {} terms, must have at most {}",
                                           library.names.size(), kMostTerms));
  }
  TermLibrary library = PolynomialTerms(variables, a.degree);
  if (library.names.size() <= kMostTerms) return library;
  ThrowInput("explain", "--degree",
             fmt::format("gives {} terms, must give at most {}", library.names.size(), kMostTerms));
}

void Run(const Arguments& a) {
  std::vector<std::string> inputs = InputsOf(a.model);
  if (!a.terms.empty()) inputs.push_back(a.terms);
  for (const std::string& file : {a.out, a.latex}) {
    CheckSecondOutput(file, OutputKind::kText, inputs);
  }
  if (!a.out.empty() && !a.latex.empty() && AreSameFile(a.out, a.latex)) {
    internal::ThrowAt(a.out, "is the file of both --output and --latex, must be two files");
  }
  const TrainedModel trained = LoadTrainedModel(a.model);
  if (trained.data.trajectories.empty()) {
    internal::ThrowAt(a.model, "has no data, must have the data that it was learnt from");
  }
  const Posterior posterior(trained.model);
  const Explanation found = ExplainModel(
      posterior, trained.data, LibraryOf(a, trained.model),
      {.draws = a.draws, .seed = a.common.seed, .threads = a.common.threads, .level = a.level});
  const auto write = [](const std::string& file, const std::string& text) {
    if (!file.empty()) internal::WriteFile(file, std::as_bytes(std::span(text)));
  };
  write(a.out, EquationsText(found));
  write(a.latex, LatexText(found));
  if (a.common.json) {
    nlohmann::ordered_json json = {{"model", a.model}, {"seed", a.common.seed}, {"draws", a.draws}};
    json.update(report::ExplanationJson(found));
    PrintJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (!a.common.quiet) {
    PrintExplanation(a, found);
  }
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddName(command, "-o,--output", "FILE", &a->out,
          "file for the equations, in the language of fit --equations");
  AddName(command, "--latex", "FILE", &a->latex, "file for the equations in LaTeX");
  AddCount(command, "--degree", &a->degree, {0, 20},
           "highest degree of the polynomial terms (default: 3)");
  AddName(command, "--terms", "FILE", &a->terms,
          "file with the candidate terms instead of polynomials, one in each line, as sin(x1)*x2");
  AddCount(command, "--draws", &a->draws, {8, 10'000}, "draws of the model's paths (default: 64)");
  AddNumber(command, "--level", &a->level, {.least = 0, .most = 1, .above = true},
            "probability of the bands (default: 0.9)");
  AddJson(command, &a->common);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
}

}  // namespace

void AddExplain(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("explain", "Write a model's vector field as readable equations");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode explain vdp.gpode", "gpode explain vdp.gpode -o vdp.ode --quiet",
                        "gpode explain pendulum.gpode --terms terms.txt",
                        "gpode explain lorenz.gpode --degree 2 --latex lorenz.tex"});
  command->callback([arguments, command] {
    if (!arguments->terms.empty() && command->count("--degree") > 0) {
      ThrowInput("explain", "--terms", "cannot be combined with --degree");
    }
    Run(*arguments);
  });
}

}  // namespace gpode::tool
