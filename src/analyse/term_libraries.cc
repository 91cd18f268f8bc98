// Libraries of candidate terms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "analyse/explain_text.h"
#include "field/equation_field.h"
#include "field/equation_system.h"
#include "gpode/error.h"
#include "gpode/explain.h"
#include "io/files.h"

namespace gpode {
namespace {

using Exponents = std::vector<std::size_t>;

// Appends all exponents of this degree whose first `done` entries are those of `now`.
void AddExponents(std::size_t left, std::size_t done, Exponents now, std::vector<Exponents>* all) {
  if (done + 1 == now.size()) {
    now[done] = left;
    all->push_back(now);
    return;
  }
  for (std::size_t power = left + 1; power-- > 0;) {
    now[done] = power;
    AddExponents(left - power, done + 1, now, all);
  }
}

std::string PowerText(const std::string& name, std::size_t power, bool latex) {
  if (power == 1) return name;
  return latex ? fmt::format("{}^{{{}}}", name, power) : fmt::format("{}^{}", name, power);
}

std::string TermText(const std::vector<std::string>& names, const Exponents& powers, bool latex) {
  std::vector<std::string> factors;
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (powers[v] > 0) factors.push_back(PowerText(names[v], powers[v], latex));
  }
  if (factors.empty()) return "1";
  return fmt::format("{}", fmt::join(factors, latex ? " " : "*"));
}

// A term that a person has written. It is parsed as the right-hand side of the first variable's
// equation.
class WrittenTerm {
 public:
  WrittenTerm(const std::string& text, std::string_view source,
              const std::vector<std::string>& variables)
      : system_(std::make_shared<EquationSystem>(
            ParseEquations(text, source, {.channels = variables, .inputs = {}}))) {
    if (!IsKnown()) return;  // cannot be evaluated
    std::vector<double> parameters;
    for (const EquationParameter& parameter : system_->parameters) {
      parameters.push_back(parameter.value);
    }
    field_ = std::make_shared<EquationField>(system_);
    field_->Set(EquationUnits(*system_), parameters, {});
  }

  // True if the term has nothing but the variables and known numbers.
  bool IsKnown() const {
    return system_->processes.empty() && system_->LearntParameters().empty() &&
           system_->states.size() == system_->channels && !system_->uses_time;
  }
  Matrix Values(const Matrix& variables) const { return Evaluate(*field_, variables).col(0); }

 private:
  std::shared_ptr<const EquationSystem> system_;
  std::shared_ptr<EquationField> field_;
};

// Parses a term; `where` is its file and line.
WrittenTerm ParseTerm(const std::string& term, const std::string& where,
                      const std::vector<std::string>& variables) {
  std::string text = fmt::format("d{} = {}", EquationName(variables.front()), term);
  for (std::size_t v = 1; v < variables.size(); ++v) {
    text += fmt::format("\nd{} = 0", EquationName(variables[v]));
  }
  try {
    WrittenTerm parsed(text, "term", variables);
    if (parsed.IsKnown()) return parsed;
  } catch (const InputError& error) {
    // The error names a place in the equations composed above, which the user has not seen, so it
    // is replaced by `where`.
    const std::string message = error.what();
    throw InputError(where + message.substr(std::min(message.find(": "), message.size())));
  }
  throw InputError(fmt::format("{}: term {} must have numbers, functions and {} only", where,
                               internal::Quote(term), fmt::join(variables, ", ")));
}

// Returns the line without a comment and without spaces at its ends.
std::string_view Trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Returns the term in parentheses if it is a sum.
std::string AsFactor(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == '+' || c == '-')) return fmt::format("({})", text);
  }
  return std::string(text);
}

}  // namespace

TermLibrary PolynomialTerms(const std::vector<std::string>& variables, std::size_t degree) {
  CheckAtLeast("PolynomialTerms", "the number of variables", std::ssize(variables), 1);
  std::vector<Exponents> all;
  for (std::size_t d = 0; d <= degree; ++d) {
    AddExponents(d, 0, Exponents(variables.size()), &all);
  }
  std::vector<std::string> quoted, latex;
  for (const std::string& name : variables) {
    quoted.push_back(EquationName(name));
    latex.push_back(internal::LatexName(name));
  }
  TermLibrary library;
  for (const Exponents& powers : all) {
    library.names.push_back(TermText(quoted, powers, false));
    library.latex.push_back(TermText(latex, powers, true));
  }
  library.evaluate = [all](const Matrix& x) {
    Matrix values = Matrix::Ones(x.rows(), std::ssize(all));
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (std::size_t v = 0; v < all[k].size(); ++v) {
        for (std::size_t p = 0; p < all[k][v]; ++p) {
          values.col(static_cast<Eigen::Index>(k)).array() *=
              x.col(static_cast<Eigen::Index>(v)).array();
        }
      }
    }
    return values;
  };
  return library;
}

TermLibrary WrittenTerms(std::string_view text, const std::string& source,
                         const std::vector<std::string>& variables) {
  CheckAtLeast("WrittenTerms", "the number of variables", std::ssize(variables), 1);
  TermLibrary library;
  std::vector<WrittenTerm> terms;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string term(Trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (term.empty()) continue;
    const std::string where = fmt::format("{}:{}", source, line);
    if (std::ranges::find(library.names, AsFactor(term)) != library.names.end()) {
      throw InputError(fmt::format("{}: term {} is there twice", where, internal::Quote(term)));
    }
    terms.push_back(ParseTerm(term, where, variables));
    library.names.push_back(AsFactor(term));
    library.latex.push_back(internal::LatexExpression(library.names.back()));
  }
  if (terms.empty()) throw InputError(fmt::format("{} has no terms, must have some", source));
  library.evaluate = [terms](const Matrix& x) {
    Matrix values(x.rows(), std::ssize(terms));
    for (std::size_t k = 0; k < terms.size(); ++k) {
      values.col(static_cast<Eigen::Index>(k)) = terms[k].Values(x);
    }
    return values;
  };
  return library;
}

}  // namespace gpode
