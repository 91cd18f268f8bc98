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

#include "gpode/summary.h"
#include "gpode/training.h"

namespace gpode::report {

// Functions of the library that are used as functions of this namespace.
using gpode::DescribeDraws;
using gpode::DescribeWidening;
using gpode::FieldFacts;
using gpode::InducingLocations;
using gpode::Lengthscales;
using gpode::StateNames;
using gpode::TrajectoryName;

// Returns the count with its noun: "1 trajectory", "3 trajectories".
std::string Pluralise(std::size_t count, std::string_view one, std::string_view more);

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
// Returns the unit that all quantities share, or an empty text if there is none.
std::string CommonUnit(const std::vector<Quantity>& quantities);

// Returns "1 trajectory, 50 times from 0 to 7, channels x1, x2".
std::string DescribeData(const Dataset& data);

// Returns ", widened after held-back data" if the model has wider bands for that reason, and
// otherwise an empty text.
std::string WideningNote(const Model& model);
}  // namespace gpode::report
