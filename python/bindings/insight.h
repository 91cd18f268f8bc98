// Conversions that the bindings of analyses share.
//
// Thread safety: the interpreter's lock must be held.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "gpode/analysis.h"
#include "gpode/held_inputs.h"

namespace gpode::python {

// A range of a state, by its index: (lower, upper).
using Ranges = std::map<std::size_t, std::pair<double, double>>;

// Returns (median, lower, upper).
py::tuple BandTuple(const QuantityBand& band);
py::list BandTuples(const std::vector<QuantityBand>& bands);
py::array VectorArray(const Vector& values);

// Returns the box of the data, enlarged as `gpode analyse` does, with these ranges in place of its
// own; nothing if there are no ranges.
std::optional<StateBox> BoxOf(const PyModel& model, const Ranges& ranges, const char* function);

// Returns the inputs with these values held, the others at typical values. Throws an InputError for
// a name that is unknown.
HeldInputs HoldInputs(const PyModel& model, const std::map<std::string, double>& values,
                      const char* function);
// Returns all inputs (U) of an object; no values if there are none.
std::optional<Vector> InputsOf(const HeldInputs& held);

}  // namespace gpode::python
