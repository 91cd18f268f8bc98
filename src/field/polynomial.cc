#include "field/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

// The term psi_j with j = index: the product of the inputs whose numbers are the first `degree`
// entries of `inputs`, in order.
struct Term {
  std::size_t index, degree;
  std::array<std::size_t, Polynomial::kMostDegree> inputs;
};

double ValueOf(const Term& term, const double* x) {
  double value = 1;
  for (std::size_t a = 0; a < term.degree; ++a) value *= x[term.inputs[a]];
  return value;
}

// Returns the product of all factors of a term except factor a. The derivative with respect to an
// input is the sum of these over all factors that are this input.
double SlopeOf(const Term& term, const double* x, std::size_t a) {
  double slope = 1;
  for (std::size_t b = 0; b < term.degree; ++b) {
    if (b != a) slope *= x[term.inputs[b]];
  }
  return slope;
}

// Calls each(term) for all terms in order.
template <typename Each>
void ForTerms(std::size_t inputs, std::size_t degree, Each each) {
  std::size_t index = 0;
  each(Term{index++, 0, {}});
  for (std::size_t i = 0; i < inputs; ++i) each(Term{index++, 1, {i}});
  if (degree < 2) return;
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t k = i; k < inputs; ++k) each(Term{index++, 2, {i, k}});
  }
  if (degree < 3) return;
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t k = i; k < inputs; ++k) {
      for (std::size_t l = k; l < inputs; ++l) each(Term{index++, 3, {i, k, l}});
    }
  }
}

}  // namespace

Polynomial::Polynomial(std::size_t inputs, std::size_t outputs, std::size_t degree)
    : inputs_(inputs),
      outputs_(outputs),
      degree_(degree),
      terms_(CountTerms(inputs, degree)),
      weights_(terms_ * outputs) {
  CheckAtLeast("Polynomial", "the number of inputs", static_cast<std::ptrdiff_t>(inputs), 1);
  CheckAtLeast("Polynomial", "the number of outputs", static_cast<std::ptrdiff_t>(outputs), 1);
  if (degree < 1 || degree > kMostDegree) {
    ThrowInput("Polynomial", "degree", fmt::format("is {}, must be 1, 2 or 3", degree));
  }
}

std::size_t Polynomial::CountTerms(std::size_t inputs, std::size_t degree) {
  std::size_t count = 1 + inputs;
  if (degree >= 2) count += inputs * (inputs + 1) / 2;
  if (degree >= 3) count += inputs * (inputs + 1) * (inputs + 2) / 6;
  return count;
}

Vector Polynomial::PriorDeviations(const Vector& spread, std::size_t degree, double length) {
  const auto inputs = static_cast<std::size_t>(spread.size());
  Vector deviations(static_cast<Eigen::Index>(CountTerms(inputs, degree)));
  ForTerms(inputs, degree, [&](const Term& term) {
    // The product of a_1! .. a_I!. Equal inputs are neighbours, so that counting them gives the
    // factors 1, 2, .. of each factorial.
    double factorials = 1;
    std::size_t exponent = 0;
    for (std::size_t a = 0; a < term.degree; ++a) {
      exponent = a > 0 && term.inputs[a] == term.inputs[a - 1] ? exponent + 1 : 1;
      factorials *= static_cast<double>(exponent);
    }
    double scale = std::sqrt(factorials) * ValueOf(term, spread.data());
    for (std::size_t q = 1; q < term.degree; ++q) scale *= length;
    deviations[static_cast<Eigen::Index>(term.index)] = 1.0 / scale;
  });
  return deviations;
}

Matrix Polynomial::Terms(const Matrix& points, std::size_t degree) {
  Matrix terms;
  Terms(points, degree, terms);
  return terms;
}

void Polynomial::Terms(const Matrix& points, std::size_t degree, Matrix& terms) {
  const auto inputs = static_cast<std::size_t>(points.cols());
  terms.resize(points.rows(), static_cast<Eigen::Index>(CountTerms(inputs, degree)));
  for (Eigen::Index p = 0; p < points.rows(); ++p) {
    ForTerms(inputs, degree, [&](const Term& term) {
      terms(p, static_cast<Eigen::Index>(term.index)) = ValueOf(term, points.row(p).data());
    });
  }
}

void Polynomial::TermsPullback(const Matrix& points, std::size_t degree, const Matrix& bterms,
                               Matrix& bpoints) {
  for (Eigen::Index p = 0; p < points.rows(); ++p) {
    ForTerms(static_cast<std::size_t>(points.cols()), degree, [&](const Term& term) {
      for (std::size_t a = 0; a < term.degree; ++a) {
        bpoints(p, static_cast<Eigen::Index>(term.inputs[a])) +=
            bterms(p, static_cast<Eigen::Index>(term.index)) *
            SlopeOf(term, points.row(p).data(), a);
      }
    });
  }
}

void Polynomial::SetWeights(std::span<const double> weights) {
  CheckSize("Polynomial::SetWeights", "weights", weights.size(), weights_.size());
  std::ranges::copy(weights, weights_.begin());
}

void Polynomial::Value(std::span<const double> x, std::span<double> f, std::span<double>) const {
  std::ranges::fill(f, 0.0);
  AddValue(x, f);
}

void Polynomial::Record(std::span<const double> x, std::span<double> f,
                        std::span<double> record) const {
  Value(x, f, record);
}

void Polynomial::AddValue(std::span<const double> x, std::span<double> f) const {
  const std::size_t n = x.size() / inputs_;
  GPODE_CHECK(x.size() == n * inputs_ && f.size() == n * outputs_);
  for (std::size_t p = 0; p < n; ++p) {
    const double* point = x.data() + p * inputs_;
    double* to = f.data() + p * outputs_;
    ForTerms(inputs_, degree_, [&](const Term& term) {
      const double value = ValueOf(term, point);
      const double* weights = weights_.data() + term.index * outputs_;
      for (std::size_t d = 0; d < outputs_; ++d) to[d] += weights[d] * value;
    });
  }
}

void Polynomial::Pullback(std::span<const double> x, std::span<const double>,
                          std::span<const double> g, std::span<double> bx,
                          std::span<double> bparameters) const {
  const std::size_t n = x.size() / inputs_;
  GPODE_CHECK(x.size() == n * inputs_ && g.size() == n * outputs_ && bx.size() == x.size());
  GPODE_CHECK(bparameters.size() == weights_.size());
  for (std::size_t p = 0; p < n; ++p) {
    const double* point = x.data() + p * inputs_;
    const double* cotangent = g.data() + p * outputs_;
    double* bpoint = bx.data() + p * inputs_;
    ForTerms(inputs_, degree_, [&](const Term& term) {
      const double value = ValueOf(term, point);
      const double* weights = weights_.data() + term.index * outputs_;
      double* bweights = bparameters.data() + term.index * outputs_;
      double bvalue = 0;
      for (std::size_t d = 0; d < outputs_; ++d) {
        bweights[d] += cotangent[d] * value;
        bvalue += cotangent[d] * weights[d];
      }
      for (std::size_t a = 0; a < term.degree; ++a) {
        bpoint[term.inputs[a]] += bvalue * SlopeOf(term, point, a);
      }
    });
  }
}

void Polynomial::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  std::ranges::fill(jacobian, 0.0);
  AddJacobian(x, jacobian);
}

void Polynomial::AddJacobian(std::span<const double> x, std::span<double> jacobian) const {
  const std::size_t n = x.size() / inputs_, size = outputs_ * inputs_;
  GPODE_CHECK(x.size() == n * inputs_ && jacobian.size() == n * size);
  for (std::size_t p = 0; p < n; ++p) {
    const double* point = x.data() + p * inputs_;
    double* to = jacobian.data() + p * size;
    ForTerms(inputs_, degree_, [&](const Term& term) {
      const double* weights = weights_.data() + term.index * outputs_;
      for (std::size_t a = 0; a < term.degree; ++a) {
        const double slope = SlopeOf(term, point, a);
        for (std::size_t d = 0; d < outputs_; ++d) {
          to[d * inputs_ + term.inputs[a]] += weights[d] * slope;
        }
      }
    });
  }
}

PolynomialSum::PolynomialSum(const Function& function, const Polynomial& polynomial)
    : function_(function), polynomial_(polynomial) {
  CheckSize("PolynomialSum", "the polynomial's inputs", polynomial.inputs(), function.inputs());
  CheckSize("PolynomialSum", "the polynomial's outputs", polynomial.outputs(), function.outputs());
}

void PolynomialSum::Value(std::span<const double> x, std::span<double> f,
                          std::span<double> scratch) const {
  function_.Value(x, f, scratch);
  polynomial_.AddValue(x, f);
}

void PolynomialSum::Record(std::span<const double> x, std::span<double> f,
                           std::span<double> record) const {
  function_.Record(x, f, record);
  polynomial_.AddValue(x, f);
}

void PolynomialSum::Pullback(std::span<const double> x, std::span<const double> record,
                             std::span<const double> g, std::span<double> bx,
                             std::span<double> bparameters) const {
  const std::size_t own = function_.parameter_count();
  function_.Pullback(x, record, g, bx, bparameters.first(own));
  polynomial_.Pullback(x, {}, g, bx, bparameters.subspan(own));
}

void PolynomialSum::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  function_.Jacobian(x, jacobian);
  polynomial_.AddJacobian(x, jacobian);
}

}  // namespace gpode
