// From options and data to a bound: what of the library's parts a kind of model is made of.
#pragma once

#include <memory>
#include <vector>

#include "model/bound.h"
#include "start/initialise.h"

namespace gpode {

// Whether all unknowns of a kind are points while a bound is evaluated; the sampler moves a point.
constexpr Knowledge KnowledgeOf(ModelKind kind) {
  return IsPoint(kind) || IsSampled(kind) ? Knowledge::kPoint : Knowledge::kDistribution;
}

ModelParameters ParametersOf(const FitOptions& options, const Start& start,
                             std::size_t trajectories, std::size_t shooting_states);

// The bound of `parameters`, whose segments are `cut`; `knowledge` is the kind's own or a point.
std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 std::vector<TimedValues> trajectories, Segmentation cut,
                                 const ModelParameters& parameters, Knowledge knowledge);

// The field of a start as constrained values.
void WriteField(const Start& start, const ModelParameters& parameters, std::span<double> values);

// The blocks of both that have the same name and size: those of `to` become those of `from`. Flat
// vectors.
void CopyBlocks(const ModelParameters& from, std::span<const double> from_flat,
                const ModelParameters& to, std::span<double> to_flat);

// All that a model knows before it has learnt.
Model ModelWithout(const Dataset& data, const FitOptions& options, const Start& start);

}  // namespace gpode
