// Readable equations from a learnt model: which terms of a library make up its field, with which
// coefficients.
//
// A formula  dx_d/dt = sum_k w_k theta_k(x, u)  holds along a solution in its integrated form,
//
//   y_d(t) = c + sum_k w_k G_k(t) + noise,   G_k(t) = integral of theta_k(x(s), u(s)) up to t,
//
// with the observations y_d. The path x comes from the model's posterior: the regressor G_k is
// averaged over the paths of the posterior draws, and the covariance, over these paths, of the
// integral of the mean field is added to that of the noise. The result is a linear regression with
// a known covariance, which needs no derivatives of noisy data.
//   Dattner, Klaassen: Optimal rate of direct estimators in systems of ordinary differential
//   equations linear in functions of the parameters (2015).
//
// Subsets of terms are compared by their marginal likelihood under Zellner's g-prior with
// g = max(n, K^2). A priori, every number of terms has the same probability. The probability of a
// term is the sum of the probabilities of the subsets that contain it. With more than 16 terms, the
// subsets are sampled.
//   Fernandez, Ley, Steel: Benchmark priors for Bayesian model averaging (2001).
//   Scott, Berger: Bayes and empirical-Bayes multiplicity adjustment (2010).
//
// Thread safety: ExplainModel starts its own threads, and gives the same bits for any number of
// them. Any thread may call the other functions.
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

// Returns all monomials of the variables up to this degree, including the constant.
TermLibrary PolynomialTerms(const std::vector<std::string>& variables, std::size_t degree);

// Returns the terms of a text, one in each line, in the language of `gpode fit --equations`: names
// of variables, numbers, + - * / ^ and functions such as sin and exp. '#' begins a comment.
// `source` is the name of the text in messages. Throws an InputError for a line that is not such a
// term.
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
  double probability = 0;     // the probability that the term is in the equation
  bool chosen = false;        // true if the probability is at least one half
  double coefficient = 0;     // the coefficient in the formula of the chosen terms
  double standard_error = 0;  // the standard error of that coefficient
  QuantityBand band = {};     // the coefficient over all formulas that have the term
};

struct EquationSummary {
  std::string state;
  std::vector<TermSummary> terms = {};  // (K)
  // The share of the mean field's variance over the states of the data that the formula of the
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

// Finds the probable terms of each state's equation. Throws an InputError if there are too few
// data, or if no path of a posterior draw can be followed.
Explanation ExplainModel(const Posterior& posterior, const Dataset& data,
                         const TermLibrary& library, const ExplainOptions& options = {});

// Returns the chosen formulas in the language of `gpode fit --equations`: the coefficients are
// parameters with broad priors around their estimates.
std::string EquationsText(const Explanation& explanation);
// Returns the chosen formulas as an align environment of LaTeX.
std::string LatexText(const Explanation& explanation);
// Returns one formula with its coefficients as numbers, such as "x2 - 1.02*x1 + 0.98*x2^2".
std::string FormulaText(const Explanation& explanation, std::size_t equation);

}  // namespace gpode
