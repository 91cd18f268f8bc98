// The prior, the start and the draws of a network's weights. The network itself is in field/mlp.cc.
#include "model/network_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/adam.h"
#include "data/thin.h"
#include "gpode/error.h"
#include "gpode/function.h"
#include "gpode/mlp.h"
#include "gpode/random.h"

namespace gpode {
namespace {

// The standard deviation of z at the start of training, where that of the prior is 1.
constexpr double kStartDeviation = 0.02;
constexpr double kSlopeDeviation = 0.1;    // error of the slopes, in units of their size
constexpr std::size_t kSlopeWarmUp = 50;   // steps in which the learning rate rises
constexpr std::size_t kMostSlopes = 1000;  // slopes that the network is fitted to

std::span<double> Entries(Matrix& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }

// The posterior density of a network's weights, given slopes of the field at some states, as a
// function of z = weights / scale. Training starts from its maximum.
class SlopeDensity {
 public:
  SlopeDensity(const Matrix& states, const Matrix& slopes, Mlp network, const Vector& scale)
      : states_(states),
        slopes_(slopes),
        network_(std::move(network)),
        scale_(scale),
        values_(slopes),
        bstates_(states),
        record_(network_.record_size() * static_cast<std::size_t>(states.rows())) {}

  void Gradient(const Vector& z, Vector& gradient) {
    Eigen::Map<Vector>(network_.parameters().data(), scale_.size()) = scale_.cwiseProduct(z);
    network_.Record(Entries(states_), Entries(values_), record_);
    values_ = (slopes_ - values_) / (kSlopeDeviation * kSlopeDeviation);
    gradient.setZero();
    network_.Pullback(Entries(states_), record_, Entries(values_), Entries(bstates_),
                      {gradient.data(), static_cast<std::size_t>(gradient.size())});
    gradient = gradient.cwiseProduct(scale_) - z;
  }

 private:
  Matrix states_, slopes_;
  Mlp network_;
  Vector scale_;
  Matrix values_, bstates_;
  std::vector<double> record_;
};

// Returns the factor of the weights' divergence from the prior in the bound: one for a sampler,
// which needs the exact posterior; the weight decay for a point estimate; kl_weight for a
// variational posterior.
double DivergenceWeight(const FunctionSetting& setting) {
  const NeuralOptions& neural = setting.options.neural;
  if (setting.is_sampled) return 1;
  return setting.with_residual ? neural.kl_weight : neural.weight_decay;
}

class NetworkDraw final : public FunctionDraw {
 public:
  NetworkDraw(Mlp network, const Vector& scale)
      : network_(std::make_unique<Mlp>(std::move(network))), field_(*network_), scale_(scale) {}

  void Sample(std::uint64_t, std::uint64_t, std::uint64_t) override {}
  void Set(std::span<const double> z) override {
    const std::span<double> weights = network_->parameters();
    for (std::size_t i = 0; i < z.size(); ++i) {
      weights[i] = scale_[static_cast<Eigen::Index>(i)] * z[i];
    }
  }
  const Field& field() const override { return field_; }

 private:
  std::unique_ptr<Mlp> network_;
  FunctionField field_;
  Vector scale_;
};

class NetworkFunction final : public UnknownFunction {
 public:
  explicit NetworkFunction(const FunctionSetting& setting)
      : options_(setting.options),
        network_(setting.dim + setting.inputs, options_.neural.hidden, setting.dim),
        scale_(WeightScales(setting.dim + setting.inputs, options_.neural.hidden, setting.dim,
                            options_.neural.prior_scale)),
        divergence_weight_(DivergenceWeight(setting)) {}

  LatentPart latent() const override {
    return {.name = "weight",
            .items = network_.parameter_count(),
            .size = 1,
            .divergence_weight = divergence_weight_};
  }
  double start_deviation() const override { return kStartDeviation; }
  void AddParameters(ParameterLayout&) override {}
  FactorStatus Set(std::span<const double>, ThreadPool&) override { return FactorStatus::kOk; }
  std::unique_ptr<FunctionDraw> MakeDraw() const override {
    return std::make_unique<NetworkDraw>(network_, scale_);
  }
  bool has_symmetries() const override { return true; }
  bool is_regular() const override { return false; }

  // Fits a network, at first with random weights (Xavier), to the slopes. Training on whole
  // trajectories cannot start from random weights: the trajectories of a field that is far from the
  // right one say little about how to change it.
  FunctionStart Start(const Matrix& all_states, const Matrix& all_slopes,
                      const Vector&) const override {
    const Matrix states = Thin(all_states, kMostSlopes), slopes = Thin(all_slopes, kMostSlopes);
    const NeuralOptions& neural = options_.neural;
    Mlp network = network_;
    std::vector<double> normals(network.weight_count());
    RandomStream(options_.seed, 0, 0, Purpose::kInitialisation).Normals(normals);
    network.InitializeXavier(normals);
    Vector z =
        Eigen::Map<const Vector>(network.parameters().data(), scale_.size()).cwiseQuotient(scale_);
    SlopeDensity density(states, slopes, std::move(network), scale_);
    const auto size = static_cast<std::size_t>(z.size());
    Adam adam(size);
    const std::vector<double> shares(size, 1.0);
    Vector gradient(z.size());
    for (std::size_t step = 0; step < neural.slope_steps; ++step) {
      density.Gradient(z, gradient);
      adam.Step({gradient.data(), size},
                CosineRate(options_.learning_rate, step, kSlopeWarmUp, neural.slope_steps), shares,
                {z.data(), size});
    }
    return {.hyperparameters = {}, .latent = {z.begin(), z.end()}};
  }

  void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws, std::span<const double> sums,
                std::size_t stride, std::span<double> bz, std::size_t stride_z, std::span<double>,
                ThreadPool&) override {
    for (std::size_t s = 0; s < draws.size(); ++s) {
      for (std::size_t i = 0; i < network_.parameter_count(); ++i) {
        bz[s * stride_z + i] = scale_[static_cast<Eigen::Index>(i)] * sums[s * stride + i];
      }
    }
  }

  std::vector<std::pair<std::string, std::string>> Facts() const override {
    const std::vector<std::size_t>& hidden = options_.neural.hidden;
    return {{"hidden layers", hidden.empty() ? "none" : fmt::format("{}", fmt::join(hidden, ", "))},
            {"weights", std::to_string(network_.parameter_count())}};
  }
  std::string Summary() const override {
    return fmt::format("hidden layers of {}", fmt::join(options_.neural.hidden, ", "));
  }

 private:
  FitOptions options_;
  Mlp network_;
  Vector scale_;
  double divergence_weight_;
};

}  // namespace

Vector WeightScales(std::size_t inputs, const std::vector<std::size_t>& hidden, std::size_t outputs,
                    double prior_scale) {
  Vector scales(static_cast<Eigen::Index>(Mlp(inputs, hidden, outputs).parameter_count()));
  Eigen::Index at = 0;
  for (std::size_t l = 0; l <= hidden.size(); ++l) {
    const std::size_t width = l < hidden.size() ? hidden[l] : outputs;
    const auto count = static_cast<Eigen::Index>(inputs * width);
    scales.segment(at, count).setConstant(prior_scale / std::sqrt(static_cast<double>(inputs)));
    scales.segment(at + count, static_cast<Eigen::Index>(width)).setOnes();
    at += count + static_cast<Eigen::Index>(width);
    inputs = width;
  }
  return scales;
}

std::unique_ptr<UnknownFunction> MakeNetworkFunction(const FunctionSetting& setting) {
  constexpr std::size_t kMostWeights = 1000000;
  std::size_t weights = 0, inputs = setting.dim + setting.inputs;
  for (std::size_t width : setting.options.neural.hidden) {
    weights += (inputs + 1) * width;
    inputs = width;
  }
  weights += (inputs + 1) * setting.dim;
  if (weights > kMostWeights) {
    ThrowInput("Fit", "neural.hidden",
               fmt::format("makes {} weights, must make at most {}", weights, kMostWeights));
  }
  return std::make_unique<NetworkFunction>(setting);
}

}  // namespace gpode
