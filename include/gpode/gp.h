// A sparse Gaussian process over functions R^I -> R^O, and draws from its posterior.
//
// Prior: f_d ~ GP(0, k_d), one kernel for each output d. Posterior: M inducing values
// u_d = f_d(Z) = L_d v_d with L_d L_d^T = k_d(Z, Z) + jitter I and whitened inducing values
// q(v_d) = N(mean_d, chol_d chol_d^T)   (paper, sections 3.1, 3.2 and S2.2).
//
// A draw f of the process, by decoupled sampling (paper, section 3.3 and S1.2):
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

#include "gpode/function.h"
#include "gpode/kernel.h"
#include "gpode/memory.h"
#include "gpode/parallel.h"

namespace gpode {

// The parameters of a process with M inducing points. The hyperparameters have one row for each
// output, or a single row that all outputs share.
// A process whose inducing values are drawn elsewhere (posterior_family.h) has no inducing_mean and
// no inducing_chol. Its inducing_mean is then (O, 0), or (0, 0) if every output has its own row of
// hyperparameters.
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

// The cotangents of GpParameters, and of the factors L_d. SparseGp::FinishGradient moves those of
// the factors on to locations and hyperparameters, once per step for any number of draws.
//
// Thread safety: different threads may add to different rows of the hyperparameters.
struct GpGradient {
  explicit GpGradient(const GpParameters& shape);
  void SetZero();
  // Zeroes what only the outputs with row `row` of the hyperparameters add to.
  void SetRowZero(std::size_t row);

  struct Row {
    Matrix factor;     // (M, M), lower triangular
    Matrix locations;  // (M, I), which SumRows adds to those of all rows
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

  // Takes the parameters and factors k(Z, Z) + jitter I. If that fails, the jitter is multiplied by
  // ten, up to a hundredth of the variance; jitter() reports the one that was used. Throws an
  // InputError for parameters of a wrong shape, not finite, or not positive where they must be.
  // The second form shares the work among the pool's threads. Parameters of the same shape as
  // those before cost no allocation (except for blocks of matrix products, if M is above a
  // hundred).
  FactorStatus Set(const GpParameters& parameters);
  FactorStatus Set(const GpParameters& parameters, ThreadPool& pool);

  const Kernel& kernel() const { return *kernel_; }
  const GpParameters& parameters() const { return parameters_; }
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

  // Return the exact moments of q(f) at the rows of x (n, I). Throw an InputError if the parameters
  // do not describe q(v).
  Matrix Mean(const Matrix& x) const;                            // (n, O)
  Matrix Variance(const Matrix& x) const;                        // (n, O)
  Matrix Covariance(const Matrix& x, std::size_t output) const;  // (n, n)

  // Moves the rows' cotangents on to locations and hyperparameters, and zeroes them. It has two
  // parts: FinishRow for each row, in any order and from any thread, then SumRows.
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
  GpParameters parameters_;
  std::vector<Hyperparameters> hyper_;
  std::vector<Matrix> factor_;
  std::vector<Matrix> kernel_matrix_;  // without jitter
  std::vector<double> jitter_used_;
  std::vector<char> factored_;  // not vector<bool>: different threads write different rows
};

// The random numbers of one draw. All of them are standard normals, except for the frequencies of
// kernels other than the squared exponential.
struct GpNormals {
  std::vector<double> eps_omega;  // (O, F, I): frequencies at unit lengthscales
  std::vector<double> w_cos;      // (O, F)
  std::vector<double> w_sin;      // (O, F)
  std::vector<double> eps_u;      // (O, M)
};

// Returns the random numbers of draw `sample` at `step`, addressed as in random.h. The second form
// reuses memory.
GpNormals SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                          std::uint64_t step, std::uint64_t sample);
void SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                     std::uint64_t step, std::uint64_t sample, GpNormals& normals);

// Returns zeros, which make the draw that is the mean of q(f).
GpNormals ZeroGpNormals(const SparseGp& gp, std::size_t features = 1);

// The precision of the Fourier features. States, kernel values and sums are always double.
enum class FeaturePrecision { kDouble, kFloat };

// One function drawn from q(f).
//
// Pullback adds to `parameter_count()` raw sums whose layout is private to this class. PullbackRow
// and PullbackToGp turn them into the gradient of the process's parameters, once per draw: the
// gradient with respect to all frequencies collapses to numbers that the value and the Jacobian
// already hold.
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

  // Makes this the draw of gp with these random numbers. The second form takes the whitened
  // inducing values v as `white` (O, M) in place of drawing them, and does not use normals.eps_u.
  // Neither allocates.
  void Set(const SparseGp& gp, const GpNormals& normals);
  void Set(const SparseGp& gp, std::span<const double> white, const GpNormals& normals);

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

  // The weights nu (O, M) of the kernel update.
  const Matrix& nu() const { return nu_; }

  // Turns the raw sums into cotangents, for the outputs that use row `row` of the hyperparameters:
  // adds to those of the locations, the factors and the hyperparameters, and writes those of v to
  // the outputs' rows of bwhite (O, M). gp must be that of Set. Allocates nothing.
  void PullbackRow(const SparseGp& gp, std::span<const double> bparameters, std::size_t row,
                   GpGradient& gradient, std::span<double> bwhite) const;

  // Do the same for all parameters of gp, those of q(v) included: for one row of the
  // hyperparameters, or for all. gp and normals must be those of Set. Allocate nothing.
  void PullbackRowToGp(const SparseGp& gp, const GpNormals& normals,
                       std::span<const double> bparameters, std::size_t row,
                       GpGradient& gradient) const;
  void PullbackToGp(const SparseGp& gp, const GpNormals& normals,
                    std::span<const double> bparameters, GpGradient& gradient) const;

 private:
  struct Tables;

  void CheckShapes(const SparseGp& gp, const GpNormals& normals) const;
  void SetFeatures(const SparseGp& gp, const GpNormals& normals);
  void SetUpdate(const SparseGp& gp, std::span<const double> white);
  void Prior(std::size_t n, const double* x, double* value, double* jacobian,
             std::size_t stride) const;
  void RecordUpdate(const double* x, double* record, double* f) const;
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
