// Readable equations from a learnt model: which terms of a library make up its field, with which
// coefficients.
//
// A formula  dx_d/dt = sum_k w_k theta_k(x, u)  holds along a solution in its integrated form,
//
//   y_d(t) = c + sum_k w_k G_k(t) + noise,   G_k(t) = integral of theta_k(x(s), u(s)) up to t,
//
// with the observations y_d. The path x is that of the model's posterior: each draw of the
// posterior gives regressors G_k, their mean over the draws takes the place of G_k, and the
// covariance over the draws of the integrated mean field is added to that of the noise. This is a
// linear regression with a known covariance, without derivatives of noisy data.
//   Dattner, Klaassen: Optimal rate of direct estimators in systems of ordinary differential
//   equations linear in functions of the parameters (2015).
//
// The subsets of terms are compared by their marginal likelihood under Zellner's g-prior with
// g = max(n, K^2), and all numbers of terms are equally probable a priori. The probability of a term
// is that of all subsets that have it. With more than 16 terms, the subsets are sampled.
//   Fernandez, Ley, Steel: Benchmark priors for Bayesian model averaging (2001).
//   Scott, Berger: Bayes and empirical-Bayes multiplicity adjustment (2010).
//
// Thread safety: ExplainModel starts its own threads, and gives the same bits for any number of
// them. The others may be called from any thread.
//
//   Explanation found = ExplainModel(posterior, data, PolynomialTerms({"x1", "x2"}, 3));
//   std::cout << EquationsText(found);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/analysis.h"
#include "gpode/posterior.h"

namespace gpode {

// A library of candidate terms in the states and the measured inputs.
struct TermLibrary {
  std::vector<std::string> names = {};  // (K), as in "x1*x2"
  std::vector<std::string> latex = {};  // (K)
  // Returns the values (n, K) of all terms at n rows of states and inputs.
  std::function<Matrix(const Matrix& variables)> evaluate = {};
};

// Returns all products of powers of the variables up to this degree, the constant included.
TermLibrary PolynomialTerms(const std::vector<std::string>& variables, std::size_t degree);

// Returns the terms of a text, one in each line, in the language of `gpode fit --equations`: names of
// variables, numbers, + - * / ^ and functions such as sin and exp. '#' begins a comment. `source` is
// the name of the text in messages. Throws an InputError for a line that is not such a term.
TermLibrary WrittenTerms(std::string_view text, const std::string& source,
                         const std::vector<std::string>& variables);

// Returns the names of the variables that terms may have: the states and the measured inputs.
std::vector<std::string> ExplainVariables(const Model& model);

struct ExplainOptions {
  std::size_t draws = 64;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  double level = 0.9;       // probability of the bands
};

struct TermSummary {
  double probability = 0;     // that the term is in the equation
  bool chosen = false;        // true if that is at least one half
  double coefficient = 0;     // in the formula of the chosen terms
  double standard_error = 0;  // of that coefficient
  QuantityBand band = {};     // if the term is there, averaged over all formulas
};

struct EquationSummary {
  std::string state;
  std::vector<TermSummary> terms = {};  // (K)
  // The share of the variance of the mean field, at the states of the data, that the formula of the
  // chosen terms explains.
  double explained = 0;
  std::size_t observations = 0;
};

struct Explanation {
  TermLibrary library = {};
  std::vector<std::string> states = {}, inputs = {};
  std::vector<EquationSummary> equations = {};  // one for each state
  double level = 0.9;
};

// Throws an InputError if there are no data, too few of them, or no path that can be followed.
Explanation ExplainModel(const Posterior& posterior, const Dataset& data,
                         const TermLibrary& library, const ExplainOptions& options = {});

// Returns the chosen formulas in the language of `gpode fit --equations`: the coefficients are
// parameters with broad priors around their estimates.
std::string EquationsText(const Explanation& explanation);
// Returns the chosen formulas as an align environment of LaTeX.
std::string LatexText(const Explanation& explanation);
// Returns one formula with numbers, "x2 - 1.02*x1 + 0.98*x2".
std::string FormulaText(const Explanation& explanation, std::size_t equation);

}  // namespace gpode
