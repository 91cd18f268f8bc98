#include "report/page/report_insight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyse/support.h"
#include "gpode/analysis.h"
#include "gpode/design.h"
#include "gpode/error.h"
#include "gpode/explain.h"
#include "gpode/simulate.h"
#include "report/model_view.h"
#include "report/page/report_data.h"
#include "report/plot/design_plot.h"
#include "report/plot/dynamics_plot.h"
#include "report/state_text.h"

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLeastShown = 0.01;  // terms of lower probability are not listed
constexpr std::size_t kDesignDraws = 512, kCandidates = 40, kTargets = 20, kListed = 8;
// The starts of new trajectories: points along each of two states or along one.
constexpr std::size_t kStartSide = 6, kStartLine = 12, kStartTimes = 5;
constexpr std::size_t kMostStartStates = 2;

std::string Show(const QuantityBand& band) {
  if (std::isnan(band.median)) return "";
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", band.median, band.lower, band.upper);
}

Json Table(const std::string& title, const std::vector<std::string>& head, Json rows,
           const std::string& note = "") {
  return {{"title", title}, {"head", head}, {"rows", std::move(rows)}, {"note", note}};
}

// Returns a picture as an image that a page can show.
template <typename Draw>
Json Picture(const std::string& title, double height, const Draw& draw) {
  constexpr double kWidth = 460, kFontSize = 9.5;
  Canvas canvas(Format::kSvg, {kWidth, height, kFontSize});
  draw(&canvas);
  const std::vector<std::byte> bytes = canvas.Finish();
  return {{"title", title},
          {"svg", Base64({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()})}};
}

std::string TypesText(const PointSummary& point) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < point.types.size(); ++t) {
    if (point.types[t] < 0.005) continue;
    parts.push_back(fmt::format("{} {:.2f}", Name(static_cast<FixedPointType>(t)), point.types[t]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json PointsTable(const Analysis& a) {
  std::vector<std::string> head = {"", "probability"};
  for (const std::string& state : a.states) head.push_back(state);
  for (const char* column : {"type", "stable", "leading eigenvalue"}) head.emplace_back(column);
  Json rows = Json::array();
  for (std::size_t g = 0; g < a.points.size(); ++g) {
    const PointSummary& point = a.points[g];
    Json row = {std::to_string(g + 1), fmt::format("{:.2f}{}", point.probability,
                                                   point.outside_data ? ", outside the data" : "")};
    for (const QuantityBand& place : point.place) row.push_back(Show(place));
    row.push_back(TypesText(point));
    row.push_back(fmt::format("{:.2f}", point.stable));
    row.push_back(Show(point.real[0]) + (point.imaginary[0].median != 0
                                             ? fmt::format(" ± {:.4g}i", point.imaginary[0].median)
                                             : ""));
    rows.push_back(std::move(row));
  }
  return Table(
      "Fixed points", head, std::move(rows),
      fmt::format("Medians with {:g} % bands. Types and stability are probabilities if the "
                  "point exists. Outside the data, the answer depends on the prior.",
                  100 * a.level));
}

Json CyclesTable(const Analysis& a) {
  const OscillationSummary& o = a.oscillation;
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) rows.push_back({name, value});
  };
  add("oscillates", fmt::format("probability {:.2f}", o.probability));
  add("a limit cycle attracts", fmt::format("probability {:.2f}", o.cycle_probability));
  add("period", Show(o.period));
  for (std::size_t d = 0; d < o.amplitude.size(); ++d) {
    add("amplitude of " + a.states[d], Show(o.amplitude[d]));
  }
  add("largest Floquet multiplier", Show(o.multiplier));
  add("ends from the last state of the data",
      fmt::format("fixed point {:.2f}, limit cycle {:.2f}, leaves {:.2f}, keeps moving {:.2f}",
                  a.fates[0], a.fates[1], a.fates[2], a.fates[3]));
  return Table("Oscillations", {"", ""}, std::move(rows));
}

Json ExponentsTable(const ExponentSummary& e) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < e.exponents.size(); ++i) {
    rows.push_back({std::to_string(i + 1), Show(e.exponents[i])});
  }
  const std::string note =
      e.positive > 0
          ? fmt::format("Chaotic with probability {:.2f}; forecasts are useful for about {}.",
                        e.positive, Show(e.horizon))
          : "";
  return Table("Lyapunov exponents", {"", "exponent"}, std::move(rows), note);
}

Json EnergyTable(const Analysis& a) {
  const EnergySummary& e = a.energy;
  Json rows = Json::array();
  rows.push_back({"at the start of the data", Show(e.first)});
  rows.push_back({"at the end of the data", Show(e.last)});
  rows.push_back({"drift", Show(e.drift)});
  if (!e.IsConserved()) rows.push_back({"rate of loss", Show(e.loss)});
  return Table(e.IsConserved() ? "Energy, conserved" : "Energy, with a loss", {"", "energy"},
               std::move(rows), fmt::format("Zero at {}.", StateText(a.states, e.zero)));
}

Json DynamicsSection(const TrainedModel& trained, const Posterior& posterior,
                     const InsightOptions& options) {
  const Analysis a = AnalysePosterior(posterior, trained.data,
                                      {.draws = options.draws,
                                       .seed = options.seed,
                                       .threads = options.threads,
                                       .report = options.report});
  Json section = {
      {"id", "dynamics"},
      {"title", "Dynamics"},
      {"intro", fmt::format("Fixed points, oscillations and Lyapunov exponents of {} of "
                            "the field.",
                            Pluralise(a.draws, "draw", "draws"))}};
  section["tables"] = Json::array();
  if (!a.points.empty()) section["tables"].push_back(PointsTable(a));
  section["tables"].push_back(CyclesTable(a));
  if (!a.exponents.exponents.empty()) section["tables"].push_back(ExponentsTable(a.exponents));
  if (a.energy.draws > 0) section["tables"].push_back(EnergyTable(a));
  if (a.points.empty()) {
    section["texts"].push_back({{"title", "Fixed points"},
                                {"text", "None in the region has a probability of 0.05 or more."}});
  }
  if (a.states.size() < 2) return section;
  section["pictures"].push_back(
      Picture(a.basins.cells > 0 ? "Basins, nullclines, limit cycles and fixed points"
                                 : "Limit cycles and fixed points",
              400, [&](Canvas* canvas) {
                PlotDynamics({a, posterior, Support(posterior, trained.data).states()}, canvas);
              }));
  return section;
}

Json EquationsSection(const TrainedModel& trained, const Posterior& posterior,
                      const InsightOptions& options) {
  constexpr std::size_t kMostTerms = 60, kDraws = 64;
  const std::vector<std::string> variables = ExplainVariables(trained.model);
  TermLibrary library;
  for (std::size_t degree = 3; degree > 0; --degree) {
    library = PolynomialTerms(variables, degree);
    if (library.names.size() <= kMostTerms) break;
  }
  const Explanation found =
      ExplainModel(posterior, trained.data, library,
                   {.draws = kDraws, .seed = options.seed, .threads = options.threads});
  Json section = {{"id", "equations"},
                  {"title", "Readable equations"},
                  {"intro",
                   "Polynomials that come closest to the field, by sparse regression over "
                   "draws of the posterior."}};
  section["texts"] = Json::array();
  section["tables"] = Json::array();
  std::string formulas;
  for (std::size_t d = 0; d < found.equations.size(); ++d) {
    const EquationSummary& equation = found.equations[d];
    formulas += fmt::format("d{}/dt = {}    explains {:.1f} % of the field at the data\n",
                            equation.state, FormulaText(found, d), 100 * equation.explained);
    Json rows = Json::array();
    for (std::size_t k = 0; k < equation.terms.size(); ++k) {
      const TermSummary& term = equation.terms[k];
      if (term.probability < kLeastShown) continue;
      rows.push_back({library.names[k], fmt::format("{:.3f}", term.probability), Show(term.band)});
    }
    section["tables"].push_back(Table(fmt::format("Terms of d{}/dt", equation.state),
                                      {"term", "probability", "coefficient"}, std::move(rows)));
  }
  section["texts"].push_back({{"title", "Formulas"}, {"text", formulas}});
  section["texts"].push_back(
      {{"title", "The same for gpode fit --equations"}, {"text", EquationsText(found)}});
  return section;
}

// Adds the best new starts if the field in the region of the data shall be known better.
void AddStarts(const TrainedModel& trained, const Posterior& posterior,
               const InsightOptions& options, Json* section) {
  if (posterior.dim() > kMostStartStates) return;
  const double span = trained.model.end_times[0] - trained.model.start_times[0];
  const std::size_t side = posterior.dim() == 2 ? kStartSide : kStartLine;
  const Design design = DesignMeasurements(
      posterior, trained.data,
      {.starts = GridPoints(DefaultBox(posterior, trained.data), side),
       .start_times = RegularTimes(0, 0.25 * (span > 0 ? span : 1), kStartTimes + 1),
       .target = DesignTarget::kField,
       .batch = 3,
       .draws = std::max(options.draws, kDesignDraws),
       .seed = options.seed,
       .threads = options.threads});
  const auto rows = [&](const std::vector<DesignCandidate>& list) {
    Json all = Json::array();
    for (const DesignCandidate& one : std::span(list).first(std::min(list.size(), kListed))) {
      const auto row = static_cast<Eigen::Index>(*one.start);
      all.push_back({StateText(design.states, design.starts.row(row).transpose()),
                     fmt::format("{:.1f} %", 100 * one.reduction)});
    }
    return all;
  };
  const std::vector<std::string> head = {"start", "reduction of the variance"};
  (*section)["tables"].push_back(
      Table("Best new starts, for the field", head, rows(design.ranked),
            fmt::format("How much the variance of the field in the region shrinks on average by a "
                        "new trajectory that is observed {} times up to {:.3g} after its start.",
                        kStartTimes + 1, 0.25 * span)));
  (*section)["tables"].push_back(Table("Best three new starts together", head, rows(design.batch)));
  (*section)["pictures"].push_back(
      Picture("Expected reduction of the field's variance by new starts", 320, [&](Canvas* canvas) {
        PlotDesign(design, Support(posterior, trained.data).states(), TimeOf(trained.data).Label(),
                   canvas);
      }));
}

Json DesignSection(const TrainedModel& trained, const Posterior& posterior,
                   const InsightOptions& options) {
  const double start = trained.model.start_times[0], end = trained.model.end_times[0];
  const double until = end + 0.5 * (end > start ? end - start : 1);
  const Design design = DesignMeasurements(posterior, trained.data,
                                           {.times = RegularTimes(end, until, kCandidates),
                                            .targets = RegularTimes(end, until, kTargets),
                                            .batch = 3,
                                            .draws = std::max(options.draws, kDesignDraws),
                                            .seed = options.seed,
                                            .threads = options.threads});
  const Calendar& calendar = trained.data.calendar;
  const auto rows = [&](const std::vector<DesignCandidate>& list) {
    Json all = Json::array();
    for (const DesignCandidate& one : std::span(list).first(std::min(list.size(), kListed))) {
      all.push_back({ShowTime(one.time, calendar), fmt::format("{:.1f} %", 100 * one.reduction)});
    }
    return all;
  };
  Json section = {{"id", "design"},
                  {"title", "Where to measure next"},
                  {"intro",
                   "How much the variance of the forecast shrinks on average by one more "
                   "observation of all channels."}};
  const std::vector<std::string> head = {"time", "reduction of the variance"};
  section["tables"] = {
      Table("Best single observations", head, rows(design.ranked)),
      Table("Best three together", head, rows(design.batch),
            "Each reduction is in addition to those of the observations above it.")};
  section["pictures"].push_back(Picture("Expected reduction", 260, [&](Canvas* canvas) {
    PlotDesign(design, Support(posterior, trained.data).states(), TimeOf(trained.data).Label(),
               canvas);
  }));
  if (trained.model.coordinates.inputs() == 0) AddStarts(trained, posterior, options, &section);
  return section;
}

}  // namespace

Json InsightJson(const TrainedModel& trained, const InsightOptions& options) {
  Json sections = Json::array();
  if (!options.Any()) return sections;
  if (trained.data.trajectories.empty()) {
    ThrowInput("report", "--with", "needs a model with the data that it was learnt from");
  }
  if (options.design && !trained.model.inputs.empty()) {
    ThrowInput("report", "--with design", "needs a model without measured inputs");
  }
  const Posterior posterior(trained.model);
  if (options.dynamics) sections.push_back(DynamicsSection(trained, posterior, options));
  if (options.equations) sections.push_back(EquationsSection(trained, posterior, options));
  if (options.design) sections.push_back(DesignSection(trained, posterior, options));
  return sections;
}

}  // namespace gpode::report
