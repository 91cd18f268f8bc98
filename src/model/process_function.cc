#include "model/process_function.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "kernel/kernel_sum.h"
#include "model/process_draw.h"
#include "model/process_prior.h"
#include "model/process_start.h"

namespace gpode {
namespace {

// With at least this many inducing points, rows of hyperparameters are processed in parallel. With
// fewer, the matrices of a row take less time than a thread needs to wake up.
constexpr std::size_t kInducingWorthSharing = 40;
// The prior standard deviations of the logarithms of a polynomial's scales: for the constant and
// the linear terms, and for the terms of each higher degree.
constexpr double kLinearScaleDeviation = 0.5, kScaleDeviation = 1.5;
// The standard deviation of the latent variables' posterior when training starts.
constexpr double kStartDeviation = 0.05;
// Functions drawn by a sampler all have the same Fourier frequencies. Their random numbers are
// those of this step (gpode/random.h), which training never reaches.
constexpr std::uint64_t kSampledStep = std::uint64_t{1} << 60;
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
                      const Vector& spread) const override {
    return StartProcess({.options = options_,
                         .dim = outputs_,
                         .inputs = inputs_ - outputs_,
                         .with_residual = residual_,
                         .is_sampled = samples_residual_},
                        states, slopes, spread);
  }

  void SetStart(const FunctionStart& start) override {
    Allocate();
    const double* at = start.hyperparameters.data() + parameters_.inducing_locations.size();
    const Eigen::Map<const Matrix> lengthscales(at, Index(rows_), Index(inputs_));
    at += lengthscales.size();
    const Eigen::Map<const Vector> variances(at, Index(rows_));
    prior_ = samples_residual_ ? ProcessPrior(lengthscales, variances, options_.prior)
                               : ProcessPrior(lengthscales, variances);
    at += variances.size();
    if (terms_ > 0) {
      scale_centres_ = Eigen::Map<const Matrix>(at, Index(rows_), Index(terms_));
    }
  }

  FactorStatus Set(std::span<const double> values, ThreadPool& pool) override {
    Allocate();
    if (samples_residual_) TakeWeights(values);
    if (HasHyperparameters(values)) return FactorStatus::kOk;
    is_set_ = false;
    const auto take = [&](std::size_t block, auto& to) {
      const std::span<const double> from = layout_.Values(block, values);
      std::copy_n(from.begin(), from.size(), to.data());
    };
    take(locations_, parameters_.inducing_locations);
    take(lengthscales_, parameters_.lengthscales);
    take(variances_, parameters_.variances);
    if (terms_ > 0) take(scales_block_, part_.scales);
    const FactorStatus status = SharesRows() ? gp_.Set(parameters_, pool) : gp_.Set(parameters_);
    if (terms_ > 0 && status == FactorStatus::kOk) SetWhitenings();
    is_set_ = status == FactorStatus::kOk;
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

  void PullbackToLatent(std::span<const std::unique_ptr<FunctionDraw>> draws,
                        std::span<const double> sums, std::size_t stride, std::span<double> bz,
                        std::size_t stride_z, std::span<double>, ThreadPool&) override {
    const std::size_t latent = outputs_ * (options_.inducing + terms_);
    for (std::size_t s = 0; s < draws.size(); ++s) {
      const GpDraw& draw = static_cast<const ProcessDraw&>(*draws[s]).draw();
      const std::span<double> bdraw = bz.subspan(s * stride_z, latent);
      const std::span<const double> own = sums.subspan(s * stride, draw.parameter_count());
      draw.PullbackToWhite(gp_, own, terms_ == 0 ? bdraw : std::span(bwhite_));
      if (terms_ == 0) continue;
      const std::span<const double> bweights =
          sums.subspan(s * stride + draw.parameter_count(), outputs_ * terms_);
      for (std::size_t d = 0; d < outputs_; ++d) {
        const std::size_t size = options_.inducing + terms_, row = part_.Row(d);
        CollectLatent(d, bweights, blatent_[row]);
        part_.whitenings[row].ApplyTransposed(blatent_[row], bdraw.subspan(d * size, size));
      }
    }
  }

  void Moderate(std::span<double> values) const override {
    prior_.Moderate(options_.prior, layout_.Values(lengthscales_, values),
                    layout_.Values(variances_, values));
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
    if (bvalues.empty()) return prior_.Cost(parameters_, b, {}, {});
    return prior_.Cost(parameters_, b, layout_.Values(lengthscales_, bvalues),
                       layout_.Values(variances_, bvalues));
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
  void TakeWeights(std::span<const double> values) {
    const std::span<const double> weights = layout_.Values(weights_block_, values);
    weights_.assign(weights.begin(), weights.end());
  }

  // Returns true if the process has been set with these hyperparameters before. Samplers evaluate
  // many latent variables with the same ones.
  bool HasHyperparameters(std::span<const double> values) const {
    const auto same = [&](std::size_t block, const auto& own) {
      return std::ranges::equal(layout_.Values(block, values),
                                std::span(own.data(), static_cast<std::size_t>(own.size())));
    };
    return is_set_ && same(locations_, parameters_.inducing_locations) &&
           same(lengthscales_, parameters_.lengthscales) &&
           same(variances_, parameters_.variances) &&
           (terms_ == 0 || same(scales_block_, part_.scales));
  }

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
    const std::size_t size = options_.inducing + terms_;
    std::vector<double>& blatent = blatent_[row];
    for (std::size_t d = 0; d < outputs_; ++d) {
      if (part_.Row(d) != row) continue;
      CollectLatent(d, bweights, blatent);
      part_.whitenings[row].ApplyPullback(draw.inner(d), blatent, bz.subspan(d * size, size));
    }
  }

  // Sets blatent (M + J) to the cotangent of [v, b] of output d, from the cotangents of v, in
  // bwhite_, and those of the polynomial's weights, bweights (J, D).
  void CollectLatent(std::size_t d, std::span<const double> bweights,
                     std::vector<double>& blatent) const {
    const std::size_t m = options_.inducing, row = part_.Row(d);
    std::copy_n(bwhite_.begin() + static_cast<std::ptrdiff_t>(d * m), m, blatent.begin());
    for (std::size_t j = 0; j < terms_; ++j) {
      blatent[m + j] = part_.scales(Index(row), Index(j)) * bweights[j * outputs_ + d];
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
    prior_ = ProcessPrior(parameters_.lengthscales, parameters_.variances);
  }

  FitOptions options_;
  std::size_t outputs_, inputs_, rows_;
  bool residual_, samples_residual_;
  KernelSum sum_;
  std::size_t terms_;  // J, the number of polynomial terms; zero without a polynomial part
  const Kernel& kernel_;
  mutable SparseGp gp_;
  mutable GpParameters parameters_;  // has no inducing_mean and no inducing_chol
  mutable std::unique_ptr<GpGradient> gradient_;
  mutable ProcessPrior prior_;
  mutable Matrix scale_centres_;  // (D or 1, J): centres of the prior of the polynomial's scales
  ParameterLayout layout_;
  std::size_t locations_ = 0, lengthscales_ = 0, variances_ = 0, weights_block_ = 0;
  bool is_set_ = false;          // true if gp_ and the whitenings belong to the hyperparameters
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

}  // namespace

std::unique_ptr<UnknownFunction> MakeProcessFunction(const FunctionSetting& setting) {
  CheckProcessSize(setting);
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
