#include "model/network_posterior.h"

#include <cmath>

#include "gpode/error.h"
#include "gpode/mlp.h"
#include "gpode/random.h"

namespace gpode {
namespace {

class NetworkPosterior final : public FieldPosterior {
 public:
  NetworkPosterior(const ModelParameters& parameters, const NetworkPosteriorOptions& options)
      : parameters_(parameters),
        point_(options.knowledge == Knowledge::kPoint),
        share_(options.share),
        scale_(WeightScales(parameters.shape().dim, options.hidden, options.prior_scale)),
        networks_(options.draws, Mlp(parameters.shape().dim, options.hidden)),
        fields_(networks_.begin(), networks_.end()) {
    CheckAtLeast("Bound", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
    CheckSize("Bound", "weights", parameters.shape().weights, networks_[0].parameter_count());
  }

  std::size_t draws() const override { return fields_.size(); }
  const Field& draw(std::size_t s) const override { return fields_[s]; }

  void SampleNoise(std::uint64_t seed, std::uint64_t step, std::size_t s,
                   GpNormals& noise) const override {
    noise.eps_u.assign(static_cast<std::size_t>(scale_.size()), 0.0);
    if (!point_) RandomStream(seed, step, s, Purpose::kInducing).Normals(noise.eps_u);
  }

  FactorStatus Set(std::span<const double> values, std::span<const GpNormals> noise,
                   ThreadPool&) override {
    const ParameterLayout& layout = parameters_.layout();
    mean_ = Eigen::Map<const Vector>(layout.Values(parameters_.weight_mean, values).data(),
                                     scale_.size());
    deviation_ = Eigen::Map<const Vector>(
        layout.Values(parameters_.weight_deviation, values).data(), scale_.size());
    for (std::size_t s = 0; s < fields_.size(); ++s) {
      Eigen::Map<Vector> weights(networks_[s].parameters().data(), scale_.size());
      weights = mean_;
      if (!point_) weights += deviation_.cwiseProduct(Eps(noise[s]));
      weights = scale_.cwiseProduct(weights);
    }
    return FactorStatus::kOk;
  }

  double Divergence() const override {
    if (point_) return share_ * 0.5 * mean_.squaredNorm();
    const auto d = deviation_.array();
    return share_ * (0.5 * (d.square() + mean_.array().square() - 1) - d.log()).sum();
  }

  void AddGradient(std::span<const GpNormals> noise, std::span<const double> sums,
                   std::size_t stride, std::span<double> bvalues, ThreadPool&) override {
    const ParameterLayout& layout = parameters_.layout();
    Eigen::Map<Vector> bmean(layout.Values(parameters_.weight_mean, bvalues).data(), scale_.size());
    Eigen::Map<Vector> bdeviation(layout.Values(parameters_.weight_deviation, bvalues).data(),
                                  scale_.size());
    for (std::size_t s = 0; s < fields_.size(); ++s) {
      const Eigen::Map<const Vector> own(sums.data() + s * stride, scale_.size());
      bmean += scale_.cwiseProduct(own);
      if (!point_) bdeviation += scale_.cwiseProduct(own).cwiseProduct(Eps(noise[s]));
    }
    bmean -= share_ * mean_;
    if (!point_) bdeviation -= share_ * (deviation_ - deviation_.cwiseInverse());
  }

 private:
  Eigen::Map<const Vector> Eps(const GpNormals& noise) const {
    GPODE_CHECK(noise.eps_u.size() == static_cast<std::size_t>(scale_.size()));
    return {noise.eps_u.data(), scale_.size()};
  }

  ModelParameters parameters_;
  bool point_;
  double share_;
  Vector scale_, mean_, deviation_;  // (P)
  std::vector<Mlp> networks_;
  std::vector<FunctionField> fields_;  // of the networks
};

}  // namespace

Vector WeightScales(std::size_t dim, const std::vector<std::size_t>& hidden, double prior_scale) {
  Vector scales(static_cast<Eigen::Index>(Mlp(dim, hidden).parameter_count()));
  Eigen::Index at = 0;
  std::size_t inputs = dim;
  for (std::size_t l = 0; l <= hidden.size(); ++l) {
    const std::size_t outputs = l < hidden.size() ? hidden[l] : dim;
    const auto count = static_cast<Eigen::Index>(inputs * outputs);
    scales.segment(at, count).setConstant(prior_scale / std::sqrt(static_cast<double>(inputs)));
    scales.segment(at + count, static_cast<Eigen::Index>(outputs)).setOnes();
    at += count + static_cast<Eigen::Index>(outputs);
    inputs = outputs;
  }
  return scales;
}

std::unique_ptr<FieldPosterior> MakeNetworkPosterior(const ModelParameters& parameters,
                                                     const NetworkPosteriorOptions& options) {
  return std::make_unique<NetworkPosterior>(parameters, options);
}

}  // namespace gpode
