#include "gpode/held_inputs.h"

#include <algorithm>

namespace gpode {

HeldInputs::HeldInputs(const Posterior& posterior) : rule_(posterior.model().input_rule()) {
  const Model& model = posterior.model();
  const bool has_time = rule_.has_time || !rule_.periods.empty();
  const Vector typical = posterior.TypicalInputs();
  const auto measured = std::ssize(rule_.names);
  names_ = rule_.names;
  values_.resize(measured + (has_time ? 1 : 0));
  values_.head(measured) = typical.head(measured);
  if (!has_time) return;
  names_.emplace_back("time");
  values_[measured] = 0.5 * (model.start_times.front() + model.end_times.front());
}

bool HeldInputs::Set(const std::string& name, double value) {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return false;
  values_[found - names_.begin()] = value;
  return true;
}

Matrix HeldInputs::Inputs(const Matrix& values) const {
  Matrix inputs(values.rows(), static_cast<Eigen::Index>(rule_.size()));
  const auto measured = std::ssize(rule_.names);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const double time = values.cols() > measured ? values(i, measured) : 0;
    const InputSamples one{.times = {time}, .values = values.row(i).head(measured)};
    inputs.row(i) = InputsAt(rule_, one, {time}).row(0);
  }
  return inputs;
}

}  // namespace gpode
