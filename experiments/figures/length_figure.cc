// The figure of scores against the length of the training series, for several noise variances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <set>

#include "experiments/figures/paper_figures.h"
#include "experiments/paper_tasks.h"
#include "experiments/tasks.h"

namespace gpode::experiments {
namespace {

using namespace report;

// The height of the space without scores at the top of a panel, and of the strip in it in which
// failures are marked, both relative to the height of the panel.
constexpr double kFreeOfScores = 0.13, kStripHeight = 0.1;
const Stroke kFloor{.colour = kBlack, .width = 0.7, .dashes = {1, 1.5}},
    kConstant{.colour = kGrey, .width = 0.7, .dashes = {4, 1.5}};

// The runs of one length and one noise variance.
struct Setting {
  double length = 0, noise = 0;
  std::vector<PaperRun> runs = {};
};

// Returns the setting of a task long-LENGTH-NOISE.
Setting SettingOf(const std::string& task) {
  const std::size_t first = task.find('-'), second = task.rfind('-');
  const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  return {number(task.substr(first + 1, second - first - 1)), number(task.substr(second + 1))};
}

struct Score {
  const char* name;
  double PaperRun::*value;
  bool logarithmic;
  // The score of the truth with the true noise, and that of a constant forecast with the mean and
  // variance of the training data.
  double (*floor)(const Setting&);
  double (*constant)(const Setting&);
};

double FloorMnll(const Setting& s) { return 0.5 * std::log(2 * std::numbers::pi * s.noise); }

// Returns the mean of score(error, variance) over all test values for a constant forecast with the
// mean and variance of the training data.
template <typename ScoreOf>
double ConstantScore(const Setting& s, ScoreOf score) {
  const PaperTask task = LongVanDerPol(static_cast<std::size_t>(s.length), s.noise);
  const Matrix& seen = task.data.trajectories.front().values;
  double sum = 0;
  for (Eigen::Index d = 0; d < seen.cols(); ++d) {
    const double mean = seen.col(d).mean(), variance = (seen.col(d).array() - mean).square().mean();
    for (double value : task.test_values.col(d)) sum += score(value - mean, variance);
  }
  return sum / static_cast<double>(task.test_values.size());
}

double ConstantMse(const Setting& s) {
  return ConstantScore(s, [](double error, double) { return error * error; });
}

double ConstantMnll(const Setting& s) {
  return ConstantScore(s, [](double error, double variance) {
    return 0.5 * (std::log(2 * std::numbers::pi * variance) + error * error / variance);
  });
}

constexpr Score kScores[] = {
    {"MNLL", &PaperRun::mnll, false, FloorMnll, ConstantMnll},
    {"MSE", &PaperRun::mse, true, [](const Setting&) { return std::nan(""); }, ConstantMse}};

// A summary of the runs of one method in one setting. Mean and error leave out the runs that
// failed.
struct RunSummary {
  double mean = NAN, error = 0;  // the mean and its standard error
  std::size_t failed = 0;
};

RunSummary SummaryOf(const Setting& setting, const std::string& method, const Score& score,
                     double most) {
  RunSummary summary;
  std::vector<double> good;
  for (const PaperRun& run : setting.runs) {
    if (run.model != method) continue;
    const double value = run.*score.value;
    value <= most&& value > -HUGE_VAL ? good.push_back(value) : void(++summary.failed);
  }
  const auto n = static_cast<double>(good.size());
  if (good.empty()) return summary;
  summary.mean = 0;
  for (double value : good) summary.mean += value / n;
  double squares = 0;
  for (double value : good) squares += (value - summary.mean) * (value - summary.mean);
  if (n > 1) summary.error = std::sqrt(squares / (n * (n - 1)));
  return summary;
}

// A row of panels, which shows one score for all noise variances.
struct ScoreRow {
  const Score* score;
  double most = 0;  // Larger scores count as failures.
  Axis y = {};
};

// Returns the largest score that does not count as a failure. On a linear axis, it is the score of
// the worst constant forecast plus one; on a logarithmic axis, it is three times that score.
double MostOf(const Score& score, const std::vector<Setting>& settings) {
  double most = -HUGE_VAL;
  for (const Setting& s : settings) most = std::max(most, score.constant(s));
  return score.logarithmic ? 3 * most : most + 1;
}

ScoreRow RowOf(const Score& score, const std::vector<Setting>& settings,
               const std::vector<std::string>& methods) {
  ScoreRow row{.score = &score, .most = MostOf(score, settings)};
  Extent extent;
  for (const Setting& s : settings) {
    extent.Add(score.floor(s));
    extent.Add(score.constant(s));
    for (const std::string& method : methods) {
      const RunSummary summary = SummaryOf(s, method, score, row.most);
      extent.Add(summary.mean + summary.error);
      const double low = summary.mean - summary.error;
      extent.Add(score.logarithmic && !(low > 0) ? summary.mean : low);
    }
  }
  row.y = AxisOf(extent, score.name);
  if (score.logarithmic && extent.least > 0) {
    const double span = std::max(0.1, std::log(extent.most / extent.least));
    row.y.logarithmic = true;
    row.y.from = extent.least * std::exp(-0.05 * span);
    row.y.to = extent.most * std::exp(span * (0.05 + kFreeOfScores));
  } else {
    row.y.to += kFreeOfScores * (row.y.to - row.y.from);
  }
  return row;
}

// Returns the horizontal shift of a method, which keeps error bars from covering each other.
double Shift(std::size_t method, std::size_t methods) {
  constexpr double kWidest = 6, kApart = 1.2;  // in units of the lengths
  const auto n = static_cast<double>(methods);
  return (static_cast<double>(method) - (n - 1) / 2) * std::min(kApart, kWidest / n);
}

void DrawMethod(const std::vector<Setting>& settings, const ScoreRow& row,
                const std::string& method, double shift, const Panel& panel, Canvas* canvas) {
  const MethodStyle style = StyleOf(method);
  const Mark mark{.shape = style.shape, .colour = style.stroke.colour, .radius = 2};
  std::vector<double> at, means;
  for (const Setting& s : settings) {
    const RunSummary summary = SummaryOf(s, method, *row.score, row.most);
    at.push_back(s.length + shift);
    means.push_back(summary.mean);
    const double ends_x[] = {at.back(), at.back()},
                 ends_y[] = {std::max(summary.mean - summary.error, row.y.from),
                             summary.mean + summary.error};
    panel.Line(ends_x, ends_y, {.colour = style.stroke.colour, .width = 0.8});
    if (summary.failed > 0) {
      const Box& inside = panel.inside();
      canvas->Draw(
          {panel.At(at.back(), row.y.from).x, inside.top + kStripHeight / 2 * inside.height()},
          {.shape = MarkShape::kCross, .colour = style.stroke.colour, .radius = 2.2});
    }
  }
  panel.Line(at, means, style.stroke);
  panel.Marks(at, means, mark);
}

void DrawReference(const std::vector<Setting>& settings, const ScoreRow& row, const Panel& panel) {
  std::vector<double> at, floor, constant;
  for (const Setting& s : settings) {
    at.push_back(s.length);
    floor.push_back(row.score->floor(s));
    constant.push_back(row.score->constant(s));
  }
  panel.Line(at, floor, kFloor);
  panel.Line(at, constant, kConstant);
}

void DrawPanel(const std::vector<Setting>& settings, const ScoreRow& row,
               const std::vector<std::string>& methods, const Panel& panel, Canvas* canvas) {
  Box strip = panel.inside();
  strip.bottom = strip.top + kStripHeight * strip.height();
  canvas->Rectangle(strip, kLightGrey);
  DrawReference(settings, row, panel);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    DrawMethod(settings, row, methods[i], Shift(i, methods.size()), panel, canvas);
  }
  panel.Frame();
}

Key MethodKey(const MethodStyle& style) {
  const Key line = LineKey(style.stroke),
            mark = MarkKey({.shape = style.shape, .colour = style.stroke.colour, .radius = 2});
  const auto draw = [line, mark](Canvas* canvas, const Box& box) {
    line.draw(canvas, box);
    mark.draw(canvas, box);
  };
  return {draw, 2.2};
}

std::vector<LegendItem> LegendOf(const std::vector<std::string>& methods) {
  std::vector<LegendItem> items;
  for (const std::string& method : methods) {
    items.push_back({StyleOf(method).title, MethodKey(StyleOf(method))});
  }
  items.push_back({"mean of runs ± standard error", UprightLineKey({.colour = kGrey})});
  items.push_back({"MNLL of the truth with its noise", LineKey(kFloor)});
  items.push_back({"constant forecast: mean and variance of the data", LineKey(kConstant)});
  const auto failed = [](Canvas* canvas, const Box& box) {
    canvas->Rectangle(box, kLightGrey);
    canvas->Draw({(box.left + box.right) / 2, (box.top + box.bottom) / 2},
                 {.shape = MarkShape::kCross, .colour = kGrey, .radius = 2.2});
  };
  items.push_back(
      {"runs failed: score not finite, "
       "MNLL 1 above or MSE 3 times the worst constant forecast's; means are of the other runs",
       {failed, 1.6}});
  return items;
}

std::vector<Setting> AllSettings(const std::filesystem::path& results) {
  std::vector<Setting> settings;
  for (const TaskInfo& task : AllTasks()) {
    if (task.kind != TaskKind::kLong) continue;
    Setting setting = SettingOf(task.name);
    setting.runs = RunsOfTask(results, task.name);
    if (!setting.runs.empty()) settings.push_back(setting);
  }
  std::sort(settings.begin(), settings.end(),
            [](const Setting& a, const Setting& b) { return a.length < b.length; });
  return settings;
}

std::vector<std::string> MethodsIn(const std::vector<Setting>& settings) {
  std::vector<PaperRun> all;
  for (const Setting& s : settings) all.insert(all.end(), s.runs.begin(), s.runs.end());
  return MethodsOf(all);
}

Axis LengthAxis(const std::vector<Setting>& settings) {
  Extent extent;
  std::set<double> lengths;
  for (const Setting& s : settings) {
    extent.Add(s.length);
    lengths.insert(s.length);
  }
  // The margins have room for the shifts of methods.
  constexpr double kBeside = 6;
  return {.from = extent.least - kBeside,
          .to = extent.most + kBeside,
          .label = "length T of the training series",
          .marks = {lengths.begin(), lengths.end()}};
}

// Returns the settings of one noise variance, in the given order.
std::vector<Setting> OfNoise(const std::vector<Setting>& settings, double noise) {
  std::vector<Setting> chosen;
  for (const Setting& s : settings) {
    if (s.noise == noise) chosen.push_back(s);
  }
  return chosen;
}

PaperFigure DrawSettings(const std::vector<Setting>& settings) {
  const std::vector<std::string> methods = MethodsIn(settings);
  std::set<double> noises;
  for (const Setting& s : settings) noises.insert(s.noise);
  std::vector<GridCell> cells;
  for (const Score& score : kScores) {
    const ScoreRow row = RowOf(score, settings, methods);
    for (double noise : noises) {
      const bool top = &score == std::begin(kScores);
      cells.push_back({LengthAxis(settings), row.y,
                       top ? fmt::format("noise variance {:g}", noise) : std::string()});
      cells.back().x.bare = &score + 1 != std::end(kScores);
      cells.back().y.bare = noise != *noises.begin();
    }
  }
  PaperFigure figure{"sequence-length.svg", PaperCanvas(110)};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, LegendOf(methods)).Draw(WholeArea(*canvas));
  const std::vector<Panel> panels = GridPanels(canvas, area, noises.size(), cells);
  std::size_t i = 0;
  for (const Score& score : kScores) {
    const ScoreRow row = RowOf(score, settings, methods);
    for (double noise : noises) {
      DrawPanel(OfNoise(settings, noise), row, methods, panels[i++], canvas);
    }
  }
  return figure;
}

}  // namespace

PaperFigures DrawSequenceLength(const std::filesystem::path& results) {
  const std::vector<Setting> settings = AllSettings(results);
  PaperFigures figures;
  if (!settings.empty()) figures.push_back(DrawSettings(settings));
  return figures;
}

}  // namespace gpode::experiments
