// Draws from the posterior of a model: functions with their states.
//
// Forecasts, gaps, scores and diagnostics of chains all start here. A draw is made as in training:
// normals addressed by (seed, step, draw), the posterior's Draw, the function's Set. The draws of a
// sampled model are the rows of its table, chosen by seed and number.
//
// Thread safety: const functions may be called from any thread.
//
//   ModelDraws draws(model);
//   ModelDraw draw = draws.Make(seed, i, {});
//   draw.function->field();
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpode/model.h"
#include "model/model_parts.h"

namespace gpode {

// The step number of the random streams of forecasts. Training never reaches it.
inline constexpr std::uint64_t kForecastStep = std::uint64_t{1} << 62;

struct ModelDraw {
  std::unique_ptr<FunctionDraw> function;
  std::vector<double> z;  // the latent variables that were asked for, and the function's
};

// Returns the sizes of a model's parts.
ModelShape ShapeOf(const Model& model);

class ModelDraws {
 public:
  // The model must outlive the draws. Throws an InputError if its kernel matrix cannot be factored.
  explicit ModelDraws(const Model& model);

  const ModelParts& parts() const { return parts_; }

  // Returns draw i of a seed, with the states of these ranges.
  ModelDraw Make(std::uint64_t seed, std::uint64_t i, std::span<const LatentRange> states) const;
  // Returns the draw in this row of a sampled model's table.
  ModelDraw MakeRow(std::size_t row) const;
  // Returns the function at the mean of the latent variables, without a residual.
  ModelDraw MakeMean() const;

 private:
  std::size_t RowOf(std::uint64_t seed, std::uint64_t i) const;

  const Model& model_;
  ModelParts parts_;
};

}  // namespace gpode
