#include "gpode/fit_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "io/files.h"
#include "io/number_text.h"

namespace gpode {
namespace {

[[noreturn]] void Refuse(std::string_view source, std::string_view word, std::string_view right) {
  throw InputError(fmt::format("{} is {}, must be {}", source, internal::Quote(word), right));
}

}  // namespace

void SetStartTimes(std::string_view when, std::string_view source, Dataset* data) {
  for (Trajectory& t : data->trajectories) {
    if (when == "first") continue;
    if (when == "gap") {
      if (t.times.size() < 2) Refuse(source, when, "first or a time for a trajectory of one row");
      t.start_time = t.times[0] - (t.times[1] - t.times[0]);
      continue;
    }
    std::optional<double> time = ParseTime(when, data->calendar);
    if (!time) time = internal::ToNumber(when);
    if (!time || !std::isfinite(*time)) Refuse(source, when, kStartTimeWords);
    if (*time > t.times[0]) {
      Refuse(source, when,
             fmt::format("at or before the first observation, at {}",
                         ShowTime(t.times[0], data->calendar)));
    }
    t.start_time = *time;
  }
}

void CompleteObservation(std::size_t channels, FitOptions* options) {
  if (options->observation != Observation::kIdentity || options->states <= channels) return;
  options->observation = Observation::kMatrix;
  options->observation_map = {Matrix::Identity(static_cast<Eigen::Index>(channels),
                                               static_cast<Eigen::Index>(options->states)),
                              {}};
}

std::optional<ConstantChannel> FindConstantChannel(const Dataset& data) {
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Trajectory& t : data.trajectories) {
      for (double v : t.values.col(static_cast<Eigen::Index>(c))) {
        if (std::isnan(v)) continue;
        least = std::min(least, v), most = std::max(most, v);
      }
    }
    if (least < most) continue;
    return ConstantChannel{c, least > most ? std::nullopt : std::optional(least)};
  }
  return {};
}

}  // namespace gpode
