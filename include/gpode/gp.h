// A sparse Gaussian process over vector fields, and draws from its posterior.
//
// Prior: f_d ~ GP(0, k_d), one kernel per output dimension d. Posterior: M inducing values
// u_d = f_d(Z) = L_d v_d with L_d L_d^T = k_d(Z, Z) + jitter I and whitened variables
// q(v_d) = N(mean_d, chol_d chol_d^T)   (paper, sections 3.1, 3.2 and S2.2).
//
// A draw of the field, decoupled sampling (paper, section 3.3 and S1.2):
//   f_d(x)     = prior_d(x) + sum_m nu_dm k_d(x, z_m)
//   prior_d(x) = sqrt(variance_d / F) sum_i w_cos_di cos(omega_di . x) + w_sin_di sin(omega_di . x)
//   nu_d       = L_d^-T (v_d - L_d^-1 prior_d(Z)),   v_d = mean_d + chol_d eps_u_d
//   omega_dik  = eps_omega_dik / lengthscale_dk
//
//   SparseGp gp(GetKernel("squared-exponential"));
//   gp.Set(parameters);
//   GpDraw draw(gp, features);
//   draw.Set(gp, SampleGpNormals(gp, features, seed, step, sample));
//   Matrix f = Evaluate(draw, points);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpode/field.h"
#include "gpode/kernel.h"
#include "gpode/memory.h"
#include "gpode/parallel.h"

namespace gpode {

// D state dimensions, M inducing points. Hyperparameters: one row per output dimension, or a single
// row that all outputs share.
struct GpParameters {
  Matrix inducing_locations;          // (M, D)
  Matrix inducing_mean;               // (D, M), whitened
  std::vector<Matrix> inducing_chol;  // D of (M, M), lower triangular, whitened
  Matrix lengthscales;                // (D or 1, D)
  Vector variances;                   // (D or 1)
};

// Cotangents of GpParameters, and of the factors L_d, which SparseGp::FinishGradient turns into
// those of locations and hyperparameters: once per step, however many draws there were. What
// belongs to different rows of the hyperparameters may be added to by different threads.
struct GpGradient {
  explicit GpGradient(const GpParameters& shape);
  void SetZero();
  // For the outputs that use row `row` of the hyperparameters, and what they alone add to.
  void SetRowZero(std::size_t row);

  struct Row {
    Matrix factor;     // (M, M), lower triangular
    Matrix locations;  // (M, D), to be added to those of all rows
    // Memory for what happens between.
    Matrix kernel;                 // (M, M)
    Vector white, prior, scratch;  // (M), (M), (2 M)
    Hyperparameters hyper;
  };

  GpParameters parameters;
  std::vector<Row> rows;  // one per row of the hyperparameters
};

enum class FactorStatus { kOk, kNotPositiveDefinite };
// What the status means, for people.
std::string_view Message(FactorStatus status);

// Thread safety: Set changes the object; everything else is const and may be called from any
// thread.
class SparseGp {
 public:
  explicit SparseGp(const Kernel& kernel, double jitter = 1e-6);

  // Takes the parameters and factors k(Z, Z) + jitter I. If that fails, the jitter is multiplied by
  // ten, up to a hundredth of the variance; jitter() reports what was used. Throws an InputError
  // for parameters of wrong shape, not finite, or not positive where they must be.
  // The second form shares the work among the pool's threads. Parameters of the same shape as
  // those before cost no allocation (but for blocks of matrix products, if M is above a hundred).
  FactorStatus Set(const GpParameters& parameters);
  FactorStatus Set(const GpParameters& parameters, ThreadPool& pool);

  const Kernel& kernel() const { return *kernel_; }
  const GpParameters& parameters() const { return parameters_; }
  std::size_t dim() const { return parameters_.inducing_locations.cols(); }
  std::size_t inducing() const { return parameters_.inducing_locations.rows(); }
  // The rows of the hyperparameters, the one that output d uses, and that row.
  std::size_t hyper_rows() const { return hyper_.size(); }
  std::size_t HyperRow(std::size_t d) const { return parameters_.variances.size() == 1 ? 0 : d; }
  const Hyperparameters& Hyper(std::size_t d) const { return hyper_[HyperRow(d)]; }
  const Matrix& Factor(std::size_t d) const { return factor_[HyperRow(d)]; }
  double jitter(std::size_t d) const { return jitter_used_[HyperRow(d)]; }

  // The exact moments of q(f) at the rows of x (n, D).
  Matrix Mean(const Matrix& x) const;                            // (n, D)
  Matrix Variance(const Matrix& x) const;                        // (n, D)
  Matrix Covariance(const Matrix& x, std::size_t output) const;  // (n, n)

  // KL[q(U) || p(U)], and its reverse: adds scale * gradient.
  double InducingKl() const;
  void InducingKlPullback(double scale, GpGradient& gradient) const;
  void InducingKlPullback(double scale, std::size_t output, GpGradient& gradient) const;

  // Moves the rows' cotangents on to locations and hyperparameters, and zeroes them. In two parts:
  // the first for each row, in any order and from any thread, then the second.
  void FinishGradient(GpGradient& gradient) const;
  void FinishRow(std::size_t row, GpGradient& gradient) const;
  void SumRows(GpGradient& gradient) const;

 private:
  void Take(const GpParameters& parameters);
  bool FactorRow(std::size_t row);
  FactorStatus Status() const;
  Matrix Whitened(const Matrix& x, std::size_t output) const;

  const Kernel* kernel_;
  double jitter_;
  GpParameters parameters_;
  std::vector<Hyperparameters> hyper_;
  std::vector<Matrix> factor_;
  std::vector<Matrix> kernel_matrix_;  // without jitter
  std::vector<double> jitter_used_;
  std::vector<char> factored_;  // not vector<bool>: rows are written by different threads
};

// The randomness of one draw, all standard normal but for the frequencies of kernels other than the
// squared exponential.
struct GpNormals {
  std::vector<double> eps_omega;  // (D, F, D): frequencies at unit lengthscales
  std::vector<double> w_cos;      // (D, F)
  std::vector<double> w_sin;      // (D, F)
  std::vector<double> eps_u;      // (D, M)
};

// The noise of draw `sample` at `step`, addressed as in random.h. The second form reuses memory.
GpNormals SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                          std::uint64_t step, std::uint64_t sample);
void SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                     std::uint64_t step, std::uint64_t sample, GpNormals& noise);

// The noise of the draw that is the mean of q(f).
GpNormals ZeroGpNormals(const SparseGp& gp, std::size_t features = 1);

// The precision of the Fourier features; states, kernel values and sums are double always.
enum class FeaturePrecision { kDouble, kFloat };

// One function drawn from q(f), as a Field.
//
// Pullback adds to `parameter_count()` raw sums whose layout is private to this class;
// PullbackToGp turns them into the gradient of the GP's parameters, once per draw: the gradient
// with respect to all frequencies collapses to numbers that the value and Jacobian already hold.
class GpDraw : public Field {
 public:
  // Memory for draws of gp's shape with F features. At most 512 dimensions.
  GpDraw(const SparseGp& gp, std::size_t features,
         FeaturePrecision precision = FeaturePrecision::kDouble);
  ~GpDraw() override;
  GpDraw(GpDraw&&) noexcept;
  GpDraw& operator=(GpDraw&&) noexcept;

  // Makes this the draw given by gp and noise. Allocates nothing.
  void Set(const SparseGp& gp, const GpNormals& noise);

  std::size_t dim() const override { return dim_; }
  std::size_t features() const { return features_; }
  std::size_t parameter_count() const override;
  std::size_t record_size() const override;
  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;
  void Jacobian(std::span<const double> x, std::span<double> jacobian) const override;

  // nu (D, M): the weights of the kernel update.
  const Matrix& nu() const { return nu_; }

  // gradient += what the raw sums mean for gp's parameters. gp and noise must be those of Set.
  void PullbackToGp(const SparseGp& gp, const GpNormals& noise, std::span<const double> bparameters,
                    GpGradient& gradient) const;
  // Only of the outputs that use row `row` of the hyperparameters; see GpGradient. Allocates
  // nothing.
  void PullbackRowToGp(const SparseGp& gp, const GpNormals& noise,
                       std::span<const double> bparameters, std::size_t row,
                       GpGradient& gradient) const;

 private:
  struct Tables;

  void PullbackOutputToGp(const SparseGp& gp, const GpNormals& noise, const double* sums,
                          std::size_t output, GpGradient& gradient) const;

  void SetFeatures(const SparseGp& gp, const GpNormals& noise);
  void SetUpdate(const SparseGp& gp, const GpNormals& noise);
  void Prior(std::size_t n, const double* x, double* value, double* jacobian,
             std::size_t stride) const;
  void RecordUpdate(const double* x, double* record, double* f) const;

  const Kernel* kernel_;
  std::size_t dim_, inducing_, features_;
  FeaturePrecision precision_;
  std::unique_ptr<Tables> tables_;
  Matrix nu_;           // (D, M)
  Matrix prior_at_z_;   // (M, D + D * D): the prior at the inducing locations, then its Jacobian
  Matrix white_prior_;  // (D, M): L^-1 prior(Z)
};

}  // namespace gpode
