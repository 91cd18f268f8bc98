#include "model/gp_posterior.h"

#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

// With fewer inducing points, a row's matrices take less time than a thread needs to wake up.
constexpr std::size_t kInducingWorthSharing = 40;
// Deviations of the priors of logarithms.
constexpr double kLengthscaleDeviation = 0.5, kVarianceDeviation = 1.0;

// Minus the log density of a value whose logarithm is N(log centre, deviation^2), seen as a density
// of the logarithm; and its derivative with respect to the value.
struct LogNormal {
  double cost, slope;
};
LogNormal LogNormalOf(double value, double centre, double deviation) {
  const double away = std::log(value / centre) / deviation;
  return {0.5 * away * away, away / (deviation * value)};
}

class GpPosterior final : public FieldPosterior {
 public:
  GpPosterior(const ModelParameters& parameters, const GpPosteriorOptions& options)
      : parameters_(parameters),
        point_(options.knowledge == Knowledge::kPoint),
        features_(point_ ? 1 : options.features),
        gp_(options.kernel, options.jitter) {
    CheckAtLeast("Bound", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
    const std::vector<double> values(parameters_.layout().value_size());
    parameters_.ReadGp(values, gp_parameters_);
    gradient_ = std::make_unique<GpGradient>(gp_parameters_);
    // A valid GP of the right shape, for the draws' memory.
    GpParameters shape = gp_parameters_;
    shape.lengthscales.setOnes();
    shape.variances.setOnes();
    gp_.Set(shape);
    centres_ = options.lengthscales.size() > 0 ? options.lengthscales : shape.lengthscales;
    variance_centres_ = options.variances.size() > 0 ? options.variances : shape.variances;
    for (std::size_t i = 0; i < options.draws; ++i) {
      draws_.emplace_back(gp_, features_, options.precision);
    }
    fields_.assign(draws_.begin(), draws_.end());
  }

  std::size_t draws() const override { return fields_.size(); }
  const Field& draw(std::size_t s) const override { return fields_[s]; }

  void SampleNoise(std::uint64_t seed, std::uint64_t step, std::size_t s,
                   GpNormals& noise) const override {
    if (!point_) return SampleGpNormals(gp_, features_, seed, step, s, noise);
    if (noise.eps_u.empty()) noise = ZeroGpNormals(gp_, features_);
  }

  FactorStatus Set(std::span<const double> values, std::span<const GpNormals> noise,
                   ThreadPool& pool) override {
    parameters_.ReadGp(values, gp_parameters_);
    const FactorStatus status = Shares() ? gp_.Set(gp_parameters_, pool) : gp_.Set(gp_parameters_);
    if (status != FactorStatus::kOk) return status;
    pool.For(fields_.size(), [&](std::size_t s) { draws_[s].Set(gp_, noise[s]); });
    return status;
  }

  double Divergence() const override {
    if (!point_) return gp_.InducingKl();
    double sum = 0.5 * gp_parameters_.inducing_mean.squaredNorm();
    ForHyperparameters([&](const LogNormal& prior, auto&&...) { sum += prior.cost; });
    return sum;
  }

  void AddGradient(std::span<const GpNormals> noise, std::span<const double> sums,
                   std::size_t stride, std::span<double> bvalues, ThreadPool& pool) override {
    const std::size_t count = draws_[0].parameter_count();
    GpGradient& gradient = *gradient_;
    gradient.parameters.inducing_locations.setZero();
    auto add_row = [&](std::size_t row) {
      gradient.SetRowZero(row);
      for (std::size_t s = 0; s < fields_.size(); ++s) {
        draws_[s].PullbackRowToGp(gp_, noise[s], sums.subspan(s * stride, count), row, gradient);
      }
      for (std::size_t d = 0; d < gp_.outputs(); ++d) {
        if (gp_.HyperRow(d) == row) AddDivergence(d, gradient);
      }
      gp_.FinishRow(row, gradient);
    };
    if (Shares()) {
      pool.For(gp_.hyper_rows(), add_row);
    } else {
      for (std::size_t row = 0; row < gp_.hyper_rows(); ++row) add_row(row);
    }
    gp_.SumRows(gradient);
    if (point_) {
      ForHyperparameters([&](const LogNormal& prior, Eigen::Index row, Eigen::Index k) {
        (k < 0 ? gradient.parameters.variances[row] : gradient.parameters.lengthscales(row, k)) -=
            prior.slope;
      });
    }
    parameters_.AddGpGradient(gradient, bvalues);
  }

 private:
  bool Shares() const { return gp_.inducing() >= kInducingWorthSharing; }

  void AddDivergence(std::size_t output, GpGradient& gradient) const {
    if (!point_) return gp_.InducingKlPullback(-1.0, output, gradient);
    const auto row = static_cast<Eigen::Index>(output);
    gradient.parameters.inducing_mean.row(row) -= gp_parameters_.inducing_mean.row(row);
    // A point has no covariance that could be changed.
    gradient.parameters.inducing_chol[output].setZero();
  }

  // visit(prior, row, k) for lengthscale k of each row, and its variance, k = -1.
  template <typename Visit>
  void ForHyperparameters(const Visit& visit) const {
    const GpParameters& gp = gp_parameters_;
    for (Eigen::Index row = 0; row < gp.variances.size(); ++row) {
      for (Eigen::Index k = 0; k < gp.lengthscales.cols(); ++k) {
        visit(LogNormalOf(gp.lengthscales(row, k), centres_(row, k), kLengthscaleDeviation), row,
              k);
      }
      visit(LogNormalOf(gp.variances[row], variance_centres_[row], kVarianceDeviation), row, -1);
    }
  }

  ModelParameters parameters_;
  bool point_;
  std::size_t features_;
  SparseGp gp_;
  GpParameters gp_parameters_;
  std::unique_ptr<GpGradient> gradient_;
  std::vector<GpDraw> draws_;
  std::vector<FunctionField> fields_;  // of the draws
  Matrix centres_;                     // of lengthscales
  Vector variance_centres_;
};

}  // namespace

std::unique_ptr<FieldPosterior> MakeGpPosterior(const ModelParameters& parameters,
                                                const GpPosteriorOptions& options) {
  return std::make_unique<GpPosterior>(parameters, options);
}

}  // namespace gpode
