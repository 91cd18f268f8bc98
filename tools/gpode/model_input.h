// Trajectories, states and starts of a model by the words of the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"

namespace gpode::tool {

// By its name or its number from 1.
std::size_t FindTrajectory(const Place& place, std::string_view word, const TrainedModel& trained);

// Which of the model's trajectories a test trajectory goes on with: the one of its name, the only
// one, or the one in its place; an InputError that begins with `file` if there is none.
std::size_t MatchTrajectory(const Dataset& tests, std::size_t n, const TrainedModel& trained,
                            std::string_view file);

// A state's place among those names; `word` is what was given, with the name in it.
std::size_t FindState(const Place& place, std::string_view word, const std::string& name,
                      const std::vector<std::string>& names);

// Its rows after one time and up to another.
Trajectory RowsBetween(const Trajectory& all, const std::optional<double>& after,
                       const std::optional<double>& until);

// "x=1,y=2": values of channels, in the model's order, NaN where none is given.
std::vector<double> ChannelValues(const Place& place, std::string_view word, const Model& model);

// The state behind values of channels; throws `complaint` where they do not determine it.
StartState StateBehind(const Posterior& posterior, std::span<const double> values,
                       const std::string& complaint);

// Where a forecast starts, by its word.
Origin OriginOf(std::string_view word);

}  // namespace gpode::tool
