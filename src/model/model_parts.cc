#include "model/model_parts.h"

#include <algorithm>

#include "gpode/error.h"

namespace gpode {
namespace {

// Returns true if each item of a part of the latent variables has its own parameters, shared
// neither with other items nor with the function. `ranges` are the parameters of all its items.
bool BelongToItems(const std::vector<ParameterRange>& ranges, const LatentPart& part,
                   const std::vector<ParameterRange>& of_function) {
  return std::ranges::all_of(ranges, [&](const ParameterRange& range) {
    return range.first == 0 && range.count == part.items &&
           std::ranges::none_of(of_function,
                                [&](const ParameterRange& f) { return f.block == range.block; });
  });
}

}  // namespace

ModelParts::ModelParts(const FitOptions& options, const ModelShape& shape)
    : shape_(shape), likelihood_(&GetLikelihood(options.likelihood)) {
  const PosteriorFamily& family = GetPosteriorFamily(options.posterior);
  const bool point = family.MakesPointEstimates();
  function_ =
      MakeUnknownFunction(options.function, {.options = options,
                                             .dim = shape.dim,
                                             .inputs = shape.inputs,
                                             .with_residual = !point || family.samples_residual(),
                                             .is_sampled = family.is_sampled()});
  latent_.Add(function_->latent());
  latent_.Add({.name = "x0",
               .items = shape.trajectories,
               .size = shape.dim,
               .purpose = Purpose::kInitialState});
  latent_.Add({.name = "state",
               .items = shape.shooting_states,
               .size = shape.dim,
               .prior = LatentPrior::kFlat,
               .purpose = Purpose::kShootingState});
  if (shape.noise_pieces > 0) {
    latent_.Add({.name = "force",
                 .items = shape.noise_pieces,
                 .size = shape.dim,
                 .purpose = Purpose::kProcessNoise});
  }
  function_->AddParameters(layout_);
  hyperparameter_blocks_ = layout_.blocks().size();
  function_->AddResidual(layout_);
  posterior_ = family.Make(latent_, layout_);
  likelihood_block_ =
      layout_.Add(std::string(likelihood_->parameter_name()),
                  {shape.channels * likelihood_->parameters_per_channel()}, Transform::kPositive);
  if (shape.noise_pieces > 0) {
    process_noise_block_ = layout_.Add("process_noise", {shape.dim}, Transform::kPositive);
  }
  std::vector<ParameterRange> of_function, of_states;
  posterior_->AddParameterRanges(latent_.Whole(kFunction), of_function);
  for (std::size_t part : {kInitial, kShooting}) {
    std::vector<ParameterRange> ranges;
    posterior_->AddParameterRanges(latent_.Whole(part), ranges);
    by_state_[part] = BelongToItems(ranges, latent_.parts()[part], of_function);
    if (by_state_[part]) of_states.insert(of_states.end(), ranges.begin(), ranges.end());
  }
  for (std::size_t block = 0; block < layout_.blocks().size(); ++block) {
    const bool single = std::ranges::any_of(
        of_states, [&](const ParameterRange& range) { return range.block == block; });
    if (!single) common_blocks_.push_back(block);
  }
}

void ModelParts::FindLatentRanges(const TouchedStates& touched,
                                  std::vector<LatentRange>& ranges) const {
  ranges.clear();
  ranges.push_back(latent_.Whole(kFunction));
  for (const IndexRun& run : touched.x0) ranges.push_back({kInitial, run.first, run.count});
  for (const IndexRun& run : touched.shooting) ranges.push_back({kShooting, run.first, run.count});
  if (HasProcessNoise()) ranges.push_back(latent_.Whole(kForce));
}

void ModelParts::FindParameters(const TouchedStates& touched,
                                std::vector<TouchedParameters>& ranges) const {
  ranges.clear();
  for (std::size_t block : common_blocks_) ranges.push_back({layout_.Whole(block)});
  std::vector<ParameterRange>& own = scratch_;
  const auto add = [&](std::size_t part, const std::vector<IndexRun>& runs, std::size_t first) {
    if (!by_state_[part]) return;
    for (const IndexRun& run : runs) {
      own.clear();
      posterior_->AddParameterRanges({part, run.first, run.count}, own);
      for (const ParameterRange& range : own) ranges.push_back({range, first + run.first});
    }
  };
  add(kInitial, touched.x0, 0);
  add(kShooting, touched.shooting, shape_.trajectories);
}

void ModelParts::WriteHyperparameters(const FunctionStart& start, std::span<double> values) const {
  std::span<const double> rest = start.hyperparameters;
  for (std::size_t block = 0; block < hyperparameter_blocks_; ++block) {
    const std::span<double> to = layout_.Values(block, values);
    if (rest.size() < to.size()) CheckSize("start", "hyperparameters", rest.size(), to.size());
    std::copy_n(rest.begin(), to.size(), to.begin());
    rest = rest.subspan(to.size());
  }
  CheckSize("start", "hyperparameters", rest.size(), 0);
}

std::vector<double> ModelParts::ValuesAt(std::span<const double> z,
                                         std::span<const double> deviation,
                                         const NamedValues& from) const {
  std::vector<double> values(layout_.value_size());
  for (std::size_t block = 0; block < layout_.blocks().size(); ++block) {
    const ParameterBlock& own = layout_.blocks()[block];
    if (!from.Has(own.name) || from[own.name].size() != own.value_size) continue;
    std::ranges::copy(from[own.name], layout_.Values(block, std::span(values)).begin());
  }
  posterior_->Initialise(z, deviation, values);
  return values;
}

std::vector<double> ModelParts::LatentMean(std::span<const double> values) const {
  std::vector<double> z(latent_.size()), normals(latent_.size(), 0.0);
  std::vector<LatentRange> all;
  for (std::size_t part = 0; part < latent_.parts().size(); ++part) {
    all.push_back(latent_.Whole(part));
  }
  posterior_->Draw(values, normals, all, z);
  return z;
}

void CopyBlocks(const ParameterLayout& from, std::span<const double> from_flat,
                const ParameterLayout& to, std::span<double> to_flat) {
  for (const ParameterBlock& block : from.blocks()) {
    if (!to.Has(block.name)) continue;
    const ParameterBlock& own = to.Find(block.name);
    if (own.flat_size != block.flat_size) continue;
    std::copy_n(from_flat.begin() + static_cast<std::ptrdiff_t>(block.flat_offset), block.flat_size,
                to_flat.begin() + static_cast<std::ptrdiff_t>(own.flat_offset));
  }
}

}  // namespace gpode
