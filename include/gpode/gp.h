// A sparse Gaussian process over functions R^I -> R^O, and draws from its posterior. The kernel
// matrices k_d(Z, X) are computed in src/kernel/kernel_matrix.cc.
//
// Sizes: I inputs, O outputs, M inducing points, F frequencies per output of a draw.
//
// Prior: f_d ~ GP(0, k_d), one kernel for each output d. Posterior: the inducing values
// u_d = f_d(Z) (M) are L_d v_d with L_d L_d^T = k_d(Z, Z) + jitter I; the whitened inducing values
// v_d have the posterior q(v_d) = N(mean_d, chol_d chol_d^T)   (paper, sections 3.1, 3.2 and S2.2).
//
// A draw f of the process, by decoupled sampling (paper, section 3.3 and S1.2):
//   f_d(x)     = prior_d(x) + sum_m nu_dm k_d(x, z_m)
//   prior_d(x) = sqrt(variance_d / F) sum_i w_cos_di cos(omega_di . x) + w_sin_di sin(omega_di . x)
//   nu_d       = L_d^-T (v_d - L_d^-1 prior_d(Z)),   v_d = mean_d + chol_d eps_u_d
//   omega_dik  = eps_omega_dik / lengthscale_dk
// with the random numbers w_cos, w_sin, eps_u and eps_omega of GpNormals.
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

#include "gpode/function.h"
#include "gpode/kernel.h"
#include "gpode/memory.h"
#include "gpode/parallel.h"

namespace gpode {

// The parameters of a process. The hyperparameters (lengthscales and variances) have one row for
// each output, or a single row that all outputs share.
//
// In a model, a posterior family (posterior_family.h) has the parameters of q(v) and draws v. The
// process then has no inducing_chol, and its inducing_mean has no columns: it is (O, 0), which
// still tells O, or (0, 0) if O is the number of rows of the hyperparameters.
struct GpParameters {
  Matrix inducing_locations;          // (M, I)
  Matrix inducing_mean;               // (O, M), whitened
  std::vector<Matrix> inducing_chol;  // O of (M, M), lower triangular, whitened
  Matrix lengthscales;                // (O or 1, I)
  Vector variances;                   // (O or 1)

  std::size_t inputs() const { return inducing_locations.cols(); }
  std::size_t outputs() const {
    return inducing_mean.rows() > 0 ? inducing_mean.rows() : variances.size();
  }
  std::size_t inducing() const { return inducing_locations.rows(); }
  // Tells whether the parameters describe q(v).
  bool has_inducing_values() const { return inducing_mean.size() > 0; }
};

// The cotangents (field.h) of GpParameters, and of the factors L_d. Draws add to the cotangents of
// the factors; SparseGp::FinishGradient then converts these into cotangents of locations and
// hyperparameters, on which the factors depend. It does so once per step for any number of draws.
//
// Thread safety: different threads may work on different rows of the hyperparameters.
struct GpGradient {
  explicit GpGradient(const GpParameters& shape);
  void SetZero();
  // Zeroes the cotangents of row `row` of the hyperparameters, of its factor, and of q(v) for the
  // outputs that use this row.
  void SetRowZero(std::size_t row);

  struct Row {
    Matrix factor;     // (M, M), lower triangular
    Matrix locations;  // (M, I), a part of the cotangent of Z; SumRows adds up the parts
    // Workspace.
    Matrix kernel;                 // (M, M)
    Vector white, prior, scratch;  // (M), (M), (2 M)
    Hyperparameters hyper;
  };

  GpParameters parameters;
  std::vector<Row> rows;  // one for each row of the hyperparameters
  Matrix white;           // (O, M): workspace, the cotangent of v
};

enum class FactorStatus { kOk, kNotPositiveDefinite };
// Returns an explanation of the status, for people.
std::string_view Message(FactorStatus status);

// The process itself: its factored kernel matrices and exact moments.
//
// Thread safety: Set changes the object; everything else is const and may be called from any
// thread.
//
//   SparseGp gp(GetKernel("matern52"));
//   if (gp.Set(parameters) == FactorStatus::kOk) mean = gp.Mean(points);
class SparseGp {
 public:
  explicit SparseGp(const Kernel& kernel, double jitter = 1e-6);

  // Takes the parameters and factors k(Z, Z) + jitter I. If the factorisation fails, the jitter is
  // multiplied by ten until it succeeds or the jitter is a hundredth of the variance; jitter()
  // returns the last value. Throws an InputError for parameters of a wrong shape, not finite, or
  // not positive where they must be. The second form shares the work among the pool's threads. If
  // the shapes are those of the last call, no memory is allocated (except inside Eigen's matrix
  // products if M is above a hundred).
  FactorStatus Set(const GpParameters& parameters);
  FactorStatus Set(const GpParameters& parameters, ThreadPool& pool);

  const Kernel& kernel() const { return *kernel_; }
  const GpParameters& parameters() const { return parameters_; }
  // The number of calls of Set, by which users notice that the parameters have changed.
  std::uint64_t version() const { return version_; }
  std::size_t inputs() const { return parameters_.inputs(); }
  std::size_t outputs() const { return parameters_.outputs(); }
  std::size_t inducing() const { return parameters_.inducing(); }
  // The number of rows of the hyperparameters, the row that an output uses, and that row's values.
  std::size_t hyper_rows() const { return hyper_.size(); }
  std::size_t HyperRow(std::size_t output) const {
    return parameters_.variances.size() == 1 ? 0 : output;
  }
  const Hyperparameters& Hyper(std::size_t output) const { return hyper_[HyperRow(output)]; }
  const Matrix& Factor(std::size_t output) const { return factor_[HyperRow(output)]; }
  double jitter(std::size_t output) const { return jitter_used_[HyperRow(output)]; }

  // These return exact moments of q(f) at the rows of x (n, I). They throw an InputError if the
  // parameters do not describe q(v).
  Matrix Mean(const Matrix& x) const;                            // (n, O)
  Matrix Variance(const Matrix& x) const;                        // (n, O)
  Matrix Covariance(const Matrix& x, std::size_t output) const;  // (n, n)

  // gradient.rows holds the cotangents of the factors, and for each row a part of the cotangent of
  // Z. FinishGradient turns these into cotangents of locations and hyperparameters, adds them to
  // gradient.parameters, and sets the factors and parts in gradient.rows to zero. Instead, a caller
  // may call FinishRow for each row, in any order and from any thread, and then SumRows.
  void FinishGradient(GpGradient& gradient) const;
  void FinishRow(std::size_t row, GpGradient& gradient) const;
  void SumRows(GpGradient& gradient) const;

 private:
  void Take(const GpParameters& parameters);
  bool FactorRow(std::size_t row);
  FactorStatus Status() const;
  Matrix Whitened(const Matrix& x, std::size_t output) const;
  void RequireInducingValues(const char* function) const;

  const Kernel* kernel_;
  double jitter_;
  std::uint64_t version_ = 0;
  GpParameters parameters_;
  std::vector<Hyperparameters> hyper_;
  std::vector<Matrix> factor_;
  std::vector<Matrix> kernel_matrix_;  // k(Z, Z) without jitter
  std::vector<double> jitter_used_;
  std::vector<char> factored_;  // vector<bool> would not let different threads write its entries
};

// The random numbers of one draw. All of them are standard normals, except for the frequencies of
// kernels other than the squared exponential.
struct GpNormals {
  std::vector<double> eps_omega;  // (O, F, I): frequencies at unit lengthscales
  std::vector<double> w_cos;      // (O, F)
  std::vector<double> w_sin;      // (O, F)
  std::vector<double> eps_u;      // (O, M)
};

// Returns the random numbers of draw number `sample` at training step `step`, addressed as in
// random.h, with F = features. The second form reuses the memory of `normals`.
GpNormals SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                          std::uint64_t step, std::uint64_t sample);
void SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                     std::uint64_t step, std::uint64_t sample, GpNormals& normals);

// Returns zeros. The draw that GpDraw::Set makes from them is the mean of q(f).
GpNormals ZeroGpNormals(const SparseGp& gp, std::size_t features = 1);

// The precision of the Fourier features. States, kernel values and sums are always double.
enum class FeaturePrecision { kDouble, kFloat };

// One function drawn from q(f).
//
// Pullback adds to parameter_count() raw sums whose layout is private to this class. PullbackRow
// and PullbackToGp turn these sums into the gradient of the process's parameters, once per draw. No
// sums for single frequencies are needed: the frequencies depend on the lengthscales alone, and
// dprior/dlengthscale_k = -(x_k / lengthscale_k) dprior/dx_k follows from the Jacobian of the
// prior.
//
// Thread safety: Set changes the draw; everything else is const and may be called from any thread.
//
//   GpDraw draw(gp, 256);
//   draw.Set(gp, SampleGpNormals(gp, 256, seed, step, sample));
class GpDraw final : public Function {
 public:
  // Allocates memory for draws of gp's shape with F features, for at most 512 inputs.
  GpDraw(const SparseGp& gp, std::size_t features,
         FeaturePrecision precision = FeaturePrecision::kDouble);
  ~GpDraw() override;
  GpDraw(GpDraw&&) noexcept;
  GpDraw& operator=(GpDraw&&) noexcept;

  // Makes this the draw of gp with these random numbers. The first form draws the whitened inducing
  // values v with normals.eps_u; the second takes them as `white` (O, M). Neither allocates memory.
  void Set(const SparseGp& gp, const GpNormals& normals);
  void Set(const SparseGp& gp, std::span<const double> white, const GpNormals& normals);
  // Changes only the whitened inducing values. gp and the random numbers must be those of the last
  // call of Set.
  void SetWhite(const SparseGp& gp, std::span<const double> white);

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }
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

  // The weights nu (O, M) of the kernels k_d(x, z_m), see above.
  const Matrix& nu() const { return nu_; }

  // Turns the raw sums into cotangents, for the outputs that use row `row` of the hyperparameters.
  // Adds to the cotangents of locations, factors and hyperparameters in `gradient`, and writes the
  // cotangent of v_d to row d of bwhite (O, M) for each of these outputs d. gp must be the one that
  // Set was called with. Allocates no memory.
  void PullbackRow(const SparseGp& gp, std::span<const double> bparameters, std::size_t row,
                   GpGradient& gradient, std::span<double> bwhite) const;
  // Computes only the cotangents of v, for all outputs: overwrites bwhite (O, M).
  void PullbackToWhite(const SparseGp& gp, std::span<const double> bparameters,
                       std::span<double> bwhite) const;

  // PullbackRowToGp does the same as PullbackRow, and PullbackToGp does it for all rows of the
  // hyperparameters. Both also add to the cotangents of inducing_mean and inducing_chol in
  // `gradient`, and leave the cotangent of v in gradient.white. gp and normals must be those that
  // Set was called with. They allocate no memory.
  void PullbackRowToGp(const SparseGp& gp, const GpNormals& normals,
                       std::span<const double> bparameters, std::size_t row,
                       GpGradient& gradient) const;
  void PullbackToGp(const SparseGp& gp, const GpNormals& normals,
                    std::span<const double> bparameters, GpGradient& gradient) const;

 private:
  struct Tables;

  void CheckShapes(const SparseGp& gp, const GpNormals& normals) const;
  void SetFeatures(const SparseGp& gp, const GpNormals& normals);
  void SetPriorAtInducing(const SparseGp& gp);
  void SetUpdate(const SparseGp& gp, std::span<const double> white);
  void Prior(std::size_t n, const double* x, double* value, double* jacobian,
             std::size_t stride) const;
  void RecordUpdate(const double* x, double* record, double* f) const;
  void PullWeights(const SparseGp& gp, const double* sums, std::size_t output,
                   Eigen::Map<Vector> bwhite) const;
  void PullbackOutput(const SparseGp& gp, const double* sums, std::size_t output,
                      GpGradient& gradient) const;

  const Kernel* kernel_;
  std::size_t inputs_, outputs_, inducing_, features_;
  FeaturePrecision precision_;
  std::unique_ptr<Tables> tables_;
  Matrix white_;        // (O, M): v, if this class draws it
  Matrix nu_;           // (O, M)
  Matrix prior_at_z_;   // (M, O + O I): the prior at the inducing locations, then its Jacobian
  Matrix white_prior_;  // (O, M): L^-1 prior(Z)
};

}  // namespace gpode
