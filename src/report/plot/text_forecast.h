// Forecasts as text: plots of Unicode characters for the terminal.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/forecast.h"
#include "gpode/training.h"

namespace gpode::report {

// Returns equally spaced times, enough for smooth curves. If `to` is not after `from`, they end at
// from + 1.
std::vector<double> PlotTimes(double from, double to);

// Returns one plot for each of the first six channels: median, 90 % band and, if `trajectory` is
// set and the data are there, the observations of that training trajectory. The title is left out
// if the forecast is of the model's only trajectory.
std::string ForecastText(const Forecast& forecast, const TrainedModel& trained,
                         std::optional<std::size_t> trajectory, std::string_view title,
                         bool coloured);

}  // namespace gpode::report
