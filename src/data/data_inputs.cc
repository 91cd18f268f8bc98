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
      scale_(coordinates.input_scale),
      offset_(coordinates.input_offset),
      start_(start),
      time_scale_(coordinates.time_scale) {
  CheckSize("DataInputs", "the coordinates' inputs", coordinates.inputs(), rule.size());
  if (rule.names.empty()) return;
  CheckAtLeast("DataInputs", "the number of samples", std::ssize(samples.times), 1);
  CheckSize("DataInputs", "values", samples.values.size(),
            samples.times.size() * rule.names.size());
  auto own = std::make_shared<Samples>(Samples{samples.times, samples.values, {}});
  for (double& time : own->times) time = coordinates.TimeToModel(time, start);
  for (Eigen::Index c = 0; c < own->values.cols(); ++c) {
    own->values.col(c) = (own->values.col(c).array() - offset_[c]) / scale_[c];
  }
  own->FindBreaks(rule.hold);
  samples_ = std::move(own);
}

void DataInputs::Samples::FindBreaks(InputHold hold) {
  const auto count = std::ssize(times);
  const auto slope = [&](std::ptrdiff_t i) -> Vector {  // from sample i to the next one
    if (i < 0 || i + 1 >= count) return Vector::Zero(values.cols());
    const auto k = static_cast<std::size_t>(i);
    return (values.row(i + 1) - values.row(i)).transpose() / (times[k + 1] - times[k]);
  };
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const bool is_break = hold == InputHold::kLinear ? slope(i) != slope(i - 1)
                                                     : i > 0 && values.row(i) != values.row(i - 1);
    if (is_break) breaks.push_back(times[static_cast<std::size_t>(i)]);
  }
}

// A shift may round a break to t itself or to the wrong side of it. Such breaks are passed over.
double DataInputs::NextBreak(double t, double direction) const {
  if (samples_ == nullptr) return InputSignal::NextBreak(t, direction);
  const std::vector<double>& breaks = samples_->breaks;
  const double place = t + shift_;
  if (direction > 0) {
    auto next = std::upper_bound(breaks.begin(), breaks.end(), place);
    while (next != breaks.end() && !(*next - shift_ > t)) ++next;
    return next == breaks.end() ? InputSignal::NextBreak(t, direction) : *next - shift_;
  }
  auto next = std::lower_bound(breaks.begin(), breaks.end(), place);
  while (next != breaks.begin() && !(*std::prev(next) - shift_ < t)) --next;
  return next == breaks.begin() ? InputSignal::NextBreak(t, direction) : *std::prev(next) - shift_;
}

void DataInputs::AtPiece(double t, double inside, std::span<double> u) const {
  const std::size_t measured = rule_.names.size();
  if (measured > 0) {
    WriteMeasured(rule_.hold, samples_->times, samples_->values, t + shift_, inside + shift_,
                  u.data());
  }
  if (measured == u.size()) return;
  WriteClock(rule_, start_ + time_scale_ * (t + shift_), u.data() + measured);
  for (std::size_t i = measured; i < u.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    u[i] = (u[i] - offset_[k]) / scale_[k];
  }
}

std::shared_ptr<const DataInputs> DataInputs::Shifted(double start) const {
  auto shifted = std::make_shared<DataInputs>(*this);
  shifted->shift_ += start;
  return shifted;
}

}  // namespace gpode
