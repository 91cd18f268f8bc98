#include "experiments/prior_truth.h"

#include <cmath>

#include "gpode/error.h"
#include "gpode/gp.h"
#include "gpode/random.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kDim = 2, kFeatures = 2000;
constexpr double kSpan = 5;
constexpr double kLengthscale = 2, kLengthscaleSpread = 0.5, kVarianceSpread = 0.5;
constexpr double kNoise = 0.1, kNoiseSpread = 0.3;
constexpr std::uint64_t kFirstSeed = 90000;  // so large that no other task uses these seeds
constexpr std::uint64_t kStep = 0;           // the step number of all random streams of a truth

// A function drawn from the prior, as an autonomous field.
class PriorField final : public Field {
 public:
  PriorField(const SparseGp& gp, std::uint64_t seed) : draw_(gp, kFeatures) {
    draw_.Set(gp, SampleGpNormals(gp, kFeatures, seed, kStep, 0));
  }

  std::size_t dim() const override { return kDim; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return draw_.record_size(); }

  void Value(const FieldPoints& at, std::span<double> f, std::span<double> scratch) const override {
    draw_.Value(at.x, f, scratch);
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> record) const override {
    draw_.Record(at.x, f, record);
  }
  void Pullback(const FieldPoints& at, std::span<const double> record, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    std::vector<double> unused(draw_.parameter_count());
    draw_.Pullback(at.x, record, g, bx, unused);
  }

 private:
  GpDraw draw_;
};

}  // namespace

PriorTruth DrawPriorTruth(std::uint64_t seed) {
  const std::uint64_t own = kFirstSeed + seed;
  std::vector<double> normals(kDim * kDim + 3 * kDim);
  RandomStream(own, kStep, 0, Purpose::kTest).Normals(normals);
  const double* next = normals.data();
  PriorTruth truth;
  truth.span = kSpan;

  // If the value of the only inducing point has its prior distribution, the process is the prior.
  GpParameters p;
  p.inducing_locations = Matrix::Zero(1, kDim);
  p.inducing_mean = Matrix::Zero(kDim, 1);
  p.inducing_chol.assign(kDim, Matrix::Identity(1, 1));
  p.lengthscales.resize(kDim, kDim);
  p.variances.resize(kDim);
  for (Eigen::Index i = 0; i < p.lengthscales.size(); ++i) {
    p.lengthscales.data()[i] = kLengthscale * std::exp(kLengthscaleSpread * *next++);
  }
  for (double& variance : p.variances) variance = std::exp(kVarianceSpread * *next++);
  SparseGp gp(GetKernel("squared-exponential"));
  GPODE_CHECK(gp.Set(p) == FactorStatus::kOk);
  truth.field = std::make_shared<PriorField>(gp, own);

  for (std::size_t d = 0; d < kDim; ++d) truth.start.push_back(*next++);
  for (std::size_t d = 0; d < kDim; ++d) {
    truth.noise.push_back(kNoise * std::exp(kNoiseSpread * *next++));
  }
  truth.options.scale = false;
  return truth;
}

}  // namespace gpode::experiments
