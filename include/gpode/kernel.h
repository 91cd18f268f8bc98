// Stationary covariance functions with automatic relevance determination:
//
//   k(x, z) = variance * phi(s),   s = sum_k ((x_k - z_k) / lengthscale_k)^2,   phi(0) = 1.
//
// A kernel is defined by its radial profile phi, the slope of phi and its spectral density;
// everything else follows from these. Each built-in kernel is one file in src/kernel/profiles/. A
// program can register kernels of its own.
//
//   name                 phi(s), r = sqrt(s)                        spectral density at unit scale
//   squared-exponential  exp(-s / 2)                                normal
//   matern32             (1 + sqrt(3) r) exp(-sqrt(3) r)            Student t, 3 degrees of freedom
//   matern52             (1 + sqrt(5) r + 5 s / 3) exp(-sqrt(5) r)  Student t, 5 degrees of freedom
//
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 4.)
//
// Thread safety: any thread may call these functions; kernels do not change.
//
//   const Kernel& kernel = GetKernel("matern52");
//   Matrix k = KernelMatrix(kernel, {.lengthscales = Vector{{1.3, 0.8}}, .variance = 0.5}, x, z);
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/matrix.h"

namespace gpode {

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual std::string_view name() const = 0;

  // Computes phi_i = phi(s_i) and, unless psi is empty, psi_i = -2 dphi/ds at s_i, so that
  // dk/dx_k = -variance psi (x_k - z_k) / lengthscale_k^2. phi and s may be the same memory.
  virtual void Profile(std::span<const double> s, std::span<double> phi,
                       std::span<double> psi) const = 0;
  // Tells whether psi equals phi everywhere, so that callers neither compute nor store psi.
  virtual bool slope_is_value() const { return false; }

  // A random frequency of the kernel, for the Fourier features of a draw (gp.h), is a vector of
  // standard normals times a factor; component k is then divided by lengthscale_k. SpectralFactor
  // returns the factor, which it makes from spectral_normals() further standard normals, at most
  // 16.
  virtual std::size_t spectral_normals() const { return 0; }
  virtual double SpectralFactor(std::span<const double> normals) const;

 protected:
  Kernel() = default;
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;
};

// Returns the kernel with this name, which lives as long as the program. Throws an InputError that
// lists the known names if there is no such kernel.
const Kernel& GetKernel(std::string_view name);
// Returns the names of the built-in kernels, then those of the registered ones.
std::vector<std::string> KernelNames();
// Registers a kernel under its name. Throws an InputError if the name is empty or taken.
void RegisterKernel(std::unique_ptr<const Kernel> kernel);

// The hyperparameters of one output.
struct Hyperparameters {
  Vector lengthscales;  // (I)
  double variance = 1.0;
};

// Returns K (n, m) between the rows of x (n, I) and z (m, I). The second form reuses k's memory.
Matrix KernelMatrix(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                    const Matrix& z);
void KernelMatrix(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                  const Matrix& z, Matrix& k);

// Reverses KernelMatrix: for the cotangent (field.h) bk (n, m) of k, adds to bx (n, I), bz (m, I)
// and the hyperparameters' cotangents. bx and bz may be the same matrix (when x is z). The second
// form takes scratch (2 m) and allocates nothing.
void KernelMatrixPullback(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                          const Matrix& z, const Matrix& bk, Matrix& bx, Matrix& bz,
                          Hyperparameters& bhyper);
void KernelMatrixPullback(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                          const Matrix& z, const Matrix& bk, Matrix& bx, Matrix& bz,
                          Hyperparameters& bhyper, std::span<double> scratch);

}  // namespace gpode
