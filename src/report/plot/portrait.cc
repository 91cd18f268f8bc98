#include "report/plot/portrait.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gpode/simulate.h"
#include "report/model_view.h"

namespace gpode::report {
namespace {

constexpr std::size_t kTimes = 401, kMostPaths = 20;
constexpr double kBarWidth = 6, kMargin = 0.12;

void HoldOthers(const PlotInput& input, const std::vector<std::string>& names, Portrait* p) {
  constexpr Eigen::Index kMostNamed = 4;
  const std::optional<Vector>& held = input.options.plane.held;
  p->held = held.value_or(input.model().coordinates.state_offset);
  std::vector<std::string> others;
  for (Eigen::Index d = 0; d < p->held.size(); ++d) {
    if (d == p->first || d == p->second) continue;
    others.push_back(fmt::format("{} = {:.3g}", names[static_cast<std::size_t>(d)], p->held[d]));
  }
  for (const std::string& text : input.options.plane.input_texts) others.push_back(text);
  if (std::ssize(others) > kMostNamed) {
    others = {held ? "other states held" : "other states in the middle of the data"};
  }
  p->others = fmt::format("{}", fmt::join(others, ", "));
}

// Returns the observations and the median forecast of a trajectory, in the user's units.
PlanePath PathOf(const PlotInput& input, std::size_t trajectory, const Portrait& p) {
  const Model& model = input.model();
  PlanePath path;
  if (const Trajectory* seen = ObservationsOf(input, trajectory)) {
    const Matrix states = model.ObservedStates(seen->values);
    path.seen_x = ColumnOf(states, p.first);
    path.seen_y = ColumnOf(states, p.second);
  }
  const double start = model.start_times[trajectory], end = model.end_times[trajectory];
  ForecastOptions options = input.Forecasts(Origin::kLatestState);
  options.states = true;
  const Forecast forecast = input.posterior.Trajectory(
      trajectory, RegularTimes(start, end > start ? end : start + 1, kTimes), options);
  const Matrix median = forecast.OfStates().Quantile(0.5);
  path.median_x = ColumnOf(median, p.first);
  path.median_y = ColumnOf(median, p.second);
  return path;
}

void SetAxes(const PlotInput& input, const std::vector<std::string>& names, Portrait* p) {
  Extent x, y;
  for (const PlanePath& path : p->paths) {
    for (const auto* part : {&path.seen_x, &path.median_x}) x.Add(*part);
    for (const auto* part : {&path.seen_y, &path.median_y}) y.Add(*part);
  }
  p->x = AxisOf(x, names[static_cast<std::size_t>(p->first)], kMargin);
  p->y = AxisOf(y, names[static_cast<std::size_t>(p->second)], kMargin);
  const PlaneOptions& plane = input.options.plane;
  if (plane.x_range) p->x.from = plane.x_range->from, p->x.to = plane.x_range->to;
  if (plane.y_range) p->y.from = plane.y_range->from, p->y.to = plane.y_range->to;
}

// Returns the prior variance of a state's derivative in the user's units.
double PriorVariance(const Model& model, Eigen::Index state) {
  const Matrix variances = model.parameters.AsMatrix("variances");
  const double unit = model.coordinates.SlopeUnit(static_cast<std::size_t>(state));
  // A network has no parameter for it. Derivatives are about one in the model's coordinates.
  if (variances.size() == 0) return unit * unit;
  return variances.data()[variances.size() > 1 ? state : 0] * unit * unit;
}

void EvaluateField(const PlotInput& input, Portrait* p) {
  const Matrix points = CellCentres(*p);
  const Matrix variance = input.posterior.FieldVariance(points, input.options.plane.inputs);
  const Vector shares = variance.col(p->first) / PriorVariance(input.model(), p->first) +
                        variance.col(p->second) / PriorVariance(input.model(), p->second);
  SetField(input.posterior.FieldMean(points, input.options.plane.inputs),
           (shares / 2).cwiseMax(0).cwiseSqrt(), p);
}

}  // namespace

double PhaseHeight(const PlotInput& input) { return 0.9 * input.options.width_cm; }

Portrait PortraitOf(const PlotInput& input) {
  Portrait portrait;
  const std::vector<std::string> names = StateNames(input.model());
  portrait.first = input.options.plane.first;
  portrait.second = input.options.plane.second;
  HoldOthers(input, names, &portrait);
  const std::vector<std::size_t> trajectories = ChosenTrajectories(input);
  for (std::size_t n : std::span(trajectories).first(std::min(trajectories.size(), kMostPaths))) {
    portrait.paths.push_back(PathOf(input, n, portrait));
  }
  if (trajectories.size() > kMostPaths) {
    portrait.thinned = fmt::format("first {} of {} trajectories", kMostPaths, trajectories.size());
  }
  SetAxes(input, names, &portrait);
  portrait.shading = input.model().parameters.Has("variances")
                         ? "uncertainty of the field (prior: 1)"
                         : "uncertainty of the field (its usual size: 1)";
  portrait.inducing.resize(0, 2);
  if (const Matrix inducing = InducingLocations(input.model()); inducing.size() > 0) {
    portrait.inducing.resize(inducing.rows(), 2);
    portrait.inducing << inducing.col(portrait.first), inducing.col(portrait.second);
  }
  EvaluateField(input, &portrait);
  return portrait;
}

Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas) {
  Box left = area;
  left.right -= kBarWidth + ColourBarRoom(*canvas);
  const Panel panel = OnePanel(canvas, left, portrait.x, portrait.y);
  const Box& inside = panel.inside();
  DrawShading(portrait, inside, canvas);
  DrawColourBar({left.right + 6, inside.top, left.right + 6 + kBarWidth, inside.bottom},
                portrait.shading, canvas);
  return panel;
}

}  // namespace gpode::report
