#include "portrait.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/simulate.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kTimes = 401, kMostPaths = 20;
constexpr double kBarWidth = 6, kFree = 0.12;

void ChooseStates(const PlotInput& input, const std::vector<std::string>& names, Portrait* p) {
  const Place place{"plot", "--states"};
  const std::vector<std::string>& chosen = input.arguments.states;
  if (names.size() < 2) {
    ThrowInput(
        "plot", "--kind",
        fmt::format("is {}, must be another for a model of one state", input.arguments.kind));
  }
  if (chosen.empty()) return;
  const std::string word = fmt::format("{}", fmt::join(chosen, ","));
  if (chosen.size() != 2 || chosen[0] == chosen[1]) {
    Refuse(place, word, "two different states");
  }
  p->first = static_cast<Eigen::Index>(FindState(place, word, chosen[0], names));
  p->second = static_cast<Eigen::Index>(FindState(place, word, chosen[1], names));
}

void HoldOthers(const PlotInput& input, const std::vector<std::string>& names, Portrait* p) {
  constexpr Eigen::Index kMostNamed = 4;
  p->held = input.model().state_offset;
  if (input.arguments.at) {
    const Place place{"plot", "--at"};
    for (const auto& [name, value] : ParseAssignments(place, *input.arguments.at)) {
      p->held[static_cast<Eigen::Index>(FindState(place, *input.arguments.at, name, names))] =
          ParseNumber(place, value);
    }
  }
  std::vector<std::string> others;
  for (Eigen::Index d = 0; d < p->held.size(); ++d) {
    if (d == p->first || d == p->second) continue;
    others.push_back(fmt::format("{} = {:.3g}", names[static_cast<std::size_t>(d)], p->held[d]));
  }
  if (std::ssize(others) > kMostNamed) {
    others = {input.arguments.at ? "other states held" : "other states in the middle of the data"};
  }
  p->others = fmt::format("{}", fmt::join(others, ", "));
}

// States of the model's coordinates in the user's units.
PlanePath PathOf(const PlotInput& input, std::size_t trajectory, const Portrait& p) {
  const Model& model = input.model();
  PlanePath path;
  if (const Trajectory* seen = SeenOf(input, trajectory)) {
    const Matrix states = InUserUnits(model, model.map.StatesOf(seen->values));
    path.seen_x = ColumnOf(states, p.first);
    path.seen_y = ColumnOf(states, p.second);
  }
  const double start = model.start_times[trajectory], end = model.end_times[trajectory];
  ForecastOptions options = input.Options(Origin::kLatestState);
  options.states = true;
  Forecast forecast = input.posterior.Trajectory(
      trajectory, RegularTimes(start, end > start ? end : start + 1, kTimes), options);
  forecast.draws = std::move(forecast.states);
  const Matrix median = forecast.Quantile(0.5);
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
  p->x = AxisOf(x, names[static_cast<std::size_t>(p->first)], kFree);
  p->y = AxisOf(y, names[static_cast<std::size_t>(p->second)], kFree);
  if (!input.arguments.window) return;
  const Place place{"plot", "--window"};
  const auto refuse = [&] {
    Refuse(place, *input.arguments.window,
           fmt::format("{}=FROM:TO,{}=FROM:TO with FROM below TO", p->x.label, p->y.label));
  };
  for (const auto& [name, range] : ParseAssignments(place, *input.arguments.window)) {
    Axis* const axis = name == p->x.label ? &p->x : name == p->y.label ? &p->y : nullptr;
    const std::size_t colon = range.find(':');
    if (axis == nullptr || colon == std::string::npos) refuse();
    axis->from = ParseNumber(place, range.substr(0, colon));
    axis->to = ParseNumber(place, range.substr(colon + 1));
    if (!(axis->from < axis->to)) refuse();
  }
}

// Centres of all cells, row by row from the top.
Matrix CellCentres(const Portrait& p) {
  constexpr Eigen::Index kSide = kCells + 2;
  Matrix points = p.held.transpose().replicate(kSide * kSide, 1);
  for (Eigen::Index i = 0; i < kSide; ++i) {
    for (Eigen::Index j = 0; j < kSide; ++j) {
      const double right = (static_cast<double>(j) - 0.5) / kCells,
                   down = (static_cast<double>(i) - 0.5) / kCells;
      points(i * kSide + j, p.first) = p.x.from + right * (p.x.to - p.x.from);
      points(i * kSide + j, p.second) = p.y.to - down * (p.y.to - p.y.from);
    }
  }
  return points;
}

// Of the prior of a state's derivative, in the user's units.
double PriorVariance(const Model& model, Eigen::Index state) {
  const Vector& variances = model.gp.variances;
  const double scale = model.state_scale[state] / model.time_scale;
  return variances[variances.size() > 1 ? state : 0] * scale * scale;
}

void EvaluateField(const PlotInput& input, Portrait* p) {
  constexpr Eigen::Index kSide = kCells + 2;
  const Matrix points = CellCentres(*p);
  const Matrix mean = input.posterior.FieldMean(points),
               variance = input.posterior.FieldVariance(points);
  const double prior_x = PriorVariance(input.model(), p->first),
               prior_y = PriorVariance(input.model(), p->second);
  p->slope_x.resize(kSide, kSide);
  p->slope_y.resize(kSide, kSide);
  p->uncertainty.resize(kSide, kSide);
  for (Eigen::Index k = 0; k < points.rows(); ++k) {
    const Eigen::Index i = k / kSide, j = k % kSide;
    p->slope_x(i, j) = mean(k, p->first) / (p->x.to - p->x.from);
    p->slope_y(i, j) = mean(k, p->second) / (p->y.to - p->y.from);
    const double share = variance(k, p->first) / prior_x + variance(k, p->second) / prior_y;
    p->uncertainty(i, j) = std::sqrt(std::max(0.0, share / 2));
  }
}

// From white to a light orange, on which lines of all other colours can be seen.
Colour ShadeOf(double uncertainty) {
  const double share = std::isfinite(uncertainty) ? 0.75 * std::clamp(uncertainty, 0.0, 1.0) : 0.75;
  const auto mix = [&](double to) { return 1 + share * (to - 1); };
  return {mix(kOrange.red), mix(kOrange.green), mix(kOrange.blue)};
}

void DrawColourBar(const Box& bar, Canvas* canvas) {
  Matrix shades(64, 1);
  for (Eigen::Index i = 0; i < shades.rows(); ++i) {
    shades(i, 0) = 1 - (static_cast<double>(i) + 0.5) / static_cast<double>(shades.rows());
  }
  canvas->Clip(bar);
  // Past both ends: the outermost shades would fade out there.
  const double more = bar.height() / 64;
  canvas->Image(
      {bar.left - bar.width(), bar.top - more / 2, bar.right + bar.width(), bar.bottom + more / 2},
      shades.replicate(1, 3), ShadeOf);
  canvas->Unclip();
  canvas->Outline(bar, {.width = 0.6});
  double widest = 0;
  for (const Tick& tick : TicksOf({}, 5)) {
    const double at = bar.bottom - tick.value * bar.height();
    const Point ends[] = {{bar.right, at}, {bar.right + 2.5, at}};
    canvas->Line(ends, {.width = 0.6});
    canvas->Text({bar.right + 5, at}, tick.text,
                 {Across::kLeft, Along::kMiddle, canvas->tick_size()});
    widest = std::max(widest, canvas->TextWidth(tick.text, canvas->tick_size()));
  }
  canvas->Text({bar.right + 8 + widest + canvas->size().font_size / 2, (bar.top + bar.bottom) / 2},
               canvas->Fitted("uncertainty of the field (prior: 1)", bar.height()),
               {Across::kCentre, Along::kMiddle, 0, true});
}

}  // namespace

double PhaseHeight(const PlotInput& input) { return 0.9 * input.arguments.width; }

Portrait PortraitOf(const PlotInput& input) {
  Portrait portrait;
  const std::vector<std::string> names = StateNames(input.model());
  ChooseStates(input, names, &portrait);
  HoldOthers(input, names, &portrait);
  const std::vector<std::size_t> trajectories = ChosenTrajectories(input);
  for (std::size_t n : std::span(trajectories).first(std::min(trajectories.size(), kMostPaths))) {
    portrait.paths.push_back(PathOf(input, n, portrait));
  }
  if (trajectories.size() > kMostPaths) {
    portrait.thinned = fmt::format("first {} of {} trajectories", kMostPaths, trajectories.size());
  }
  SetAxes(input, names, &portrait);
  const Matrix inducing = InUserUnits(input.model(), input.model().gp.inducing_locations);
  portrait.inducing.resize(inducing.rows(), 2);
  portrait.inducing << inducing.col(portrait.first), inducing.col(portrait.second);
  EvaluateField(input, &portrait);
  return portrait;
}

Point SlopeAt(const Portrait& portrait, const Point& shares) {
  const double right = shares.x * kCells + 0.5, down = (1 - shares.y) * kCells + 0.5;
  const auto cell = [](double at) {
    return std::clamp<Eigen::Index>(std::lround(std::floor(at)), 0, kCells);
  };
  const Eigen::Index j = cell(right), i = cell(down);
  const double r = right - static_cast<double>(j), d = down - static_cast<double>(i);
  const auto between = [&](const Matrix& v) {
    return (1 - d) * ((1 - r) * v(i, j) + r * v(i, j + 1)) +
           d * ((1 - r) * v(i + 1, j) + r * v(i + 1, j + 1));
  };
  return {between(portrait.slope_x), between(portrait.slope_y)};
}

Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas) {
  const double bar_room =
      kBarWidth + 14 + canvas->TextWidth("0.0", canvas->tick_size()) + canvas->size().font_size;
  Box left = area;
  left.right -= bar_room;
  const Panel panel = OnePanel(canvas, left, portrait.x, portrait.y);
  const Box& inside = panel.inside();
  const double cell_x = inside.width() / kCells, cell_y = inside.height() / kCells;
  canvas->Clip(inside);
  canvas->Image(
      {inside.left - cell_x, inside.top - cell_y, inside.right + cell_x, inside.bottom + cell_y},
      portrait.uncertainty, ShadeOf);
  canvas->Unclip();
  DrawColourBar({left.right + 6, inside.top, left.right + 6 + kBarWidth, inside.bottom}, canvas);
  return panel;
}

}  // namespace gpode::tool
