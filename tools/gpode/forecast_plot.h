// Forecasts as pictures of Unicode characters.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gpode/forecast.h"
#include "gpode/training.h"

namespace gpode::tool {

// Enough for a smooth picture.
std::vector<double> PlotTimes(double from, double to);

// Every channel (six at most) over time: median, 90 % band, the observations of a trajectory.
void PrintForecast(const Forecast& forecast, const TrainedModel& trained,
                   std::optional<std::size_t> trajectory, std::string_view title);

}  // namespace gpode::tool
