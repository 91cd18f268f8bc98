// Draws from the posterior of a model: each is a function with initial and shooting states.
//
// Forecasts, imputations, scores and diagnostics of chains all use these draws. As in training,
// standard normals addressed by (seed, step, draw) give the latent variables
// (LatentPosterior::Draw), and these give the function (FunctionDraw::Set). A sampled model has a
// table of draws instead; the seed and the number of a draw choose a row.
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

#include "data/noise_pieces.h"
#include "gpode/model.h"
#include "model/model_parts.h"

namespace gpode {

// The step number in the random streams of forecasts. Training never reaches it, so that forecasts
// use other random numbers than training.
inline constexpr std::uint64_t kForecastStep = std::uint64_t{1} << 62;

struct ModelDraw {
  std::unique_ptr<FunctionDraw> function;
  std::vector<double> z;  // latent variables; those of states that were not requested may be 0
  // The standard deviations (D) of the process noise and its force (P, D) on all pieces of the
  // training trajectories. Empty if the model has no process noise.
  std::vector<double> process_noise = {}, force = {};
};

// Returns the pieces of the training trajectories on which the process noise is constant.
NoisePieces PiecesOf(const Model& model);
// Returns the sizes of a model's parts.
ModelShape ShapeOf(const Model& model);

class ModelDraws {
 public:
  // The model must outlive the draws. Throws an InputError if its kernel matrix cannot be factored,
  // or if its sampler was stopped before it had draws.
  explicit ModelDraws(const Model& model);

  const ModelParts& parts() const { return parts_; }
  const NoisePieces& pieces() const { return pieces_; }

  // Returns draw i of a seed, with those initial and shooting states that `states` names. If the
  // model was conditioned on new data, returns pair i of its given draws instead.
  ModelDraw Make(std::uint64_t seed, std::uint64_t i, std::span<const LatentRange> states) const;
  // Returns draw i of a seed without states, ignoring any conditioning of the model. NoiseOf
  // returns the likelihood that belongs to the draw.
  ModelDraw MakeField(std::uint64_t seed, std::uint64_t i) const;
  ObservationNoise NoiseOf(std::uint64_t seed, std::uint64_t i) const;
  // Returns the draw in this row of a sampled model's table.
  ModelDraw MakeRow(std::size_t row) const;
  // Returns the draw whose latent variables have their posterior means. Its function lacks the
  // random variation that other draws of a process have between the inducing points.
  ModelDraw MakeMean() const;

 private:
  std::size_t RowOf(std::uint64_t seed, std::uint64_t i) const;
  ModelDraw MakeUnconditioned(std::uint64_t seed, std::uint64_t i,
                              std::span<const LatentRange> states) const;
  ModelDraw MakeGiven(std::uint64_t i) const;

  const Model& model_;
  NoisePieces pieces_;
  ModelParts parts_;
};

}  // namespace gpode
