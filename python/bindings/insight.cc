#include "insight.h"

#include <algorithm>

#include "gpode/error.h"
#include "gpode/summary.h"

namespace gpode::python {

py::tuple BandTuple(const QuantityBand& band) {
  return py::make_tuple(band.median, band.lower, band.upper);
}

py::list BandTuples(const std::vector<QuantityBand>& bands) {
  py::list all;
  for (const QuantityBand& band : bands) all.append(BandTuple(band));
  return all;
}

py::array VectorArray(const Vector& values) {
  return ToArray(std::vector<double>(values.begin(), values.end()));
}

std::optional<StateBox> BoxOf(const PyModel& model, const Ranges& ranges, const char* function) {
  if (ranges.empty()) return {};
  StateBox box = DefaultBox(*model.posterior(), model.trained().data);
  for (const auto& [state, range] : ranges) {
    if (!(range.first < range.second)) {
      ThrowInput(function, "region", "must have ranges whose first number is below the second");
    }
    box.lower[static_cast<Eigen::Index>(state)] = range.first;
    box.upper[static_cast<Eigen::Index>(state)] = range.second;
  }
  return box;
}

HeldInputs HoldInputs(const PyModel& model, const std::map<std::string, double>& values,
                      const char* function) {
  HeldInputs held(*model.posterior());
  for (const auto& [name, value] : values) {
    CheckFinite(function, name, value);
    if (held.Set(name, value)) continue;
    std::string known;
    for (const std::string& own : held.names()) known += (known.empty() ? "" : ", ") + own;
    ThrowInput(function, "at",
               known.empty() ? "needs a model with inputs, which this one has not"
                             : "has '" + name + "', must have inputs: " + known);
  }
  return held;
}

std::optional<Vector> InputsOf(const HeldInputs& held) {
  if (held.names().empty()) return {};
  return Vector(held.Inputs(held.values().transpose()).row(0).transpose());
}

}  // namespace gpode::python
