// The calibration plot: coverage against nominal level, and the histogram of PIT values (pit.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/pit.h"
#include "report/model_view.h"
#include "report/plot/plot.h"

namespace gpode::report {
namespace {

constexpr std::size_t kBars = 10, kLevels = 101;
constexpr double kNormal95 = 1.96;

const Stroke kWithNoise{.colour = kBlue, .width = 1.2},
    kWithoutNoise{.colour = kVermillion, .width = 1.0, .dashes = {4, 2}},
    kCalibrated{.colour = kGrey, .width = 0.6};

std::vector<double> Levels() {
  std::vector<double> levels(kLevels);
  for (std::size_t i = 0; i < kLevels; ++i) levels[i] = static_cast<double>(i) / (kLevels - 1);
  return levels;
}

std::vector<double> Coverage(const std::vector<double>& pit, std::size_t missed) {
  std::vector<double> shares;
  for (double level : Levels()) shares.push_back(ShareInside(pit, level, missed));
  return shares;
}

// Returns half the width of the 95 % range in which the observed share of n independent values
// lies, if the true share is `share`.
double SamplingError(double share, std::size_t n) {
  return kNormal95 * std::sqrt(share * (1 - share) / static_cast<double>(n));
}

void DrawCoverage(const PitValues& all, const Panel& panel) {
  const std::vector<double> levels = Levels();
  std::vector<double> low, high;
  for (double p : levels) {
    low.push_back(p - SamplingError(p, all.with_noise.size()));
    high.push_back(p + SamplingError(p, all.with_noise.size()));
  }
  panel.Band(levels, low, high, kLightGrey);
  panel.Line(levels, levels, kCalibrated);
  panel.Line(levels, Coverage(all.without_noise, all.missed), kWithoutNoise);
  panel.Line(levels, Coverage(all.with_noise, all.missed), kWithNoise);
  panel.Frame();
}

// Returns the densities of PIT values in kBars equal bins. All are about one if forecasts are
// calibrated.
std::vector<double> Histogram(const std::vector<double>& pit) {
  std::vector<double> bars = PitCounts(pit, kBars);
  for (double& bar : bars) bar *= kBars / static_cast<double>(pit.size());
  return bars;
}

void DrawHistogram(const std::vector<double>& bars, double error, const Panel& panel) {
  const double ends[] = {0, 1}, low[] = {1 - error, 1 - error}, high[] = {1 + error, 1 + error},
               one[] = {1, 1};
  panel.Band(ends, low, high, kLightGrey);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double width = 1.0 / kBars, left = static_cast<double>(i) * width;
    if (bars[i] > 0) panel.Bar(left, left + width, bars[i], Faded(kBlue, 0.6));
  }
  panel.Line(ends, one, kCalibrated);
  panel.Frame();
}

}  // namespace

double CalibrationHeight(const PlotInput& input) { return 1.8 + 0.42 * input.options.width_cm; }

PitValues CalibrationValues(const PlotInput& input) {
  const ForecastOptions options = input.Forecasts(Origin::kInitialState);
  PitValues all;
  const auto compare = [&](std::size_t trajectory, const Trajectory& seen) {
    if (seen.times.empty()) return;
    AddPitValues(input.posterior.Trajectory(trajectory, seen.times, options), seen.values, &all);
  };
  for (std::size_t n = 0; n < input.test.trajectories.size(); ++n) {
    compare(input.continued[n], input.test.trajectories[n]);
  }
  if (!input.test.trajectories.empty()) return all;
  for (std::size_t n : ChosenTrajectories(input)) {
    if (ObservationsOf(input, n) != nullptr) compare(n, *ObservationsOf(input, n));
  }
  return all;
}

void PlotCalibration(const PitValues& values, bool widened, Canvas* canvas) {
  const std::size_t n = values.with_noise.size();
  const Legend legend(
      canvas, {{widened ? "bands with noise, widened" : "bands with noise", LineKey(kWithNoise)},
               {"bands without noise", LineKey(kWithoutNoise)},
               {"95 % range if calibrated", BandKey(kLightGrey)},
               {Pluralise(n + values.missed, "value", "values")}});
  const Box area = legend.Draw(WholeArea(*canvas));
  const double middle = (area.left + area.right) / 2;
  Box left = area, right = area;
  left.right = middle - 3;
  right.left = middle + 3;
  DrawCoverage(values, OnePanel(canvas, left, {.label = "nominal level"}, {.label = "coverage"}));
  const std::vector<double> bars = Histogram(values.with_noise);
  const double error = kBars * SamplingError(1.0 / kBars, n);
  const double most = std::max(1 + error, *std::max_element(bars.begin(), bars.end()));
  DrawHistogram(bars, error,
                OnePanel(canvas, right, {.label = "PIT, with noise"},
                         {.to = 1.08 * most, .label = "density"}));
}

}  // namespace gpode::report
