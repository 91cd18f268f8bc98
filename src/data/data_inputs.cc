#include "data/data_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpode/error.h"

namespace gpode {
namespace {

// Writes the phases of the clock and the time, which come after the measured inputs, to u.
void WriteClock(const InputRule& rule, double time, double* u) {
  for (double period : rule.periods) {
    const double phase = 2 * std::numbers::pi * time / period;
    *u++ = std::cos(phase);
    *u++ = std::sin(phase);
  }
  if (rule.has_time) *u = time;
}

// Returns the index of the sample whose interval contains t: the last one at or before t, but not
// before the first.
Eigen::Index PlaceOf(double t, const std::vector<double>& times) {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  return std::max<std::ptrdiff_t>(after - times.begin() - 1, 0);
}

// Writes measured inputs at time t, of the interval that begins with sample i, to u. `inside` is a
// time in that interval; before the first sample it is earlier.
void WriteMeasured(InputHold hold, const std::vector<double>& times, const Matrix& values, double t,
                   double inside, double* u) {
  const Eigen::Index i = PlaceOf(inside, times), columns = values.cols();
  const double* const own = values.data() + i * columns;
  std::copy_n(own, columns, u);
  const auto k = static_cast<std::size_t>(i);
  if (hold == InputHold::kPrevious || k + 1 == times.size() || inside < times[k]) return;
  const double share = (t - times[k]) / (times[k + 1] - times[k]);
  for (Eigen::Index c = 0; c < columns; ++c) u[c] += share * (own[columns + c] - own[c]);
}

}  // namespace

std::vector<std::string> InputRule::AllNames() const {
  std::vector<std::string> all = names;
  for (double period : periods) {
    all.push_back(fmt::format("cos({:g})", period));
    all.push_back(fmt::format("sin({:g})", period));
  }
  if (has_time) all.push_back("time");
  return all;
}

Matrix InputsAt(const InputRule& rule, const InputSamples& samples,
                const std::vector<double>& times) {
  Matrix inputs(std::ssize(times), static_cast<Eigen::Index>(rule.size()));
  for (std::size_t i = 0; i < times.size(); ++i) {
    double* const row = inputs.data() + i * rule.size();
    if (!rule.names.empty()) {
      WriteMeasured(rule.hold, samples.times, samples.values, times[i], times[i], row);
    }
    WriteClock(rule, times[i], row + rule.names.size());
  }
  return inputs;
}

InputSamples Joined(const InputSamples& earlier, const InputSamples& later) {
  if (later.empty()) return earlier;
  const auto kept =
      std::lower_bound(earlier.times.begin(), earlier.times.end(), later.times.front()) -
      earlier.times.begin();
  InputSamples all = later;
  all.times.insert(all.times.begin(), earlier.times.begin(), earlier.times.begin() + kept);
  all.values.resize(kept + later.values.rows(), later.values.cols());
  all.values << earlier.values.topRows(kept), later.values;
  return all;
}

DataInputs::DataInputs(const InputRule& rule, const InputSamples& samples,
                       const Coordinates& coordinates, double start)
    : rule_(rule),
      times_(samples.times),
      values_(samples.values),
      scale_(coordinates.input_scale),
      offset_(coordinates.input_offset),
      start_(start),
      time_scale_(coordinates.time_scale) {
  CheckSize("DataInputs", "the coordinates' inputs", coordinates.inputs(), rule.size());
  if (rule.names.empty()) {
    times_.clear();
  } else {
    CheckAtLeast("DataInputs", "the number of samples", std::ssize(times_), 1);
    CheckSize("DataInputs", "values", values_.size(), times_.size() * rule.names.size());
  }
  for (double& time : times_) time = coordinates.TimeToModel(time, start);
  for (Eigen::Index c = 0; c < values_.cols() && !times_.empty(); ++c) {
    values_.col(c) = (values_.col(c).array() - offset_[c]) / scale_[c];
  }
  FindBreaks();
}

void DataInputs::FindBreaks() {
  breaks_.clear();
  const auto count = std::ssize(times_);
  const bool linear = rule_.hold == InputHold::kLinear;
  const auto slope = [&](std::ptrdiff_t i) -> Vector {  // from sample i to the next one
    if (i < 0 || i + 1 >= count) return Vector::Zero(values_.cols());
    const auto k = static_cast<std::size_t>(i);
    return (values_.row(i + 1) - values_.row(i)).transpose() / (times_[k + 1] - times_[k]);
  };
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const bool breaks =
        linear ? slope(i) != slope(i - 1) : i > 0 && values_.row(i) != values_.row(i - 1);
    if (breaks) breaks_.push_back(times_[static_cast<std::size_t>(i)]);
  }
}

double DataInputs::NextBreak(double t, double direction) const {
  if (direction > 0) {
    const auto next = std::upper_bound(breaks_.begin(), breaks_.end(), t);
    return next == breaks_.end() ? InputSignal::NextBreak(t, direction) : *next;
  }
  const auto next = std::lower_bound(breaks_.begin(), breaks_.end(), t);
  return next == breaks_.begin() ? InputSignal::NextBreak(t, direction) : *std::prev(next);
}

void DataInputs::AtPiece(double t, double inside, std::span<double> u) const {
  const std::size_t measured = rule_.names.size();
  if (measured > 0) WriteMeasured(rule_.hold, times_, values_, t, inside, u.data());
  if (measured == u.size()) return;
  WriteClock(rule_, start_ + time_scale_ * (t + shift_), u.data() + measured);
  for (std::size_t i = measured; i < u.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    u[i] = (u[i] - offset_[k]) / scale_[k];
  }
}

std::shared_ptr<const DataInputs> DataInputs::Shifted(double start) const {
  auto shifted = std::make_shared<DataInputs>(*this);
  for (double& time : shifted->times_) time -= start;
  shifted->FindBreaks();
  shifted->shift_ += start;
  return shifted;
}

}  // namespace gpode
