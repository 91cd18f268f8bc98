// Forecasts as text: plots of Unicode characters for the terminal.
//
// Thread safety: plain functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/forecast.h"
#include "gpode/training.h"

namespace gpode::report {

// Returns enough times for smooth curves.
std::vector<double> PlotTimes(double from, double to);

// Returns one plot per channel, six at most: median, 90 % band and the observations of the
// trajectory. The title is shown unless the model has just this trajectory.
std::string ForecastText(const Forecast& forecast, const TrainedModel& trained,
                         std::optional<std::size_t> trajectory, std::string_view title,
                         bool coloured);

}  // namespace gpode::report
