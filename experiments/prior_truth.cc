#include "experiments/prior_truth.h"

#include <cmath>

#include "gpode/error.h"
#include "gpode/gp.h"
#include "gpode/random.h"
#include "gpode/simulate.h"
#include "train/bounded_draws.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kDim = 2, kFeatures = 2000;
// Solutions of linear fields grow exponentially, over this span by a factor of about 10.
constexpr double kSpan = 2;
constexpr std::uint64_t kFirstSeed = 90000;  // so large that no other task uses these seeds
constexpr std::uint64_t kStep = 0;           // the step number of the random streams of a truth
constexpr std::size_t kRangeTimes = 100;     // the times that determine the range of a solution

// A function drawn from the prior, with its affine part, as an autonomous field.
class PriorField final : public Field {
 public:
  // The affine function is offset (D) + slopes (D, D) x.
  PriorField(const SparseGp& gp, std::uint64_t seed, std::uint64_t draw, Vector offset,
             Matrix slopes)
      : draw_(gp, kFeatures), offset_(std::move(offset)), slopes_(std::move(slopes)) {
    draw_.Set(gp, SampleGpNormals(gp, kFeatures, seed, kStep, draw));
  }

  std::size_t dim() const override { return kDim; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return draw_.record_size(); }

  void Value(const FieldPoints& at, std::span<double> f, std::span<double> scratch) const override {
    draw_.Value(at.x, f, scratch);
    AddAffine(at.x, f);
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> record) const override {
    draw_.Record(at.x, f, record);
    AddAffine(at.x, f);
  }
  void Pullback(const FieldPoints& at, std::span<const double> record, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    std::vector<double> unused(draw_.parameter_count());
    draw_.Pullback(at.x, record, g, bx, unused);
    Rows(bx) += Eigen::Map<const Matrix>(g.data(), std::ssize(g) / kDim, kDim) * slopes_;
  }

 private:
  static Eigen::Map<Matrix> Rows(std::span<double> values) {
    return {values.data(), std::ssize(values) / static_cast<Eigen::Index>(kDim), kDim};
  }
  void AddAffine(std::span<const double> x, std::span<double> f) const {
    const Eigen::Map<const Matrix> points(x.data(), std::ssize(x) / kDim, kDim);
    Rows(f) += (points * slopes_.transpose()).rowwise() + offset_.transpose();
  }

  GpDraw draw_;
  Vector offset_;
  Matrix slopes_;
};

}  // namespace

PriorTruth DrawUnrestrictedTruth(std::uint64_t seed, std::uint64_t draw) {
  const std::uint64_t own = kFirstSeed + seed;
  std::vector<double> normals(2 * kDim * kDim + 4 * kDim);
  RandomStream(own, kStep, draw, Purpose::kTest).Normals(normals);
  const double* next = normals.data();
  PriorTruth truth;
  truth.span = kSpan;
  const PriorOptions& prior = truth.options.prior;

  // An inducing point whose value is distributed as in the prior leaves the process as it is.
  GpParameters p;
  p.inducing_locations = Matrix::Zero(1, kDim);
  p.inducing_mean = Matrix::Zero(kDim, 1);
  p.inducing_chol.assign(kDim, Matrix::Identity(1, 1));
  p.lengthscales.resize(kDim, kDim);
  p.variances.resize(kDim);
  for (Eigen::Index i = 0; i < p.lengthscales.size(); ++i) {
    p.lengthscales.data()[i] = prior.lengthscale * std::exp(prior.lengthscale_deviation * *next++);
  }
  for (double& variance : p.variances) {
    variance = prior.variance * std::exp(prior.variance_deviation * *next++);
  }
  SparseGp gp(GetKernel("squared-exponential"));
  GPODE_CHECK(gp.Set(p) == FactorStatus::kOk);
  Vector offset(kDim);
  Matrix slopes(kDim, kDim);
  for (double& v : offset) v = prior.linear * *next++;
  for (Eigen::Index i = 0; i < slopes.size(); ++i) slopes.data()[i] = prior.linear * *next++;
  truth.field = std::make_shared<PriorField>(gp, own, draw, offset, slopes);

  for (std::size_t d = 0; d < kDim; ++d) truth.start.push_back(*next++);
  for (std::size_t d = 0; d < kDim; ++d) {
    truth.noise.push_back(prior.noise * std::exp(prior.noise_deviation * *next++));
  }
  truth.options.scale = false;
  return truth;
}

bool LeavesRange(const PriorTruth& truth) {
  std::vector<double> times;
  for (std::size_t i = 0; i <= kRangeTimes; ++i) {
    times.push_back(truth.span * static_cast<double>(i) / static_cast<double>(kRangeTimes));
  }
  const Matrix seen = SolveSystem(*truth.field, truth.start, times);
  const Vector last = seen.bottomRows(1).transpose();
  return DistanceOfSolution(*truth.field, {last.data(), kDim}, kSpans * truth.span, seen,
                            truth.options.solver) > kNear;
}

PriorTruth DrawPriorTruth(std::uint64_t seed) {
  for (std::uint64_t draw = 0;; ++draw) {
    PriorTruth truth = DrawUnrestrictedTruth(seed, draw);
    if (!LeavesRange(truth)) return truth;
    double uniform = 0;
    RandomStream(kFirstSeed + seed, kStep + 1, draw, Purpose::kTest).Uniforms({&uniform, 1});
    if (uniform < truth.options.prior.leaving) return truth;
  }
}

}  // namespace gpode::experiments
