// Computes the posterior bands of the parameters of known equations. See gpode/summary.h.
#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "gpode/options.h"
#include "gpode/summary.h"
#include "model/model_draws.h"

namespace gpode {
namespace {

// The number of draws from a trained posterior, which unlike a sampled one has no draws of its own.
constexpr std::size_t kDraws = 4000;

// Returns the latent variables of the function in draw i of a trained posterior.
std::vector<double> DrawLatent(const Model& model, const ModelParts& parts, std::size_t i) {
  const LatentLayout& latent = parts.latent();
  const std::vector<LatentRange> ranges = {latent.Whole(ModelParts::kFunction)};
  std::vector<double> normals(latent.size()), z(latent.size());
  latent.SampleNormals(model.options.seed, kForecastStep, i, ranges, normals);
  parts.posterior().Draw(model.parameters.values, normals, ranges, z);
  return z;
}

}  // namespace

std::vector<ParameterBand> ParameterBands(const Model& model) {
  const ModelParts parts(model.options, ShapeOf(model));
  const std::vector<std::string> names = parts.function().QuantityNames();
  std::vector<ParameterBand> bands;
  const bool is_sampled = model.IsSampled();
  if (names.empty() || (IsSampled(model.options) && !is_sampled)) return bands;
  const std::size_t count = is_sampled ? static_cast<std::size_t>(model.draws.rows()) : kDraws;
  std::vector<std::vector<double>> values(names.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const std::vector<double> z =
        is_sampled ? parts.LatentMean({model.draws.row(row).data(),
                                       static_cast<std::size_t>(model.draws.cols())})
                   : DrawLatent(model, parts, i);
    const std::vector<double> own = parts.function().Quantities(
        parts.latent().Part(ModelParts::kFunction, std::span<const double>(z)));
    for (std::size_t k = 0; k < names.size(); ++k) values[k].push_back(own[k]);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::ranges::sort(values[k]);
    double mean = 0, squares = 0;
    for (double v : values[k]) mean += v / static_cast<double>(count);
    for (double v : values[k]) squares += (v - mean) * (v - mean) / static_cast<double>(count);
    bands.push_back({.name = names[k],
                     .mean = mean,
                     .deviation = std::sqrt(squares),
                     .q5 = SortedQuantile(values[k], 0.05),
                     .median = SortedQuantile(values[k], 0.5),
                     .q95 = SortedQuantile(values[k], 0.95)});
  }
  return bands;
}

}  // namespace gpode
