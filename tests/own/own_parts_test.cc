// Tests with a program's own unknown function, posterior family, likelihood, kernel and stepper,
// none of which the library knows. Each is registered by its name, trained, used in forecasts,
// saved and loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "gpode/gpode.h"
#include "support/heun_stepper.h"
#include "support/message_of.h"
#include "support/noise.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

// ---- An unknown function: dx/dt = A x + b with unknown A and b.

// The parameters are the rows (A_d, b_d), one after the other.
class AffineField final : public Field {
 public:
  explicit AffineField(std::size_t dim) : dim_(dim), rows_(dim * (dim + 1)) {}

  std::vector<double>& rows() { return rows_; }
  std::size_t dim() const override { return dim_; }
  std::size_t parameter_count() const override { return rows_.size(); }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& at, std::span<double> f, std::span<double>) const override {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double* row = rows_.data() + i % dim_ * (dim_ + 1);
      const double* x = at.x.data() + i / dim_ * dim_;
      f[i] = row[dim_];
      for (std::size_t k = 0; k < dim_; ++k) f[i] += row[k] * x[k];
    }
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double>) const override {
    Value(at, f, {});
  }
  void Pullback(const FieldPoints& at, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double> brows) const override {
    for (std::size_t i = 0; i < g.size(); ++i) {
      const std::size_t d = i % dim_, point = i / dim_ * dim_;
      for (std::size_t k = 0; k < dim_; ++k) {
        bx[point + k] += g[i] * rows_[d * (dim_ + 1) + k];
        brows[d * (dim_ + 1) + k] += g[i] * at.x[point + k];
      }
      brows[d * (dim_ + 1) + dim_] += g[i];
    }
  }

 private:
  std::size_t dim_;
  std::vector<double> rows_;
};

class AffineDraw final : public FunctionDraw {
 public:
  explicit AffineDraw(std::size_t dim) : field_(dim) {}
  void Sample(std::uint64_t, std::uint64_t, std::uint64_t) override {}
  void Set(std::span<const double> z) override { std::ranges::copy(z, field_.rows().begin()); }
  const Field& field() const override { return field_; }

 private:
  AffineField field_;
};

class AffineFunction final : public UnknownFunction {
 public:
  explicit AffineFunction(const FunctionSetting& setting) : dim_(setting.dim) {}

  LatentPart latent() const override { return {.name = "row", .items = dim_, .size = dim_ + 1}; }
  double start_deviation() const override { return 0.05; }
  void AddParameters(ParameterLayout&) override {}
  FunctionStart Start(const Matrix&, const Matrix&, const Vector&) const override {
    return {.hyperparameters = {}, .latent = std::vector<double>(dim_ * (dim_ + 1), 0.0)};
  }
  FactorStatus Set(std::span<const double>, ThreadPool&) override { return FactorStatus::kOk; }
  std::unique_ptr<FunctionDraw> MakeDraw() const override {
    return std::make_unique<AffineDraw>(dim_);
  }
  void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws, std::span<const double> sums,
                std::size_t stride, std::span<double> bz, std::size_t stride_z, std::span<double>,
                ThreadPool&) override {
    for (std::size_t s = 0; s < draws.size(); ++s) {
      std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(s * stride), dim_ * (dim_ + 1),
                  bz.begin() + static_cast<std::ptrdiff_t>(s * stride_z));
    }
  }
  std::string Summary() const override { return "an affine field"; }

 private:
  std::size_t dim_;
};

// ---- A posterior family with one standard deviation for all variables of a part.

class CommonSpread final : public LatentPosterior {
 public:
  CommonSpread(const LatentLayout& latent, ParameterLayout& layout) : latent_(latent) {
    for (const LatentPart& part : latent.parts()) {
      means_.push_back(layout.Add(part.name + "_mean", {part.count()}, Transform::kFree));
      spreads_.push_back(layout.Add(part.name + "_spread", {1}, Transform::kPositive));
    }
    layout_ = layout;
  }

  void Initialise(std::span<const double> mean, std::span<const double> deviation,
                  std::span<double> values) const override {
    for (std::size_t p = 0; p < means_.size(); ++p) {
      std::ranges::copy(latent_.Part(p, mean), layout_.Values(means_[p], values).begin());
      const std::span<const double> own = latent_.Part(p, deviation);
      layout_.Values(spreads_[p], values)[0] = own.empty() ? 1 : own[0];
    }
  }
  void Draw(std::span<const double> values, std::span<const double> normals,
            std::span<const LatentRange> ranges, std::span<double> z) const override {
    for (const LatentRange& r : ranges) {
      ForVariables(r, [&](std::size_t in_part, std::size_t in_z) {
        z[in_z] = layout_.Values(means_[r.part], values)[in_part] +
                  layout_.Values(spreads_[r.part], values)[0] * normals[in_z];
      });
    }
  }
  void DrawReverse(std::span<const double>, std::span<const double> normals,
                   std::span<const LatentRange> ranges, std::span<const double> bz,
                   std::span<double> bvalues) const override {
    for (const LatentRange& r : ranges) {
      ForVariables(r, [&](std::size_t in_part, std::size_t in_z) {
        layout_.Values(means_[r.part], bvalues)[in_part] += bz[in_z];
        layout_.Values(spreads_[r.part], bvalues)[0] += bz[in_z] * normals[in_z];
      });
    }
  }
  double Divergence(std::span<const double> values, const LatentRange& range, double b,
                    std::span<double> bvalues) const override {
    const double s = layout_.Values(spreads_[range.part], values)[0];
    const bool flat = latent_.parts()[range.part].prior == LatentPrior::kFlat;
    double sum = 0;
    ForVariables(range, [&](std::size_t in_part, std::size_t) {
      const double m = layout_.Values(means_[range.part], values)[in_part];
      sum += flat ? -std::log(s) : 0.5 * (s * s + m * m - 1) - std::log(s);
      if (bvalues.empty()) return;
      if (!flat) layout_.Values(means_[range.part], bvalues)[in_part] += b * m;
      layout_.Values(spreads_[range.part], bvalues)[0] += b * ((flat ? 0 : s) - 1 / s);
    });
    return sum;
  }
  void AddParameterRanges(const LatentRange& range,
                          std::vector<ParameterRange>& parameters) const override {
    parameters.push_back(layout_.Whole(means_[range.part]));
    parameters.push_back(layout_.Whole(spreads_[range.part]));
  }

 private:
  template <typename Visit>
  void ForVariables(const LatentRange& range, const Visit& visit) const {
    const LatentPart& part = latent_.parts()[range.part];
    for (std::size_t i = range.first * part.size; i < (range.first + range.count) * part.size;
         ++i) {
      visit(i, part.offset + i);
    }
  }

  LatentLayout latent_;
  ParameterLayout layout_;
  std::vector<std::size_t> means_, spreads_;
};

class CommonSpreadFamily final : public PosteriorFamily {
 public:
  std::string_view name() const override { return "own-spread"; }
  std::unique_ptr<LatentPosterior> Make(const LatentLayout& latent,
                                        ParameterLayout& parameters) const override {
    return std::make_unique<CommonSpread>(latent, parameters);
  }
};

// ---- A likelihood: p(y | value) = exp(-|y - value| / scale) / (2 scale).

class LaplaceLikelihood final : public Likelihood {
 public:
  std::string_view name() const override { return "own-laplace"; }
  std::string_view parameter_name() const override { return "laplace_scale"; }
  std::size_t parameters_per_channel() const override { return 1; }
  double LogDensity(double y, double value, std::span<const double> p) const override {
    return -std::log(2 * p[0]) - std::fabs(y - value) / p[0];
  }
  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    bvalue += (y > value ? 1.0 : -1.0) / p[0];
    bp[0] += (std::fabs(y - value) / p[0] - 1) / p[0];
    return LogDensity(y, value, p);
  }
  double MissedLogDensity(double, std::span<const double> p) const override {
    return -std::log(2 * p[0]) - 20;
  }
  double Cdf(double y, double value, std::span<const double> p) const override {
    const double half = 0.5 * std::exp(-std::fabs(y - value) / p[0]);
    return y < value ? half : 1 - half;
  }
  double Quantile(double q, double value, std::span<const double> p) const override {
    return q < 0.5 ? value + p[0] * std::log(2 * q) : value - p[0] * std::log(2 - 2 * q);
  }
  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    double uniform = 0.5;
    stream.Uniforms({&uniform, 1}, index);
    return Quantile(std::max(uniform, 1e-300), value, p);
  }
  double Variance(std::span<const double> p) const override { return 2 * p[0] * p[0]; }
  void SetVariance(double variance, std::span<double> p) const override {
    p[0] = std::sqrt(variance / 2);
  }
  // Takes a natural-gradient step. The gradient with respect to the log scale is
  // count (E|r| / scale - 1), with the residuals r.
  void Update(std::span<const double> gradient, double count, std::span<const double>,
              std::span<double> log_p) const override {
    if (count > 0) log_p[0] += 0.03 * std::clamp(gradient[0] / count, -1.0, 1.0);
  }
};

// ---- A kernel: the Matern kernel of smoothness 7/2, phi = (1 + a + 2 a^2 / 5 + a^3 / 15) exp(-a)
// with a = sqrt(7 s). Its spectral density is Student's t with 7 degrees of freedom.

class Matern72 final : public Kernel {
 public:
  std::string_view name() const override { return "own-matern72"; }
  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double a = std::sqrt(7 * s[i]), e = std::exp(-a);
      if (!psi.empty()) psi[i] = 7.0 / 15 * (3 + 3 * a + a * a) * e;
      phi[i] = (1 + a + 0.4 * a * a + a * a * a / 15) * e;
    }
  }
  std::size_t spectral_normals() const override { return 7; }
  double SpectralFactor(std::span<const double> normals) const override {
    double sum = 0;
    for (double z : normals) sum += z * z;
    return std::sqrt(7 / sum);
  }
};

// Registers all parts above, once.
const bool kRegistered = [] {
  RegisterUnknownFunction("own-affine", [](const FunctionSetting& setting) {
    return std::make_unique<AffineFunction>(setting);
  });
  RegisterPosteriorFamily(std::make_unique<CommonSpreadFamily>());
  RegisterLikelihood(std::make_unique<LaplaceLikelihood>());
  RegisterKernel(std::make_unique<Matern72>());
  RegisterStepper(std::make_unique<testing_support::Heun>("own-heun"));
  return true;
}();

// Returns observations of a damped rotation, which is an affine field. The standard deviation of
// the noise is the given share of the channel's standard deviation.
Dataset RotationData(double noise_share) {
  const std::vector<double> times = RegularTimes(0, 5, 30);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  for (std::uint64_t n = 0; n < 2; ++n) {
    const double a = n == 0 ? 1.0 : -0.3, b = n == 0 ? 0.5 : -1.2;
    Matrix states(30, 2);
    for (Eigen::Index i = 0; i < 30; ++i) {
      const double t = 1.5 * times[i], decay = std::exp(-0.1 * times[i]);
      states.row(i) << decay * (a * std::cos(t) + b * std::sin(t)),
          decay * (b * std::cos(t) - a * std::sin(t));
    }
    data.trajectories.push_back(
        {"", times, testing_support::WithNoise(states, noise_share, n), 0.0});
  }
  return data;
}

FitOptions SmallOptions() {
  FitOptions options;
  options.inducing = 10;
  options.features = 64;
  options.steps = 1500;
  options.learning_rate = 0.03;
  options.threads = 1;
  return options;
}

// Trains, forecasts, saves, loads, and forecasts again. Returns the trained model.
TrainedModel ExpectItWorks(const FitOptions& options) {
  EXPECT_TRUE(kRegistered);
  const Dataset data = RotationData(0.05), truth = RotationData(0);
  const TrainedModel trained = Train(data, options);
  EXPECT_TRUE(trained.finished) << trained.model.warning;
  const std::vector<double>& times = truth.trajectories[0].times;
  const ForecastOptions draws{.draws = 64, .threads = 1};
  const Forecast forecast = ForecastTrajectory(trained.model, 0, times, draws);
  EXPECT_EQ(forecast.diverged, 0u);
  const Matrix away = forecast.Mean() - truth.trajectories[0].values;
  EXPECT_LT(std::sqrt(away.squaredNorm() / static_cast<double>(away.size())), 0.08);
  const Scores scores = Score(forecast, forecast.noise, data.trajectories[0].values);
  EXPECT_LT(scores.mnll, -0.5);
  EXPECT_GT(scores.predictive_90, 0.7);

  const TemporaryFolder folder;
  SaveModel(folder / "own.gpode", trained);
  const TrainedModel read = LoadTrainedModel(folder / "own.gpode");
  EXPECT_EQ(ForecastTrajectory(read.model, 0, times, draws).draws, forecast.draws);
  EXPECT_EQ(ForecastTrajectory(read.model, 0, times, draws).PredictiveQuantile(0.9),
            forecast.PredictiveQuantile(0.9));
  EXPECT_EQ(OptionsText(read.model.options), OptionsText(options));
  return trained;
}

TEST(OwnParts, AnUnknownFunction) {
  FitOptions options = SmallOptions();
  options.function = "own-affine";
  const TrainedModel trained = ExpectItWorks(options);
  // An affine field is known far from the data, too.
  const Posterior posterior(trained.model);
  const Matrix slope = posterior.FieldMean(Matrix{{2, 0}});
  EXPECT_NEAR(slope(0, 0), -0.2, 0.3);
  EXPECT_NEAR(slope(0, 1), -3, 0.3);
}

TEST(OwnParts, AnUnknownFunctionByASampler) {
  FitOptions options = SmallOptions();
  options.function = "own-affine";
  options.posterior = "draws";
  options.sampler = {.chains = 2, .warm_up = 100, .draws = 100, .max_depth = 6};
  EXPECT_GT(ExpectItWorks(options).model.draws.rows(), 0);
}

TEST(OwnParts, APosteriorFamily) {
  FitOptions options = SmallOptions();
  options.posterior = "own-spread";
  const TrainedModel trained = ExpectItWorks(options);
  EXPECT_TRUE(trained.model.parameters.Has("inducing_spread"));
  options.bound = BoundKind::kShooting;
  ExpectItWorks(options);
}

TEST(OwnParts, ALikelihood) {
  FitOptions options = SmallOptions();
  options.likelihood = "own-laplace";
  const TrainedModel trained = ExpectItWorks(options);
  EXPECT_GT(trained.model.parameters["laplace_scale"][0], 0.005);
  EXPECT_LT(trained.model.parameters["laplace_scale"][0], 0.1);
}

TEST(OwnParts, AKernel) {
  FitOptions options = SmallOptions();
  options.kernel = "own-matern72";
  ExpectItWorks(options);
}

TEST(OwnParts, AStepper) {
  FitOptions options = SmallOptions();
  options.solver = {.method = MethodFromName("own-heun"), .rtol = 1e-4, .atol = 1e-4};
  ExpectItWorks(options);
}

TEST(OwnParts, AllOfThemTogether) {
  FitOptions options = SmallOptions();
  options.function = "own-affine";
  options.posterior = "own-spread";
  options.likelihood = "own-laplace";
  options.solver = {.method = MethodFromName("own-heun"), .rtol = 1e-4, .atol = 1e-4};
  ExpectItWorks(options);
  EXPECT_EQ(NameOf(options).name, "own-affine-own-spread");
}

TEST(OwnParts, AKilledRunIsResumedToTheSameBits) {
  FitOptions options = SmallOptions();
  options.function = "own-affine";
  options.posterior = "own-spread";
  options.likelihood = "own-laplace";
  options.steps = 60;
  const TrainedModel whole = Train(RotationData(0.05), options);
  const TemporaryFolder folder;
  Train(RotationData(0.05), options,
        {.report = [](const Progress& p) { return p.step < 20; },
         .report_every = 1,
         .checkpoint = folder / "part.gpode"});
  const TrainedModel resumed = Resume(folder / "part.gpode");
  EXPECT_EQ(resumed.model.parameters.values, whole.model.parameters.values);
}

TEST(OwnParts, ANameCanBeTakenOnce) {
  EXPECT_THROW(RegisterLikelihood(std::make_unique<LaplaceLikelihood>()), InputError);
  EXPECT_THROW(RegisterPosteriorFamily(std::make_unique<CommonSpreadFamily>()), InputError);
  FitOptions options;
  EXPECT_NE(MessageOf([&] {
              SetOption(options, "likelihood", "cauchy", "--likelihood");
            }).find("own-laplace"),
            std::string::npos);
}

}  // namespace
}  // namespace gpode
