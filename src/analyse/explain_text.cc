// Libraries of terms, and formulas as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "gpode/error.h"
#include "gpode/explain.h"

namespace gpode {
namespace {

using Exponents = std::vector<std::size_t>;

bool IsWord(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Returns the name as the language of equations writes it.
std::string Quoted(const std::string& name) {
  return IsWord(name) ? name : fmt::format("\"{}\"", name);
}

// Returns the name for LaTeX: digits at the end become an index.
std::string LatexName(const std::string& name) {
  std::size_t end = name.size();
  while (end > 1 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  std::string stem;
  for (char c : name.substr(0, end)) {
    if (c == '_' || c == '%' || c == '&' || c == '#' || c == '$') stem += '\\';
    stem += c;
  }
  if (end > 1) stem = fmt::format("\\mathrm{{{}}}", stem);
  return end == name.size() ? stem : fmt::format("{}_{{{}}}", stem, name.substr(end));
}

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

// Returns the text of the sum of the chosen terms times their coefficients.
std::string SumOf(const EquationSummary& equation, const std::vector<std::string>& terms,
                  const std::function<std::string(std::size_t, double)>& coefficient,
                  const std::string& times, bool signs) {
  std::string sum;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const TermSummary& term = equation.terms[k];
    if (!term.chosen) continue;
    const bool minus = signs && term.coefficient < 0;
    if (sum.empty()) {
      sum = minus ? "-" : "";
    } else {
      sum += minus ? " - " : " + ";
    }
    sum += coefficient(k, signs ? std::abs(term.coefficient) : term.coefficient);
    if (terms[k] != "1") sum += times + terms[k];
  }
  return sum.empty() ? "0" : sum;
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
    quoted.push_back(Quoted(name));
    latex.push_back(LatexName(name));
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

std::string FormulaText(const Explanation& explanation, std::size_t equation) {
  return SumOf(
      explanation.equations[equation], explanation.library.names,
      [](std::size_t, double w) { return fmt::format("{:.4g}", w); }, "*", true);
}

std::string LatexText(const Explanation& explanation) {
  std::vector<std::string> lines;
  for (const EquationSummary& equation : explanation.equations) {
    lines.push_back(fmt::format(
        "  \\dot{{{}}} &= {}", LatexName(equation.state),
        SumOf(
            equation, explanation.library.latex,
            [](std::size_t, double w) { return fmt::format("{:.3g}", w); }, "\\, ", true)));
  }
  return fmt::format("\\begin{{align*}}\n{}\n\\end{{align*}}\n", fmt::join(lines, " \\\\\n"));
}

std::string EquationsText(const Explanation& explanation) {
  std::string parameters, equations;
  for (std::size_t d = 0; d < explanation.equations.size(); ++d) {
    const EquationSummary& equation = explanation.equations[d];
    std::size_t number = 0;
    const auto coefficient = [&](std::size_t k, double w) {
      const std::string name = fmt::format("c{}_{}", d + 1, ++number);
      const TermSummary& term = equation.terms[k];
      const double width = std::max(std::abs(w), 10 * term.standard_error);
      parameters += fmt::format("param {} ~ normal({:.6g}, {:.3g})  # {:.6g} +- {:.2g}\n", name, w,
                                width > 0 ? width : 1.0, w, term.standard_error);
      return name;
    };
    equations += fmt::format("d{} = {}\n", Quoted(equation.state),
                             SumOf(equation, explanation.library.names, coefficient, " * ", false));
  }
  return parameters + equations;
}

}  // namespace gpode
