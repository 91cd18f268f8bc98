// Figures of the coverage of bands by horizon, and histograms of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/figures/paper_figures.h"
#include "experiments/run_file.h"

namespace gpode::experiments {
namespace {

using namespace report;

const Stroke kNominal{.colour = kGrey, .width = 0.6, .dashes = {3, 2}};
constexpr std::array kColours = {kBlue, kVermillion, kGreen, kPurple, kOrange, kSkyBlue, kBlack};

struct Level {
  double nominal;
  double BandScores::*truth;
  double BandScores::*observed;
};
constexpr std::array<Level, 3> kLevels = {
    {{0.5, &BandScores::truth_50, &BandScores::observed_50},
     {0.9, &BandScores::truth_90, &BandScores::observed_90},
     {0.95, &BandScores::truth_95, &BandScores::observed_95}}};

std::vector<MethodSummary> ReadSummaries(const std::filesystem::path& results) {
  std::vector<RunRecord> runs;
  for (const TaskInfo& task : AllTasks()) {
    if (task.kind != TaskKind::kCalibration) continue;
    std::ranges::move(ReadTaskRuns(results, task.name), std::back_inserter(runs));
  }
  return WithMeans(SummariseRuns(runs));
}

// Returns the different values of a property in the order in which they first appear.
template <typename PropertyOf>
std::vector<std::string> Distinct(const std::vector<MethodSummary>& summaries, PropertyOf of) {
  std::vector<std::string> values;
  for (const MethodSummary& s : summaries) {
    if (std::ranges::find(values, of(s)) == values.end()) values.push_back(of(s));
  }
  return values;
}

std::vector<std::string> MethodsIn(const std::vector<MethodSummary>& summaries) {
  return Distinct(summaries, [](const MethodSummary& s) { return s.method; });
}

Colour ColourOf(const std::string& method, const std::vector<std::string>& methods) {
  const auto place = std::ranges::find(methods, method) - methods.begin();
  return kColours[static_cast<std::size_t>(place) % kColours.size()];
}

bool KnowsTruth(const MethodSummary& s) {
  return s.calibration->all.Of(&BandScores::truth_90).runs > 0;
}

// Returns true if a summary is the mean of its group, or that of the method's only task in the
// group.
bool StandsForGroup(const MethodSummary& s, const std::vector<MethodSummary>& summaries) {
  return s.task.name == s.task.group ||
         std::ranges::count_if(summaries, [&](const MethodSummary& other) {
           return other.task.group == s.task.group && other.method == s.method;
         }) == 1;
}

// Draws the coverage of one summary against the horizon. If the truth is known, the horizon 0 has
// the coverage at the training times.
void DrawCoverage(const MethodSummary& s, const Level& level, const Stroke& stroke, bool marks,
                  const Panel& panel) {
  const bool truth = KnowsTruth(s);
  std::vector<double> horizon, coverage;
  const auto add = [&](double at, const BandSummary& bands) {
    const Summary& summary = bands.Of(truth ? level.truth : level.observed);
    if (summary.runs == 0) return;
    horizon.push_back(at);
    coverage.push_back(summary.mean);
  };
  add(0, s.calibration->seen);
  for (std::size_t k = 0; k < kHorizons; ++k) {
    add(static_cast<double>(k + 1), s.calibration->horizon[k]);
  }
  panel.Line(horizon, coverage, stroke);
  if (marks) panel.Marks(horizon, coverage, {.colour = stroke.colour, .radius = 1.6});
}

PaperFigure DrawHorizons(const std::vector<MethodSummary>& summaries) {
  const std::vector<std::string> methods = MethodsIn(summaries),
                                 groups = Distinct(
                                     summaries, [](const MethodSummary&s) { return s.task.group; });
  std::vector<LegendItem> items;
  for (const std::string& method : methods) {
    items.push_back({method, LineKey({.colour = ColourOf(method, methods), .width = 1.4})});
  }
  items.push_back({"mean of the group; thin: its systems or series"});
  items.push_back({"nominal", LineKey(kNominal)});
  PaperFigure figure{"calibration-horizon.svg",
                     PaperCanvas(18 + 45 * static_cast<double>(groups.size()))};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, items).Draw(WholeArea(*canvas));
  std::vector<GridCell> cells;
  for (const std::string& group : groups) {
    const auto own = std::ranges::find_if(
        summaries, [&](const MethodSummary& s) { return s.task.group == group; });
    for (const Level& level : kLevels) {
      const Axis x{
          .from = -0.2, .to = 3.2, .label = "data (0), third of the horizon", .whole = true};
      Axis y{.from = 0,
             .to = 1.02,
             .label = KnowsTruth(*own) ? "truth covered" : "observations covered"};
      y.bare = &level != kLevels.begin();
      cells.push_back({x, y, fmt::format("{}, {:g} % bands", group, 100 * level.nominal)});
    }
  }
  const std::vector<Panel> panels = GridPanels(canvas, area, kLevels.size(), cells);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string& group = groups[i / kLevels.size()];
    const Level& level = kLevels[i % kLevels.size()];
    const double ends[] = {-0.2, 3.2}, nominal[] = {level.nominal, level.nominal};
    panels[i].Line(ends, nominal, kNominal);
    for (const bool mean : {false, true}) {
      for (const MethodSummary& s : summaries) {
        if (s.task.group != group || StandsForGroup(s, summaries) != mean) continue;
        const Colour colour = ColourOf(s.method, methods);
        DrawCoverage(s, level,
                     mean ? Stroke{.colour = colour, .width = 1.4}
                          : Stroke{.colour = Faded(colour, 0.35), .width = 0.5},
                     mean, panels[i]);
      }
    }
    panels[i].Frame();
  }
  return figure;
}

// Draws a histogram of ranks, and the range that contains 99 % of a bin's counts if ranks are
// uniform, by the normal approximation.
void DrawRanks(const RankSummary& ranks, const Panel& panel, const Colour& colour) {
  constexpr double kNormal99 = 2.576, kShare = 1.0 / kRankBins;
  const auto runs = static_cast<double>(ranks.runs());
  const double mean = runs * kShare, error = kNormal99 * std::sqrt(runs * kShare * (1 - kShare));
  const double ends[] = {0, 1}, low[] = {mean - error, mean - error},
               high[] = {mean + error, mean + error}, middle[] = {mean, mean};
  panel.Band(ends, low, high, kLightGrey);
  for (std::size_t i = 0; i < kRankBins; ++i) {
    const double left = static_cast<double>(i) * kShare;
    if (ranks.counts[i] == 0) continue;
    panel.Bar(left, left + kShare, static_cast<double>(ranks.counts[i]), Faded(colour, 0.6));
  }
  panel.Line(ends, middle, kNominal);
  panel.Frame();
}

PaperFigure DrawRankHistograms(const MethodSummary& s, std::size_t number, const Colour& colour) {
  constexpr std::size_t kColumns = 4;
  const std::size_t rows = (s.ranks.size() + kColumns - 1) / kColumns;
  PaperFigure figure{fmt::format("calibration-ranks-{}.svg", number),
                     PaperCanvas(12 + 33 * static_cast<double>(rows))};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, {{fmt::format("{}, {} data sets", s.method, s.runs)},
                                   {"99 % range if calibrated", BandKey(kLightGrey)}})
                       .Draw(WholeArea(*canvas));
  double most = 0;
  for (const RankSummary& ranks : s.ranks) {
    most = std::max(most, static_cast<double>(*std::ranges::max_element(ranks.counts)));
  }
  std::vector<GridCell> cells;
  for (const RankSummary& ranks : s.ranks) {
    Axis y{.from = 0, .to = 1.1 * most, .label = "data sets", .whole = true};
    y.bare = cells.size() % kColumns > 0;
    cells.push_back({{.label = "rank / draws", .marks = {0.25, 0.5, 0.75}}, y, ranks.quantity});
  }
  const std::vector<Panel> panels = GridPanels(canvas, area, kColumns, cells);
  for (std::size_t i = 0; i < panels.size(); ++i) DrawRanks(s.ranks[i], panels[i], colour);
  return figure;
}

}  // namespace

PaperFigures DrawCalibration(const std::filesystem::path& results) {
  const std::vector<MethodSummary> summaries = ReadSummaries(results);
  PaperFigures figures;
  if (summaries.empty()) return figures;
  figures.push_back(DrawHorizons(summaries));
  const std::vector<std::string> methods = MethodsIn(summaries);
  std::size_t number = 0;
  for (const MethodSummary& s : summaries) {
    if (s.ranks.empty()) continue;
    figures.push_back(DrawRankHistograms(s, ++number, ColourOf(s.method, methods)));
  }
  return figures;
}

}  // namespace gpode::experiments
