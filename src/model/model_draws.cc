// Draws from a trained model: chooses their random numbers, for which Bound::SampleNormals
// (model/bound.cc) is the counterpart in training. The normals become initial states in
// model/posterior_families.cc, and fields (paper, equation 13) in field/gp_draw.cc.
#include "model/model_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpode/error.h"

namespace gpode {
namespace {

void SetFunction(const ModelParts& parts, std::span<const double> values) {
  ThreadPool pool(1);
  if (const FactorStatus status = parts.function().Set(values, pool); status != FactorStatus::kOk) {
    ThrowInput("Posterior", "model", Message(status));
  }
}

// Multiplies the standard normals in `draw.force` by the standard deviations of the process noise.
void ScaleForce(const NoisePieces& pieces, ModelDraw& draw) {
  const std::vector<double>& deviation = draw.process_noise;
  std::size_t at = 0;
  for (std::size_t n = 0; n < pieces.counts.size(); ++n) {
    for (std::size_t i = 0; i < pieces.counts[n] * deviation.size(); ++i, ++at) {
      draw.force[at] *= deviation[i % deviation.size()] / std::sqrt(pieces.lengths[n]);
    }
  }
}

// Returns the only draw of a model whose posterior is a point estimate.
ModelDraw PointDraw(const ModelParts& parts, const NoisePieces& pieces,
                    std::span<const double> values) {
  SetFunction(parts, values);
  ModelDraw draw{.function = parts.function().MakeDraw(), .z = parts.LatentMean(values)};
  draw.function->Set(parts.latent().Part(ModelParts::kFunction, std::span<const double>(draw.z)));
  if (!parts.HasProcessNoise()) return draw;
  const std::span<const double> deviation =
      parts.layout().Values(parts.process_noise_block(), values);
  draw.process_noise.assign(deviation.begin(), deviation.end());
  const std::span<const double> normals =
      parts.latent().Part(ModelParts::kForce, std::span<const double>(draw.z));
  draw.force.assign(normals.begin(), normals.end());
  ScaleForce(pieces, draw);
  return draw;
}

}  // namespace

NoisePieces PiecesOf(const Model& model) {
  std::vector<double> spans;
  for (std::size_t n = 0; n < model.start_times.size(); ++n) {
    spans.push_back(model.coordinates.TimeToModel(model.end_times[n], model.start_times[n]));
  }
  return CutIntoPieces(model.noise_pieces, spans);
}

ModelShape ShapeOf(const Model& model) {
  return {.dim = model.dim(),
          .inputs = model.coordinates.inputs(),
          .channels = model.channels.size(),
          .trajectories = model.start_times.size(),
          .shooting_states = model.shooting_times.size(),
          .noise_pieces = std::accumulate(model.noise_pieces.begin(), model.noise_pieces.end(),
                                          std::size_t{0})};
}

ModelDraws::ModelDraws(const Model& model)
    : model_(model), pieces_(PiecesOf(model)), parts_(model.options, ShapeOf(model)) {
  if (GetPosteriorFamily(model.options.posterior).is_sampled() && !model.IsSampled()) {
    ThrowInput("Posterior", "model",
               "has no draws yet, since its sampler was stopped; gpode fit --resume finishes it");
  }
  SetFunction(parts_, model.parameters.values);
}

// Returns the row of the sampler's table for draw i. Rows are ordered by chain. Successive draws
// take rows far apart, so that even a few draws come from different chains. The stride has no
// common divisor with the number of rows, so that no row is taken twice before every row was taken
// once.
std::size_t ModelDraws::RowOf(std::uint64_t seed, std::uint64_t i) const {
  const auto count = static_cast<std::uint64_t>(model_.draws.rows());
  auto stride = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(count));
  while (std::gcd(stride, count) != 1) ++stride;
  return static_cast<std::size_t>((seed % count + (i % count) * stride) % count);
}

ModelDraw ModelDraws::Make(std::uint64_t seed, std::uint64_t i,
                           std::span<const LatentRange> states) const {
  return model_.given.empty() ? MakeUnconditioned(seed, i, states) : MakeGiven(i);
}

ModelDraw ModelDraws::MakeField(std::uint64_t seed, std::uint64_t i) const {
  return MakeUnconditioned(seed, i, {});
}

ObservationNoise ModelDraws::NoiseOf(std::uint64_t seed, std::uint64_t i) const {
  ObservationNoise noise = model_.noise_on_link_scale();
  if (!model_.IsSampled()) return noise;
  const auto row = model_.draws.row(static_cast<Eigen::Index>(RowOf(seed, i)));
  const std::span<const double> own = parts_.LikelihoodParameters(
      std::span<const double>(row.data(), static_cast<std::size_t>(row.size())));
  std::ranges::copy(own, noise.parameters.begin());
  return noise;
}

// Returns the draw of the field of pair i, with the starts and forces of the pair.
ModelDraw ModelDraws::MakeGiven(std::uint64_t i) const {
  const GivenDraws& given = model_.given;
  const std::size_t pair = i % given.fields.size();
  const auto row = static_cast<Eigen::Index>(pair);
  ModelDraw draw = MakeField(given.seed, given.fields[pair]);
  std::ranges::copy(given.starts.row(row),
                    parts_.latent().Part(ModelParts::kInitial, std::span(draw.z)).begin());
  if (draw.process_noise.empty()) return draw;
  draw.force.assign(given.force.row(row).begin(), given.force.row(row).end());
  ScaleForce(pieces_, draw);
  return draw;
}

ModelDraw ModelDraws::MakeUnconditioned(std::uint64_t seed, std::uint64_t i,
                                        std::span<const LatentRange> states) const {
  if (model_.IsSampled()) return MakeRow(RowOf(seed, i));
  const LatentLayout& latent = parts_.latent();
  std::vector<LatentRange> ranges(states.begin(), states.end());
  ranges.push_back(latent.Whole(ModelParts::kFunction));
  std::vector<double> normals(latent.size());
  ModelDraw draw{.function = parts_.function().MakeDraw(), .z = std::vector<double>(latent.size())};
  draw.function->Sample(seed, kForecastStep, i);
  latent.SampleNormals(seed, kForecastStep, i, ranges, normals);
  parts_.posterior().Draw(model_.parameters.values, normals, ranges, draw.z);
  draw.function->Set(latent.Part(ModelParts::kFunction, std::span<const double>(draw.z)));
  return draw;
}

// Hyperparameters differ from row to row, so that each draw needs its own ModelParts.
ModelDraw ModelDraws::MakeRow(std::size_t row) const {
  GPODE_CHECK(row < static_cast<std::size_t>(model_.draws.rows()));
  const ModelParts own(model_.options, parts_.shape());
  return PointDraw(own, pieces_,
                   {model_.draws.row(static_cast<Eigen::Index>(row)).data(),
                    static_cast<std::size_t>(model_.draws.cols())});
}

ModelDraw ModelDraws::MakeMean() const {
  FitOptions options = model_.options;
  options.posterior = "point";
  const ModelParts own(options, parts_.shape());
  const std::vector<double> z = parts_.LatentMean(model_.parameters.values);
  const std::vector<double> deviation(z.size(), 0.0);
  return PointDraw(own, pieces_, own.ValuesAt(z, deviation, model_.parameters));
}

}  // namespace gpode
