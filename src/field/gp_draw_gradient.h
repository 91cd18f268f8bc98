// The gradient of a draw f of a Gaussian process with one output (gpode/gp.h): a function with as
// many outputs as inputs, g_k(x) = df/dx_k. Fields that conserve energy or volume are made of it.
//
// The kernel is the squared exponential, whose derivatives are polynomials times itself:
//   g_k(x) = dprior/dx_k - sum_m nu_m k(x, z_m) (x_k - z_mk) / l_k^2.
// Pullback adds to the raw sums of the draw itself (gp_sums.h), so that GpDraw::PullbackRow turns
// both into gradients of the process's parameters. For the cotangent h of g, the sums for the
// lengthscales of the prior use
//   d(dprior/dx_j)/dl_k = -(x_k d2prior/dx_j dx_k + [j = k] dprior/dx_k) / l_k.
//
// Thread safety: Set changes the object; everything else is const and may be called from any
// thread.
//
//   GpDrawGradient gradient(gp, features);
//   gradient.Set(gp, normals, draw.nu());
#pragma once

#include <vector>

#include "field/gp_sums.h"
#include "gpode/function.h"
#include "gpode/gp.h"

namespace gpode {

class GpDrawGradient final : public Function {
 public:
  GpDrawGradient(const SparseGp& gp, std::size_t features);

  // Makes this the gradient of the draw with these random numbers and these weights nu (1, M).
  void Set(const SparseGp& gp, const GpNormals& normals, const Matrix& nu);

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return inputs_; }
  std::size_t parameter_count() const override { return sums_.size; }
  std::size_t record_size() const override { return inputs_ + 2 * inputs_ * inputs_ + inducing_; }
  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;

 private:
  void RecordAt(const double* x, double* f, double* record) const;
  void PullbackAt(const double* x, const double* record, const double* h, double* bx,
                  double* sums) const;

  std::size_t inputs_, inducing_, features_, stride_;
  SumsLayout sums_;
  std::vector<double> frequencies_;          // (F, I)
  std::vector<double> cosines_, sines_;      // (F): amplitudes
  std::vector<double> weights_, locations_;  // (M): variance nu; (M, I)
  std::vector<double> inverse_squares_;      // (I): one over squared lengthscales
};

// The derivatives of the kernel with respect to its first argument: one matrix (M, n) for each
// input k, dk(x_p, z_m)/dx_k, for n points x and M locations z.
std::vector<Matrix> KernelSlopes(const Hyperparameters& hyper, const Matrix& locations,
                                 const Matrix& points);
// Reverses KernelSlopes: adds to the cotangents of locations and hyperparameters.
void KernelSlopesPullback(const Hyperparameters& hyper, const Matrix& locations,
                          const Matrix& points, std::span<const Matrix> bslopes, Matrix& blocations,
                          Hyperparameters& bhyper);

}  // namespace gpode
