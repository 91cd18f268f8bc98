#include "model/model_parameters.h"

#include <algorithm>

namespace gpode {
namespace {

// Visits the matrices of a GpParameters with the block each belongs to.
template <typename Gp, typename Visit>
void ForBlocks(const ModelParameters& p, Gp& gp, Visit visit) {
  visit(p.locations, gp.inducing_locations.data(), gp.inducing_locations.size(), 0);
  visit(p.inducing_mean, gp.inducing_mean.data(), gp.inducing_mean.size(), 0);
  for (std::size_t d = 0; d < gp.inducing_chol.size(); ++d) {
    auto& chol = gp.inducing_chol[d];
    visit(p.inducing_chol, chol.data(), chol.size(), d * chol.size());
  }
  visit(p.lengthscales, gp.lengthscales.data(), gp.lengthscales.size(), 0);
  visit(p.variances, gp.variances.data(), gp.variances.size(), 0);
}

}  // namespace

ModelParameters::ModelParameters(const ModelShape& s) : shape_(s) {
  const std::size_t rows = s.inducing == 0 ? 0 : s.shared_hyperparameters ? 1 : s.dim;
  const std::size_t outputs = s.inducing == 0 ? 0 : s.dim;
  locations = layout_.Add("inducing_locations", {s.inducing, s.dim}, Transform::kFree);
  inducing_mean = layout_.Add("inducing_mean", {outputs, s.inducing}, Transform::kFree);
  inducing_chol =
      layout_.Add("inducing_chol", {outputs, s.inducing, s.inducing}, Transform::kLowerTriangular);
  lengthscales = layout_.Add("lengthscales", {rows, s.dim}, Transform::kPositive);
  variances = layout_.Add("variances", {rows}, Transform::kPositive);
  noise_variance = layout_.Add("noise_variance", {s.channels}, Transform::kPositive);
  x0_mean = layout_.Add("x0_mean", {s.trajectories, s.dim}, Transform::kFree);
  x0_chol = layout_.Add("x0_chol", {s.trajectories, s.dim, s.dim}, Transform::kLowerTriangular);
  state_mean = layout_.Add("state_mean", {s.shooting_states, s.dim}, Transform::kFree);
  state_chol =
      layout_.Add("state_chol", {s.shooting_states, s.dim, s.dim}, Transform::kLowerTriangular);
  weight_mean = layout_.Add("weight_mean", {s.weights}, Transform::kFree);
  weight_deviation = layout_.Add("weight_deviation", {s.weights}, Transform::kPositive);
}

void ModelParameters::FindRanges(const TouchedStates& touched,
                                 std::vector<ParameterRange>& ranges) const {
  ranges.clear();
  for (std::size_t block : {locations, inducing_mean, inducing_chol, lengthscales, variances,
                            noise_variance, weight_mean, weight_deviation}) {
    ranges.push_back(layout_.Whole(block));
  }
  const auto add = [&](const std::vector<IndexRun>& runs, std::size_t mean, std::size_t chol) {
    for (const IndexRun& run : runs) {
      ranges.push_back({mean, run.first, run.count});
      ranges.push_back({chol, run.first, run.count});
    }
  };
  add(touched.x0, x0_mean, x0_chol);
  add(touched.shooting, state_mean, state_chol);
}

void ModelParameters::ReadGp(std::span<const double> values, GpParameters& gp) const {
  const auto m = static_cast<Eigen::Index>(shape_.inducing);
  const auto d = static_cast<Eigen::Index>(shape_.dim);
  const Eigen::Index rows = shape_.shared_hyperparameters ? 1 : d;
  gp.inducing_locations.resize(m, d);
  gp.inducing_mean.resize(d, m);
  gp.inducing_chol.resize(shape_.dim);
  for (Matrix& chol : gp.inducing_chol) chol.resize(m, m);
  gp.lengthscales.resize(rows, d);
  gp.variances.resize(rows);
  ForBlocks(*this, gp, [&](std::size_t block, double* data, Eigen::Index size, std::size_t from) {
    std::copy_n(layout_.Values(block, values).begin() + from, size, data);
  });
}

void ModelParameters::AddGpGradient(const GpGradient& gradient, std::span<double> bvalues) const {
  ForBlocks(*this, gradient.parameters,
            [&](std::size_t block, const double* data, Eigen::Index size, std::size_t from) {
              const std::span<double> target = layout_.Values(block, bvalues).subspan(from);
              for (Eigen::Index i = 0; i < size; ++i) target[i] += data[i];
            });
}

void ModelParameters::WriteGp(const GpParameters& gp, std::span<double> values) const {
  ForBlocks(*this, gp,
            [&](std::size_t block, const double* data, Eigen::Index size, std::size_t from) {
              std::copy_n(data, size, layout_.Values(block, values).begin() + from);
            });
}

}  // namespace gpode
