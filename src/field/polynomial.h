// Polynomials in the I inputs. As a part of a field, a polynomial extrapolates far from the data,
// where a stationary process returns to zero. (The paper has no such part; its kernel is in
// kernel/.)
//
//   g_d(x) = sum_j w_jd psi_j(x),   psi = 1, x_i, x_i x_k (i <= k), x_i x_k x_l (i <= k <= l),
//
// up to degree p. In the prior of a field, the weights are w_jd = s c_j b_jd, where b_jd is
// standard normal, c_j = 1 for the constant, and for a term x_1^a_1 .. x_I^a_I of degree q >= 1
//
//   c_j = l^(1 - q) / sqrt(a_1! .. a_I!),   such as 1 for x_1 and 1 / (l sqrt(2)) for x_1^2.
//
// s is the prior standard deviation of the slope at zero; l is the distance over which the slope
// changes by about s. The covariance is then
//
//   k(x, y) = s^2 (1 + l^2 sum_{q = 1..p} (x . y / l^2)^q / q!),
//
// the Taylor polynomial of s^2 (1 + l^2 (exp(x . y / l^2) - 1)). It does not change if the inputs
// are rotated, and its linear part is the same for any degree p.
//
// Thread safety: as for Function.
//
//   Polynomial polynomial(inputs, outputs, 2);
//   polynomial.SetWeights(w);
//   const PolynomialSum sum(draw, polynomial);   // draw(x) + polynomial(x)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpode/function.h"
#include "gpode/matrix.h"

namespace gpode {

class Polynomial final : public Function {
 public:
  static constexpr std::size_t kMostDegree = 3;

  // All weights are zero at first. Throws an InputError unless the degree is 1, 2 or 3.
  Polynomial(std::size_t inputs, std::size_t outputs, std::size_t degree);

  // Returns the number J of terms psi_j.
  static std::size_t CountTerms(std::size_t inputs, std::size_t degree);
  // Returns the prior standard deviations c (J) of the weights for s = 1 and l = `length`, where
  // x_i in the formulas above is input i divided by spread_i.
  static Vector PriorDeviations(const Vector& spread, std::size_t degree, double length);
  // Returns psi (n, J) at points (n, I). The second form reuses the memory of `terms`.
  static Matrix Terms(const Matrix& points, std::size_t degree);
  static void Terms(const Matrix& points, std::size_t degree, Matrix& terms);
  // Reverses Terms: adds the cotangent (gpode/field.h) of the points to bpoints (n, I), given that
  // of the terms, bterms (n, J).
  static void TermsPullback(const Matrix& points, std::size_t degree, const Matrix& bterms,
                            Matrix& bpoints);

  std::size_t terms() const { return terms_; }
  std::size_t degree() const { return degree_; }

  // The weights w (J, O), which are the parameters.
  std::span<const double> weights() const { return weights_; }
  void SetWeights(std::span<const double> weights);
  double& weight(std::size_t term, std::size_t output) {
    return weights_[term * outputs_ + output];
  }

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }
  std::size_t parameter_count() const override { return weights_.size(); }
  std::size_t record_size() const override { return 0; }
  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(std::span<const double> x, std::span<double> jacobian) const override;

  // AddValue adds the values to f (n, O), AddJacobian the derivatives to jacobian (n, O, I).
  void AddValue(std::span<const double> x, std::span<double> f) const;
  void AddJacobian(std::span<const double> x, std::span<double> jacobian) const;

 private:
  std::size_t inputs_, outputs_, degree_, terms_;
  std::vector<double> weights_;  // (J, O)
};

// The sum of a function and a polynomial. It refers to both, which must outlive it. Its parameters
// are those of the function, then those of the polynomial.
class PolynomialSum final : public Function {
 public:
  // Throws an InputError if the two have different numbers of inputs or outputs.
  PolynomialSum(const Function& function, const Polynomial& polynomial);

  std::size_t inputs() const override { return function_.inputs(); }
  std::size_t outputs() const override { return function_.outputs(); }
  std::size_t parameter_count() const override {
    return function_.parameter_count() + polynomial_.parameter_count();
  }
  std::size_t record_size() const override { return function_.record_size(); }
  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(std::span<const double> x, std::span<double> jacobian) const override;

 private:
  const Function& function_;
  const Polynomial& polynomial_;
};

}  // namespace gpode
