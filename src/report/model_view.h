// Names, units and facts of a model and its data, as text for plots and reports.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   for (const Quantity& state : QuantitiesOf(StateNames(model))) ... state.Label()
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpode/training.h"

namespace gpode::report {

// Returns the count with its noun: "1 trajectory", "3 trajectories".
std::string Pluralise(std::size_t count, std::string_view one, std::string_view more);

// Returns the trajectory's name, or its number counted from 1 if it has none.
std::string TrajectoryName(const TrainedModel& trained, std::size_t trajectory);

// Returns one name per state. If a channel depends on one state only, and no other channel depends
// on that state, the state has the channel's name; the others are state1, state2, ...
std::vector<std::string> StateNames(const Model& model);

// A name and its unit: "voltage [mV]" and "voltage (mV)" both have the name voltage and the unit
// mV.
struct Quantity {
  std::string name, unit;

  // Returns "voltage (mV)", or the name alone if there is no unit.
  std::string Label() const;
};
// Returns the quantities with these names. If two names would be equal without their units, all
// units stay in the names.
std::vector<Quantity> QuantitiesOf(const std::vector<std::string>& names);
// Returns the quantity of the time column, "time" if its name is unknown.
Quantity TimeOf(const Dataset& data);
// Returns the unit that all quantities share, or nothing.
std::string CommonUnit(const std::vector<Quantity>& quantities);

// Returns the lengthscales (outputs or 1, D) and the inducing locations (M, D) of a process in the
// user's units, and empty matrices for other functions.
Matrix Lengthscales(const Model& model);
Matrix InducingLocations(const Model& model);

// Returns "1 trajectory, 50 times from 0 to 7, channels x1, x2".
std::string DescribeData(const Dataset& data);

// Returns the number of draws of a sampled posterior and their source: "1200 draws from 4 chains".
std::string DescribeDraws(const Model& model);

// Returns names and values that describe the vector field: kernel and inducing points, or layers of
// the network; for a sampled posterior also the number of draws and the sampler's diagnostics.
std::vector<std::pair<std::string, std::string>> FieldFacts(const Model& model);

// Returns ", widened after held-back data" if the model has wider bands for that reason, and
// otherwise an empty text.
std::string WideningNote(const Model& model);
// Returns what held-back data say about the bands of a model; empty if there were none.
std::string DescribeWidening(const Model& model);

}  // namespace gpode::report
