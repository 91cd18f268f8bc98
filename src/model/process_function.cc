#include "model/process_function.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "data/kmeans.h"
#include "data/thin.h"
#include "gpode/error.h"
#include "kernel/kernel_sum.h"
#include "model/initial_inducing_values.h"
#include "model/process_draw.h"

namespace gpode {
namespace {

// With at least this many inducing points, rows of hyperparameters are processed in parallel. With
// fewer, the matrices of a row take less time than a thread needs to wake up.
constexpr std::size_t kInducingWorthSharing = 40;
// The standard deviations of the priors of log lengthscales and log variances, and the factor by
// which lengthscales are expected to be longer than at the start.
constexpr double kLengthscaleDeviation = 0.5, kVarianceDeviation = 1.0, kSmooth = 4;
// The prior standard deviations of the logarithms of a polynomial's scales: for the constant and
// the linear terms, and for the terms of each higher degree.
constexpr double kLinearScaleDeviation = 0.5, kScaleDeviation = 1.5;
// Training starts with lengthscales of kStartLengthscale times the spread of the states, so that
// they reach over the data, and with standard deviations kStartDeviation of the latent variables.
constexpr double kStartLengthscale = 1.3, kStartDeviation = 0.05;
// Without scaling, an output's variance at the start is at least this share of the outputs' mean.
constexpr double kSmallestVariance = 1e-4;
// Functions drawn by a sampler all have the same Fourier frequencies. Their random numbers are
// those of this step (gpode/random.h), which training never reaches.
constexpr std::uint64_t kSampledStep = std::uint64_t{1} << 60;
// The largest number of states that k-means clusters, and of slopes that the start regresses on.
constexpr std::size_t kMostClustered = 20000, kMostSlopes = 1000;

// Minus the log density of log value ~ N(log centre, deviation^2), up to a constant, and its
// derivative with respect to the value.
struct LogNormalCost {
  double cost, slope;
};
LogNormalCost CostOf(double value, double centre, double deviation) {
  const double away = std::log(value / centre) / deviation;
  return {0.5 * away * away, away / (deviation * value)};
}

class ProcessFunction final : public UnknownFunction {
 public:
  explicit ProcessFunction(const FunctionSetting& setting)
      : options_(setting.options),
        outputs_(setting.dim),
        inputs_(setting.dim + setting.inputs),
        rows_(options_.shared_hyperparameters ? 1 : setting.dim),
        residual_(setting.with_residual),
        samples_residual_(setting.with_residual && setting.is_sampled),
        sum_(GetKernelSum(options_.kernel)),
        terms_(sum_.degree == 0 ? 0 : Polynomial::CountTerms(inputs_, sum_.degree)),
        kernel_(*sum_.stationary),
        gp_(kernel_, options_.jitter) {
    part_.degree = sum_.degree;
    part_.terms = terms_;
  }

  LatentPart latent() const override {
    return {.name = "inducing", .items = outputs_, .size = options_.inducing + terms_};
  }
  double start_deviation() const override { return kStartDeviation; }

  void AddParameters(ParameterLayout& layout) override {
    locations_ = layout.Add("inducing_locations", {options_.inducing, inputs_}, Transform::kFree);
    lengthscales_ = layout.Add("lengthscales", {rows_, inputs_}, Transform::kPositive);
    variances_ = layout.Add("variances", {rows_}, Transform::kPositive);
    if (terms_ > 0) {
      scales_block_ = layout.Add("polynomial_scales", {rows_, terms_}, Transform::kPositive);
    }
    layout_ = layout;
  }
  void AddResidual(ParameterLayout& layout) override {
    if (!samples_residual_) return;
    weights_block_ =
        layout.Add("residual_weights", {outputs_, 2, options_.features}, Transform::kFree);
    layout_ = layout;
  }
  std::optional<std::size_t> ResidualBlock() const override {
    return samples_residual_ ? std::optional(weights_block_) : std::nullopt;
  }
  std::vector<std::size_t> SampledBlocks() const override { return {lengthscales_, variances_}; }

  // Each group holds the scales of all terms of one degree of an output.
  std::vector<SampledGroup> SampledGroups() const override {
    std::vector<SampledGroup> groups;
    if (!SamplesScales()) return groups;
    for (std::size_t row = 0; row < rows_; ++row) {
      std::size_t first = 0;
      for (std::size_t degree = 1; degree <= sum_.degree; ++degree) {
        const std::size_t end = Polynomial::CountTerms(inputs_, degree);
        SampledGroup group{.block = scales_block_,
                           .members = {},
                           .centres = {},
                           .deviation = degree == 1 ? kLinearScaleDeviation : kScaleDeviation};
        for (; first < end; ++first) {
          group.members.push_back(row * terms_ + first);
          group.centres.push_back(scale_centres_(Index(row), Index(first)));
        }
        groups.push_back(std::move(group));
      }
    }
    return groups;
  }

  FunctionStart Start(const Matrix& states, const Matrix& slopes,
                      const Vector& spread) const override;

  Matrix WhitenedStart(const GpParameters& start, const Matrix& scales, const Matrix& white,
                       const Matrix& weights) const;

  void SetStart(const FunctionStart& start) override {
    Allocate();
    // The hyperparameters are in the order locations, lengthscales, variances.
    const double* at = start.hyperparameters.data() + parameters_.inducing_locations.size();
    const double longer =
        samples_residual_ ? options_.prior.lengthscale / kStartLengthscale : kSmooth;
    lengthscale_centres_ = longer * Eigen::Map<const Matrix>(at, Index(rows_), Index(inputs_));
    at += lengthscale_centres_.size();
    variance_centres_ = Eigen::Map<const Vector>(at, Index(rows_));
    if (samples_residual_) variance_centres_ *= options_.prior.variance;
    at += variance_centres_.size();
    if (terms_ > 0) {
      scale_centres_ = Eigen::Map<const Matrix>(at, Index(rows_), Index(terms_));
    }
  }

  FactorStatus Set(std::span<const double> values, ThreadPool& pool) override {
    Allocate();
    const auto take = [&](std::size_t block, auto& to) {
      const std::span<const double> from = layout_.Values(block, values);
      std::copy_n(from.begin(), from.size(), to.data());
    };
    take(locations_, parameters_.inducing_locations);
    take(lengthscales_, parameters_.lengthscales);
    take(variances_, parameters_.variances);
    if (terms_ > 0) take(scales_block_, part_.scales);
    if (samples_residual_) {
      const std::span<const double> weights = layout_.Values(weights_block_, values);
      weights_.assign(weights.begin(), weights.end());
    }
    const FactorStatus status = SharesRows() ? gp_.Set(parameters_, pool) : gp_.Set(parameters_);
    if (terms_ > 0 && status == FactorStatus::kOk) SetWhitenings();
    return status;
  }

  std::unique_ptr<FunctionDraw> MakeDraw() const override {
    Allocate();
    auto draw = std::make_unique<ProcessDraw>(gp_, residual_ ? options_.features : 1,
                                              options_.precision, residual_, part_);
    if (samples_residual_) {
      draw->Sample(options_.seed, kSampledStep, 0);
      draw->TakeWeightsFrom(weights_);
    }
    return draw;
  }

  void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws, std::span<const double> sums,
                std::size_t stride, std::span<double> bz, std::size_t stride_z,
                std::span<double> bvalues, ThreadPool& pool) override {
    GpGradient& gradient = *gradient_;
    gradient.parameters.inducing_locations.setZero();
    const std::size_t latent = outputs_ * (options_.inducing + terms_);
    auto pull_row = [&](std::size_t row) {
      gradient.SetRowZero(row);
      if (terms_ > 0) {
        part_.whitenings[row].SetZero();
        blog_scales_.row(Index(row)).setZero();
      }
      for (std::size_t s = 0; s < draws.size(); ++s) {
        const auto& process = static_cast<const ProcessDraw&>(*draws[s]);
        const GpDraw& draw = process.draw();
        const std::span<double> bdraw = bz.subspan(s * stride_z, latent);
        const std::span<double> bwhite = terms_ == 0 ? bdraw : std::span(bwhite_);
        draw.PullbackRow(gp_, sums.subspan(s * stride, draw.parameter_count()), row, gradient,
                         bwhite);
        if (terms_ > 0) {
          PullPolynomial(process.polynomial(), row,
                         sums.subspan(s * stride + draw.parameter_count(), outputs_ * terms_),
                         bdraw);
          if (SamplesScales()) {
            PullScales(process.polynomial().polynomial(), row,
                       sums.subspan(s * stride + draw.parameter_count(), outputs_ * terms_));
          }
        }
      }
      if (terms_ > 0) FinishPolynomial(row);
      gp_.FinishRow(row, gradient);
    };
    if (SharesRows()) {
      pool.For(rows_, pull_row);
    } else {
      for (std::size_t row = 0; row < rows_; ++row) pull_row(row);
    }
    gp_.SumRows(gradient);
    AddGradient(bvalues);
  }

  void Moderate(std::span<double> values) const override {
    const auto clip = [](double& value, double centre, double deviation) {
      value = std::clamp(value, centre * std::exp(-deviation), centre * std::exp(deviation));
    };
    const std::span<double> lengthscales = layout_.Values(lengthscales_, values);
    for (std::size_t i = 0; i < lengthscales.size(); ++i) {
      clip(lengthscales[i], lengthscale_centres_.data()[i], options_.prior.lengthscale_deviation);
    }
    const std::span<double> variances = layout_.Values(variances_, values);
    for (std::size_t i = 0; i < variances.size(); ++i) {
      clip(variances[i], variance_centres_.data()[i], options_.prior.variance_deviation);
    }
  }

  std::vector<Matrix> Basis(const Matrix& points) const override {
    std::vector<Matrix> basis;
    for (std::size_t d = 0; d < outputs_; ++d) {
      basis.emplace_back(BasisOf(d, points, WhitenedKernel(d, points)).transpose());
    }
    return basis;
  }

  void BasisPullback(const Matrix& points, std::span<const Matrix> basis,
                     std::span<const Matrix> bbasis, std::span<double> bvalues) override {
    GpGradient& gradient = *gradient_;
    gradient.parameters.inducing_locations.setZero();
    for (std::size_t row = 0; row < rows_; ++row) {
      gradient.SetRowZero(row);
      if (terms_ > 0) {
        part_.whitenings[row].SetZero();
        blog_scales_.row(Index(row)).setZero();
      }
    }
    Matrix bpoints = Matrix::Zero(points.rows(), points.cols());
    const auto m = Index(options_.inducing);
    for (std::size_t d = 0; d < outputs_; ++d) {
      const std::size_t row = gp_.HyperRow(d);
      GpGradient::Row& r = gradient.rows[row];
      Matrix of_values = basis[d].transpose(), bof_values = bbasis[d].transpose();
      if (terms_ > 0) {
        TurnBasis(row, of_values, bof_values);
        // In the basis, the rows of the polynomial's terms are proportional to their scales.
        blog_scales_.row(Index(row)) += bof_values.bottomRows(Index(terms_))
                                            .cwiseProduct(of_values.bottomRows(Index(terms_)))
                                            .rowwise()
                                            .sum()
                                            .transpose();
      }
      Matrix bkernel = bof_values.topRows(m);
      gp_.Factor(d).transpose().triangularView<Eigen::Upper>().solveInPlace(bkernel);
      r.factor.triangularView<Eigen::Lower>() -= bkernel * of_values.topRows(m).transpose();
      r.hyper.lengthscales.setZero();
      r.hyper.variance = 0;
      KernelMatrixPullback(kernel_, gp_.Hyper(d), parameters_.inducing_locations, points, bkernel,
                           r.locations, bpoints, r.hyper);
      gradient.parameters.lengthscales.row(Index(row)) += r.hyper.lengthscales.transpose();
      gradient.parameters.variances[Index(row)] += r.hyper.variance;
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      if (terms_ > 0) FinishPolynomial(row);
      gp_.FinishRow(row, gradient);
    }
    gp_.SumRows(gradient);
    AddGradient(bvalues);
  }

  std::vector<Matrix> GradientBasis(const Matrix& points) const {
    std::vector<Matrix> basis = KernelSlopes(gp_.Hyper(0), parameters_.inducing_locations, points);
    for (Matrix& own : basis) {
      gp_.Factor(0).triangularView<Eigen::Lower>().solveInPlace(own);
      own.transposeInPlace();
    }
    return basis;
  }

  void GradientBasisPullback(const Matrix& points, std::span<const Matrix> basis,
                             std::span<const Matrix> bbasis, std::span<double> bvalues) {
    GpGradient& gradient = *gradient_;
    gradient.parameters.inducing_locations.setZero();
    gradient.SetRowZero(0);
    GpGradient::Row& r = gradient.rows[0];
    std::vector<Matrix> bslopes;
    for (std::size_t k = 0; k < basis.size(); ++k) {
      bslopes.emplace_back(bbasis[k].transpose());
      gp_.Factor(0).transpose().triangularView<Eigen::Upper>().solveInPlace(bslopes.back());
      r.factor.triangularView<Eigen::Lower>() -= bslopes.back() * basis[k];
    }
    r.hyper.lengthscales.setZero();
    r.hyper.variance = 0;
    KernelSlopesPullback(gp_.Hyper(0), parameters_.inducing_locations, points, bslopes, r.locations,
                         r.hyper);
    gradient.parameters.lengthscales.row(0) += r.hyper.lengthscales.transpose();
    gradient.parameters.variances[0] += r.hyper.variance;
    gp_.FinishRow(0, gradient);
    gp_.SumRows(gradient);
    AddGradient(bvalues);
  }

  double HyperparameterCost(double b, std::span<double> bvalues) const override {
    double sum = 0;
    const auto visit = [&](const LogNormalCost& prior, std::size_t block, std::size_t i) {
      sum += prior.cost;
      if (!bvalues.empty()) layout_.Values(block, bvalues)[i] += b * prior.slope;
    };
    const GpParameters& gp = parameters_;
    const PriorOptions& prior = options_.prior;
    const double lengthscale_deviation =
        samples_residual_ ? prior.lengthscale_deviation : kLengthscaleDeviation;
    const double variance_deviation =
        samples_residual_ ? prior.variance_deviation : kVarianceDeviation;
    for (Eigen::Index row = 0; row < gp.variances.size(); ++row) {
      for (Eigen::Index k = 0; k < gp.lengthscales.cols(); ++k) {
        visit(CostOf(gp.lengthscales(row, k), lengthscale_centres_(row, k), lengthscale_deviation),
              lengthscales_, static_cast<std::size_t>(row * gp.lengthscales.cols() + k));
      }
      visit(CostOf(gp.variances[row], variance_centres_[row], variance_deviation), variances_,
            static_cast<std::size_t>(row));
    }
    return sum;
  }

  std::optional<FieldMoments> Moments(const Matrix& points,
                                      const GaussianItems& latent) const override {
    if (terms_ > 0) return MomentsWithPolynomial(points, latent);
    GpParameters whole = parameters_;
    whole.inducing_mean = latent.mean;
    whole.inducing_chol = latent.chol;
    SparseGp gp(kernel_, options_.jitter);
    if (const FactorStatus status = gp.Set(whole); status != FactorStatus::kOk) {
      ThrowInput("Posterior", "model", Message(status));
    }
    return FieldMoments{gp.Mean(points), gp.Variance(points)};
  }

  double MeanLengthscale(std::span<const double> values) const override {
    const std::span<const double> lengthscales = layout_.Values(lengthscales_, values);
    double sum = 0;
    for (double l : lengthscales) sum += std::log(l) / static_cast<double>(lengthscales.size());
    return std::exp(sum);
  }

  std::vector<std::pair<std::string, std::string>> Facts() const override {
    std::vector<std::pair<std::string, std::string>> facts = {
        {"kernel", sum_.Name()}, {"inducing points", std::to_string(options_.inducing)}};
    if (residual_) facts.emplace_back("Fourier features", std::to_string(options_.features));
    return facts;
  }
  std::string Summary() const override {
    return fmt::format("{} inducing point{}", options_.inducing, options_.inducing == 1 ? "" : "s");
  }

 private:
  void AddGradient(std::span<double> bvalues) const {
    const auto add = [&](std::size_t block, const auto& from) {
      const std::span<double> to = layout_.Values(block, bvalues);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from.data()[i];
    };
    add(locations_, gradient_->parameters.inducing_locations);
    add(lengthscales_, gradient_->parameters.lengthscales);
    add(variances_, gradient_->parameters.variances);
    if (SamplesScales()) add(scales_block_, Matrix(blog_scales_.cwiseQuotient(part_.scales)));
  }

  // Adds the cotangents of the logarithms of a row's scales. The weights of the polynomial, whose
  // cotangents are bweights (J, D), are proportional to the scales.
  void PullScales(const Polynomial& polynomial, std::size_t row, std::span<const double> bweights) {
    const std::span<const double> weights = polynomial.weights();
    for (std::size_t d = 0; d < outputs_; ++d) {
      if (part_.Row(d) != row) continue;
      for (std::size_t j = 0; j < terms_; ++j) {
        const std::size_t i = j * outputs_ + d;
        blog_scales_(Index(row), Index(j)) += bweights[i] * weights[i];
      }
    }
  }

  // Replaces the columns (M + J, n) of a basis of z, and their cotangents, by those of the basis of
  // [v, b] (field/polynomial_whitening.h). Since [v, b] = O z with O orthogonal, a column y of the
  // first becomes the column O y of the second.
  void TurnBasis(std::size_t row, Matrix& basis, Matrix& bbasis) {
    PolynomialWhitening& whitening = part_.whitenings[row];
    Matrix inner, turned;
    whitening.Apply(basis, inner, turned);
    basis.swap(turned);
    whitening.Apply(bbasis, inner, turned);
    whitening.ApplyPullback(inner, basis);
    bbasis.swap(turned);
  }

  void SetWhitenings() const {
    Polynomial::Terms(parameters_.inducing_locations, sum_.degree, inducing_terms_);
    part_.whitenings.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
      part_.whitenings[row].Set(gp_.Factor(row), inducing_terms_,
                                part_.scales.row(Index(row)).transpose());
    }
  }

  // Writes the cotangents bz (D, M + J) of z for the outputs that use a row of the hyperparameters,
  // from the cotangents of v, in bwhite_, and those of the polynomial's weights, bweights (J, D).
  void PullPolynomial(const PolynomialDraw& draw, std::size_t row, std::span<const double> bweights,
                      std::span<double> bz) {
    const std::size_t m = options_.inducing, size = m + terms_;
    std::vector<double>& blatent = blatent_[row];
    for (std::size_t d = 0; d < outputs_; ++d) {
      if (part_.Row(d) != row) continue;
      std::copy_n(bwhite_.begin() + static_cast<std::ptrdiff_t>(d * m), m, blatent.begin());
      for (std::size_t j = 0; j < terms_; ++j) {
        blatent[m + j] = part_.scales(Index(row), Index(j)) * bweights[j * outputs_ + d];
      }
      part_.whitenings[row].ApplyPullback(draw.inner(d), blatent, bz.subspan(d * size, size));
    }
  }

  // Turns the cotangents of a whitening into those of the factor and the locations of its row.
  void FinishPolynomial(std::size_t row) {
    GpGradient::Row& own = gradient_->rows[row];
    part_.whitenings[row].Finish(own.factor, bterms_[row], bmixed_[row]);
    blog_scales_.row(Index(row)) += bmixed_[row].transpose();
    Polynomial::TermsPullback(parameters_.inducing_locations, sum_.degree, bterms_[row],
                              own.locations);
  }

  // Returns L^-1 k(Z, x) (M, n) for one output, with Z the inducing locations and L the Cholesky
  // factor of k(Z, Z).
  Matrix WhitenedKernel(std::size_t output, const Matrix& points) const {
    Matrix white = KernelMatrix(kernel_, gp_.Hyper(output), parameters_.inducing_locations, points);
    gp_.Factor(output).triangularView<Eigen::Lower>().solveInPlace(white);
    return white;
  }

  // Returns the columns s (M + J, n) with f(x) = s^T z, where f is the function without its
  // residual. The columns for [v, b] are [L^-1 k(Z, x), scales psi(x)]; the whitening turns them
  // into those for z.
  Matrix BasisOf(std::size_t output, const Matrix& points, const Matrix& white) const {
    if (terms_ == 0) return white;
    const std::size_t row = part_.Row(output);
    Matrix both(white.rows() + Index(terms_), points.rows());
    both << white, part_.scales.row(Index(row)).transpose().asDiagonal() *
                       Polynomial::Terms(points, sum_.degree).transpose();
    return part_.whitenings[row].Inverse(both);
  }

  // Returns the moments of the field. For z ~ N(mean, C C^T) and the columns s of BasisOf, f(x) has
  // the mean s^T mean and the variance k(x, x) - |L^-1 k(Z, x)|^2 + |C^T s|^2.
  FieldMoments MomentsWithPolynomial(const Matrix& points, const GaussianItems& latent) const {
    FieldMoments moments{Matrix(points.rows(), Index(outputs_)),
                         Matrix(points.rows(), Index(outputs_))};
    for (std::size_t d = 0; d < outputs_; ++d) {
      const Matrix white = WhitenedKernel(d, points), own = BasisOf(d, points, white);
      const Matrix spread = latent.chol[d].triangularView<Eigen::Lower>().transpose() * own;
      moments.mean.col(Index(d)) = own.transpose() * latent.mean.row(Index(d)).transpose();
      moments.variance.col(Index(d)) =
          (gp_.Hyper(d).variance - white.colwise().squaredNorm().array() +
           spread.colwise().squaredNorm().array())
              .transpose();
    }
    return moments;
  }

  static Eigen::Index Index(std::size_t n) { return static_cast<Eigen::Index>(n); }
  bool SharesRows() const { return options_.inducing >= kInducingWorthSharing; }
  // Returns true if a sampler draws the scales of the polynomial. Those of a linear part are fixed.
  bool SamplesScales() const { return samples_residual_ && sum_.degree >= 2; }

  // Makes a valid process of the right shape when it is first needed, so that draws and gradients
  // have their memory. A function that is only asked for its shape allocates nothing.
  void Allocate() const {
    if (gradient_) return;
    const auto m = Index(options_.inducing), i = Index(inputs_), rows = Index(rows_);
    parameters_.inducing_locations = Matrix::Zero(m, i);
    // The process has no posterior of its own: the posterior family draws the inducing values.
    parameters_.inducing_mean.resize(Index(outputs_), 0);
    parameters_.lengthscales = Matrix::Ones(rows, i);
    parameters_.variances = Vector::Ones(rows);
    gp_.Set(parameters_);
    if (terms_ > 0) {
      part_.scales = Matrix::Ones(rows, Index(terms_));
      SetWhitenings();
      bwhite_.resize(outputs_ * options_.inducing);
      blatent_.assign(rows_, std::vector<double>(options_.inducing + terms_));
      bterms_.assign(rows_, Matrix(m, Index(terms_)));
      bmixed_.assign(rows_, Vector(Index(terms_)));
      scale_centres_ = part_.scales;
      blog_scales_ = Matrix::Zero(rows, Index(terms_));
    }
    gradient_ = std::make_unique<GpGradient>(parameters_);
    lengthscale_centres_ = parameters_.lengthscales;
    variance_centres_ = parameters_.variances;
  }

  FitOptions options_;
  std::size_t outputs_, inputs_, rows_;
  bool residual_, samples_residual_;
  KernelSum sum_;
  std::size_t terms_;  // J, the number of polynomial terms; zero without a polynomial part
  const Kernel& kernel_;
  mutable SparseGp gp_;
  mutable GpParameters parameters_;  // without a posterior of the inducing values
  mutable std::unique_ptr<GpGradient> gradient_;
  mutable Matrix lengthscale_centres_;
  mutable Vector variance_centres_;
  mutable Matrix scale_centres_;  // (D or 1, J)
  ParameterLayout layout_;
  std::size_t locations_ = 0, lengthscales_ = 0, variances_ = 0, weights_block_ = 0;
  std::vector<double> weights_;  // the residual's weights, if a sampler draws them
  std::size_t scales_block_ = 0;
  mutable PolynomialPart part_;
  mutable Matrix inducing_terms_;  // (M, J)
  // Memory for the cotangents of v (D, M) and, for each row of the hyperparameters, for those of
  // [v, b] (M + J) and of the terms at the inducing locations (M, J).
  mutable std::vector<double> bwhite_;
  mutable std::vector<std::vector<double>> blatent_;
  mutable std::vector<Matrix> bterms_;
  mutable Matrix blog_scales_;          // (D or 1, J): cotangents of the logarithms of the scales
  mutable std::vector<Vector> bmixed_;  // the parts of blog_scales_ that come from the whitenings
};

// Returns the latent variables z (D, M + J) for `white`, which is v (D, M), and `weights`, which is
// b (D, J).
Matrix ProcessFunction::WhitenedStart(const GpParameters& start, const Matrix& scales,
                                      const Matrix& white, const Matrix& weights) const {
  GpParameters shape = start;
  shape.inducing_mean.resize(Index(outputs_), 0);
  SparseGp gp(kernel_, options_.jitter);
  if (const FactorStatus status = gp.Set(shape); status != FactorStatus::kOk) {
    ThrowInput("Fit", "start", Message(status));
  }
  const Matrix terms = Polynomial::Terms(start.inducing_locations, sum_.degree);
  Matrix latent(white.rows(), white.cols() + weights.cols());
  latent << white, weights;
  for (std::size_t d = 0; d < outputs_; ++d) {
    PolynomialWhitening whitening;
    whitening.Set(gp.Factor(d), terms, scales.row(Index(gp.HyperRow(d))).transpose());
    latent.row(Index(d)) = whitening.Inverse(latent.row(Index(d)).transpose()).transpose();
  }
  return latent;
}

FunctionStart ProcessFunction::Start(const Matrix& states, const Matrix& slopes,
                                     const Vector& spread) const {
  GpParameters gp;
  // Without scaling, the priors of a sampled process are in the user's units, and do not depend on
  // the data.
  const bool has_fixed_units = samples_residual_ && !options_.scale;
  const Vector units = has_fixed_units ? Vector::Ones(spread.size()) : spread;
  gp.inducing_locations = KMeans(Thin(states, kMostClustered), options_.inducing, options_.seed);
  gp.lengthscales = (kStartLengthscale * units.transpose()).replicate(Index(rows_), 1);
  gp.variances = Vector::Ones(Index(rows_));
  if (!options_.scale && !has_fixed_units) {
    // A state that does not move in the data may still move elsewhere, so that its prior variance
    // must not be zero.
    const Vector sizes =
        (slopes.colwise().squaredNorm() / static_cast<double>(slopes.rows())).cwiseSqrt();
    const Vector variances = sizes.cwiseAbs2();
    const double mean = variances.mean() > 0 ? variances.mean() : 1.0;
    gp.variances = Vector::Constant(Index(rows_), mean);
    if (rows_ == outputs_) gp.variances = variances.cwiseMax(kSmallestVariance * mean);
  }
  const Matrix at = Thin(states, kMostSlopes);
  Matrix left = Thin(slopes, kMostSlopes), scales, weights;
  if (terms_ > 0) {
    scales =
        gp.variances.cwiseSqrt() * options_.prior.linear *
        Polynomial::PriorDeviations(units, sum_.degree, options_.prior.lengthscale).transpose();
    weights = RegressedPolynomial(Polynomial::Terms(at, sum_.degree), scales, gp.variances, left);
  }
  const Matrix white = RegressedInducingValues(kernel_, at, left, options_.jitter, gp);
  FunctionStart start;
  const auto append = [](const auto& from, std::vector<double>& to) {
    to.insert(to.end(), from.data(), from.data() + from.size());
  };
  append(gp.inducing_locations, start.hyperparameters);
  append(gp.lengthscales, start.hyperparameters);
  append(gp.variances, start.hyperparameters);
  append(scales, start.hyperparameters);
  if (terms_ > 0) {
    append(WhitenedStart(gp, scales, white, weights), start.latent);
  } else {
    append(white, start.latent);
  }
  return start;
}

// Throws an InputError if the covariances of the posterior or the features of the draws would be
// too large for memory.
void CheckSizes(const FunctionSetting& setting) {
  constexpr double kMostCovariances = 1e8, kMostFrequencies = 4e8;
  const FitOptions& o = setting.options;
  const auto dim = static_cast<double>(setting.dim), inducing = static_cast<double>(o.inducing);
  if (dim * inducing * inducing > kMostCovariances) {
    ThrowInput("Fit", "inducing",
               fmt::format("is {} for {} states, must be at most {:.0f}", o.inducing, dim,
                           std::max(1.0, std::floor(std::sqrt(kMostCovariances / dim)))));
  }
  if (const KernelSum sum = GetKernelSum(o.kernel); sum.degree > 0) {
    const auto terms =
        static_cast<double>(Polynomial::CountTerms(setting.dim + setting.inputs, sum.degree));
    if (dim * (inducing + terms) * (inducing + terms) > kMostCovariances) {
      ThrowInput("Fit", "kernel",
                 fmt::format("\"{}\" has {:.0f} terms for {} states, must have fewer: choose a "
                             "lower degree, fewer inducing points or fewer states",
                             sum.Name(), terms, dim));
    }
  }
  const double features = static_cast<double>(o.features) * static_cast<double>(o.draws);
  if (dim * dim * features > kMostFrequencies) {
    ThrowInput("Fit", "features",
               fmt::format("times draws is {:.0f} for {} states, must be at most {:.0f}", features,
                           dim, std::max(1.0, std::floor(kMostFrequencies / dim / dim))));
  }
}

}  // namespace

std::unique_ptr<UnknownFunction> MakeProcessFunction(const FunctionSetting& setting) {
  CheckSizes(setting);
  return std::make_unique<ProcessFunction>(setting);
}

std::vector<Matrix> GradientBasis(const UnknownFunction& process, const Matrix& points) {
  return static_cast<const ProcessFunction&>(process).GradientBasis(points);
}

void GradientBasisPullback(UnknownFunction& process, const Matrix& points,
                           std::span<const Matrix> basis, std::span<const Matrix> bbasis,
                           std::span<double> bvalues) {
  static_cast<ProcessFunction&>(process).GradientBasisPullback(points, basis, bbasis, bvalues);
}

void SetPriorNormals(FunctionDraw& draw, const GpNormals& normals) {
  static_cast<ProcessDraw&>(draw).normals() = normals;
}

}  // namespace gpode
