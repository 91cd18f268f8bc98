// Model files as the commands see them: names of trajectories and states, starts by name.
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

// The trajectory's name, or its number from 1 where it has none.
std::string TrajectoryName(const TrainedModel& trained, std::size_t trajectory);
// By its name or its number from 1.
std::size_t FindTrajectory(const Place& place, std::string_view word, const TrainedModel& trained);

// Which of the model's trajectories a test trajectory goes on with: the one of its name, the only
// one, or the one in its place; an InputError that begins with `file` if there is none.
std::size_t MatchTrajectory(const Dataset& tests, std::size_t n, const TrainedModel& trained,
                            std::string_view file);

// What the field is made of, as names and values for people: kernel and inducing points, or layers;
// draws of a sampler and what speaks for them.
std::vector<std::pair<std::string, std::string>> FieldFacts(const Model& model);

// A state that one channel shows by itself has that channel's name, others are state1, state2, ...
std::vector<std::string> StateNames(const Model& model);

// A name's unit, where it ends in one: "voltage [mV]" and "voltage (mV)" are mV.
struct Quantity {
  std::string name, unit;

  // "voltage (mV)"
  std::string Label() const;
};
// Of all names; with the units left in them where they would not differ without.
std::vector<Quantity> QuantitiesOf(const std::vector<std::string>& names);
// What the times are, by the name of their column; "time" if it is not known.
Quantity TimeOf(const Dataset& data);
// The unit that all channels have; empty: there is none.
std::string CommonUnit(const std::vector<Quantity>& quantities);

// A state's place among those names; `word` is what was given, with the name in it.
std::size_t FindState(const Place& place, std::string_view word, const std::string& name,
                      const std::vector<std::string>& names);

// Rows of the model's states (n, D) in the user's units.
Matrix InUserUnits(const Model& model, const Matrix& states);

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
