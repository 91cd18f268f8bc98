// Formulas of an explanation as text.
#include "analyse/explain_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "field/equation_system.h"
#include "gpode/explain.h"

namespace gpode {
namespace {

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
      if (minus) sum.push_back('-');
    } else {
      sum += minus ? " - " : " + ";
    }
    sum += coefficient(k, signs ? std::abs(term.coefficient) : term.coefficient);
    if (terms[k] != "1") sum += times + terms[k];
  }
  return sum.empty() ? "0" : sum;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Returns the length of the name, number, quoted name or group in parentheses that begins the text.
std::size_t LengthOfOperand(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t end = 0;
  if (text.front() == '"') {
    end = text.find('"', 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  if (end < text.size() && text[end] == '(') {
    std::size_t depth = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')' && --depth == 0) return end + 1;
    }
  }
  return end;
}

// Returns a name, a number or the name of a function for LaTeX.
std::string LatexWord(const std::string& word) {
  constexpr std::array<std::string_view, 11> kFunctions = {
      "sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "min", "max", "sqrt"};
  if (std::ranges::find(kFunctions, word) != kFunctions.end()) return "\\" + word;
  if (word == "abs") return "\\mathrm{abs}";
  const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  return is_number ? word : internal::LatexName(word);
}

}  // namespace

namespace internal {

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

std::string LatexExpression(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    if (c == ' ' || c == '*') {
      if (c == '*') out += "\\, ";
      text.remove_prefix(1);
    } else if (c == '^') {
      text.remove_prefix(1);
      while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
      std::string_view power = text.substr(0, LengthOfOperand(text));
      text.remove_prefix(power.size());
      if (power.starts_with('(')) power = power.substr(1, power.size() - 2);
      out += fmt::format("^{{{}}}", LatexExpression(power));
    } else if (c == '"') {
      const std::size_t length = LengthOfOperand(text);
      out += LatexName(std::string(text.substr(1, length - std::min<std::size_t>(length, 2))));
      text.remove_prefix(length);
    } else if (IsNameCharacter(c)) {
      std::size_t end = 0;
      while (end < text.size() && IsNameCharacter(text[end])) ++end;
      out += LatexWord(std::string(text.substr(0, end)));
      text.remove_prefix(end);
    } else {
      out += c == '+' || c == '-' ? fmt::format(" {} ", c) : std::string(1, c);
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace internal

std::string FormulaText(const Explanation& explanation, std::size_t equation) {
  return SumOf(
      explanation.equations[equation], explanation.library.names,
      [](std::size_t, double w) { return fmt::format("{:.4g}", w); }, "*", true);
}

std::string LatexText(const Explanation& explanation) {
  std::vector<std::string> lines;
  for (const EquationSummary& equation : explanation.equations) {
    lines.push_back(fmt::format(
        "  \\dot{{{}}} &= {}", internal::LatexName(equation.state),
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
    equations += fmt::format("d{} = {}\n", EquationName(equation.state),
                             SumOf(equation, explanation.library.names, coefficient, " * ", false));
  }
  return parameters + equations;
}

}  // namespace gpode
