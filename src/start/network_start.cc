#include "start/network_start.h"

#include <vector>

#include "gpode/mlp.h"
#include "gpode/random.h"
#include "model/network_posterior.h"
#include "train/adam.h"

namespace gpode {
namespace {

constexpr double kSlopeDeviation = 0.1;  // how well slopes are known, in units of their size
constexpr std::size_t kWarmUp = 50;

std::span<double> Entries(Matrix& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }

// The gradient of  log p(slopes | weights) + log p(weights)  with respect to white = weights /
// scale.
class SlopeDensity {
 public:
  SlopeDensity(const Matrix& states, const Matrix& slopes, Mlp network, const Vector& scale)
      : states_(states),
        slopes_(slopes),
        network_(std::move(network)),
        scale_(scale),
        values_(states),
        bstates_(states),
        record_(network_.record_size() * static_cast<std::size_t>(states.rows())) {}

  void Gradient(const Vector& white, Vector& gradient) {
    Eigen::Map<Vector>(network_.parameters().data(), scale_.size()) = scale_.cwiseProduct(white);
    network_.Record(Entries(states_), Entries(values_), record_);
    values_ = (slopes_ - values_) / (kSlopeDeviation * kSlopeDeviation);
    gradient.setZero();
    network_.Pullback(Entries(states_), record_, Entries(values_), Entries(bstates_),
                      {gradient.data(), static_cast<std::size_t>(gradient.size())});
    gradient = gradient.cwiseProduct(scale_) - white;
  }

 private:
  Matrix states_, slopes_;
  Mlp network_;
  Vector scale_;
  Matrix values_, bstates_;
  std::vector<double> record_;
};

}  // namespace

Vector StartWeights(const Matrix& states, const Matrix& slopes, const FitOptions& options) {
  const auto dim = static_cast<std::size_t>(states.cols());
  const NeuralOptions& neural = options.neural;
  Mlp network(dim, neural.hidden);
  std::vector<double> normals(network.weight_count());
  RandomStream(options.seed, 0, 0, Purpose::kInitialisation).Normals(normals);
  network.InitializeXavier(normals);
  const Vector scale = WeightScales(dim, neural.hidden, neural.prior_scale);
  Vector white =
      Eigen::Map<const Vector>(network.parameters().data(), scale.size()).cwiseQuotient(scale);
  SlopeDensity density(states, slopes, std::move(network), scale);
  const auto size = static_cast<std::size_t>(white.size());
  Adam adam(size);
  const std::vector<double> shares(size, 1.0);
  Vector gradient(white.size());
  for (std::size_t step = 0; step < neural.slope_steps; ++step) {
    density.Gradient(white, gradient);
    adam.Step({gradient.data(), size},
              CosineRate(options.learning_rate, step, kWarmUp, neural.slope_steps), shares,
              {white.data(), size});
  }
  return white;
}

}  // namespace gpode
