#include "report/plot/text_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpode/simulate.h"
#include "report/draw/braille_canvas.h"
#include "report/draw/printable.h"
#include "report/model_view.h"

namespace gpode::report {
namespace {

constexpr std::size_t kColumns = 70, kRows = 14, kMostChannels = 6, kMostMarks = 60;
constexpr int kMedianColour = 36, kBandColour = 35, kDataColour = 33, kEndColour = 2;
constexpr double kMargin = 0.05;

Matrix Curve(const std::vector<double>& times, const Matrix& values, Eigen::Index channel) {
  Matrix points(static_cast<Eigen::Index>(times.size()), 2);
  points.col(0) = Eigen::Map<const Vector>(times.data(), points.rows());
  points.col(1) = values.col(channel);
  return points;
}

// The quantiles of a forecast, (T, channels) each.
struct Bands {
  Matrix low, median, high;
};

// Returns a window around all finite values of a channel.
Window WindowOf(const Forecast& forecast, const Bands& bands, const Trajectory* seen,
                Eigen::Index channel) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  const auto take = [&](const Matrix& values) {
    for (double v : values.col(channel)) {
      if (!std::isfinite(v)) continue;
      least = std::min(least, v);
      most = std::max(most, v);
    }
  };
  take(bands.low);
  take(bands.high);
  if (seen != nullptr) take(seen->values);
  if (!(least <= most)) least = -1, most = 1;
  const double margin = most > least ? kMargin * (most - least) : std::max(1.0, std::abs(most));
  return {forecast.times.front(), forecast.times.back(), least - margin, most + margin, {}};
}

std::string ChannelText(const Forecast& forecast, const Bands& bands, const Trajectory* seen,
                        const Calendar& calendar, std::string_view time, std::string_view name,
                        Eigen::Index channel, bool coloured) {
  Window window = WindowOf(forecast, bands, seen, channel);
  window.calendar = calendar;
  BrailleCanvas canvas(kColumns, kRows, window);
  if (seen != nullptr && seen->times.back() < window.right) {
    Matrix end(2, 2);
    end << seen->times.back(), window.bottom, seen->times.back(), window.top;
    canvas.Curve(end, {.spacing = 4, .colour = kEndColour});
  }
  canvas.Curve(Curve(forecast.times, bands.low, channel), {.spacing = 2, .colour = kBandColour});
  canvas.Curve(Curve(forecast.times, bands.high, channel), {.spacing = 2, .colour = kBandColour});
  canvas.Curve(Curve(forecast.times, bands.median, channel), {.colour = kMedianColour});
  if (seen != nullptr) {
    const std::size_t every = (seen->times.size() + kMostMarks - 1) / kMostMarks;
    for (std::size_t i = 0; i < seen->times.size(); i += every) {
      const double value = seen->values(static_cast<Eigen::Index>(i), channel);
      if (std::isfinite(value)) canvas.Mark(seen->times[i], value, "o", kDataColour);
    }
  }
  return canvas.Framed(time, name, coloured);
}

}  // namespace

std::vector<double> PlotTimes(double from, double to) {
  constexpr std::size_t kTimes = 281;
  return RegularTimes(from, to > from ? to : from + 1, kTimes);
}

std::string ForecastText(const Forecast& forecast, const TrainedModel& trained,
                         std::optional<std::size_t> trajectory, std::string_view title,
                         bool coloured) {
  const Bands bands{forecast.Quantile(0.05), forecast.Quantile(0.5), forecast.Quantile(0.95)};
  const bool has_data = trajectory && *trajectory < trained.data.trajectories.size();
  const Trajectory* seen = has_data ? &trained.data.trajectories[*trajectory] : nullptr;
  std::string text;
  if (trained.model.start_times.size() > 1 || !trajectory) text = Printable(title) + "\n";
  const std::size_t channels = trained.model.channels.size();
  const Calendar& calendar = trained.data.calendar;
  const Quantity quantity = TimeOf(trained.data);
  const std::string time = Shortened(calendar.IsSet() ? quantity.name : quantity.Label(), 40);
  for (std::size_t c = 0; c < std::min(channels, kMostChannels); ++c) {
    text +=
        ChannelText(forecast, bands, seen, calendar, time, Shortened(trained.model.channels[c], 60),
                    static_cast<Eigen::Index>(c), coloured);
  }
  return text + fmt::format("  {}line: median   dots: 5 and 95 %{}\n\n",
                            seen != nullptr ? "o observations   " : "",
                            channels > kMostChannels
                                ? fmt::format("   ({} more channels)", channels - kMostChannels)
                                : "");
}

}  // namespace gpode::report
