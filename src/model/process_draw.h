// One function drawn from a Gaussian process, as a FunctionDraw (gpode/unknown_function.h): a
// GpDraw (paper, equation 13; field/gp_draw.cc) plus, if the kernel has a polynomial part, a
// polynomial with drawn weights.
//
// Sizes: D outputs (O in GpDraw), M inducing points, J polynomial terms, F Fourier features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "field/gp_draw_gradient.h"
#include "field/polynomial.h"
#include "field/polynomial_whitening.h"
#include "gpode/function.h"
#include "gpode/gp.h"
#include "gpode/unknown_function.h"

namespace gpode {

// The polynomial part of the kernel of all outputs, with the present hyperparameters. `terms` is
// zero if there is none.
struct PolynomialPart {
  std::size_t degree = 0, terms = 0;  // degree of the polynomial, number J of its terms
  Matrix scales;                      // (D or 1, J): prior standard deviations of weights
  // There is one whitening for each output, or a single one if all outputs share their
  // hyperparameters.
  std::vector<PolynomialWhitening> whitenings;

  std::size_t Row(std::size_t output) const { return whitenings.size() == 1 ? 0 : output; }
};

// The polynomial of a draw, and the field, which is the sum of process and polynomial.
class PolynomialDraw {
 public:
  // The draw of the process and the part must outlive this object.
  PolynomialDraw(const GpDraw& draw, std::size_t inducing, const PolynomialPart& part)
      : part_(part),
        inducing_(inducing),
        polynomial_(draw.inputs(), draw.outputs(), part.degree),
        sum_(draw, polynomial_),
        white_(draw.outputs() * inducing),
        inner_(draw.outputs() * (inducing + part.terms)),
        latent_(inducing + part.terms) {}

  // Takes the latent variables z (D, M + J), sets the weights of the polynomial from them, and
  // returns the whitened inducing values v (D, M) of the process.
  std::span<const double> Set(std::span<const double> z) {
    const std::size_t size = latent_.size(), terms = part_.terms;
    for (std::size_t d = 0; d < polynomial_.outputs(); ++d) {
      const std::size_t row = part_.Row(d);
      part_.whitenings[row].Apply(z.subspan(d * size, size),
                                  std::span(inner_).subspan(d * size, size), latent_);
      std::copy_n(latent_.begin(), inducing_,
                  white_.begin() + static_cast<std::ptrdiff_t>(d * inducing_));
      for (std::size_t j = 0; j < terms; ++j) {
        polynomial_.weight(j, d) =
            part_.scales(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(j)) *
            latent_[inducing_ + j];
      }
    }
    return white_;
  }

  const Function& sum() const { return sum_; }
  const Polynomial& polynomial() const { return polynomial_; }
  // Returns the intermediate values of one output's whitening, which its reverse needs.
  std::span<const double> inner(std::size_t output) const {
    return std::span(inner_).subspan(output * latent_.size(), latent_.size());
  }

 private:
  const PolynomialPart& part_;
  std::size_t inducing_;
  Polynomial polynomial_;
  PolynomialSum sum_;
  std::vector<double> white_, inner_, latent_;
};

class ProcessDraw final : public FunctionDraw {
 public:
  ProcessDraw(const SparseGp& gp, std::size_t features, FeaturePrecision precision, bool residual,
              const PolynomialPart& part)
      : gp_(gp),
        draw_(gp, features, precision),
        polynomial_(part.terms == 0 ? nullptr
                                    : std::make_unique<PolynomialDraw>(draw_, gp.inducing(), part)),
        field_(polynomial_ ? polynomial_->sum() : draw_),
        residual_(residual) {
    normals_ = ZeroGpNormals(gp, features);
  }

  void Sample(std::uint64_t seed, std::uint64_t step, std::uint64_t sample) override {
    if (residual_) SampleGpNormals(gp_, draw_.features(), seed, step, sample, normals_);
  }
  // From now on, every Set takes the weights of the features, (O, 2, F) for cosines and sines, from
  // this vector, which must outlive the draw.
  void TakeWeightsFrom(const std::vector<double>& weights) { weights_ = &weights; }
  void Set(std::span<const double> z) override {
    const std::span<const double> white = polynomial_ ? polynomial_->Set(z) : z;
    // A sampler sets many z with the same hyperparameters and weights.
    if (weights_ && !CopyWeights() && version_ == gp_.version()) {
      draw_.SetWhite(gp_, white);
    } else {
      draw_.Set(gp_, white, normals_);
      version_ = gp_.version();
    }
    if (gradient_) gradient_->Set(gp_, normals_, draw_.nu());
  }
  // From the next Set on, gradient() is the gradient of the drawn function. The process must have
  // one output and no polynomial part.
  void KeepGradient() { gradient_ = std::make_unique<GpDrawGradient>(gp_, draw_.features()); }
  const GpDrawGradient* gradient() const { return gradient_.get(); }
  const Field& field() const override { return field_; }

  const GpDraw& draw() const { return draw_; }
  const PolynomialDraw& polynomial() const { return *polynomial_; }
  GpNormals& normals() { return normals_; }

 private:
  // Returns true if a weight has changed.
  bool CopyWeights() {
    if (*weights_ == copied_) return false;
    copied_ = *weights_;
    const auto f = static_cast<std::ptrdiff_t>(draw_.features());
    auto from = weights_->begin();
    for (std::size_t d = 0; d < draw_.outputs(); ++d) {
      const auto to = static_cast<std::ptrdiff_t>(d) * f;
      std::copy_n(from, f, normals_.w_cos.begin() + to);
      std::copy_n(from + f, f, normals_.w_sin.begin() + to);
      from += 2 * f;
    }
    return true;
  }

  const SparseGp& gp_;
  GpDraw draw_;
  std::unique_ptr<PolynomialDraw> polynomial_;
  std::unique_ptr<GpDrawGradient> gradient_;
  FunctionField field_;
  bool residual_;
  GpNormals normals_;
  const std::vector<double>* weights_ = nullptr;
  std::vector<double> copied_;  // the weights in normals_
  std::uint64_t version_ = 0;   // that of the process when the draw was set
};

}  // namespace gpode
