#include "fit_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gpode/options.h"
#include "gpode/summary.h"
#include "gpode/unknown_function.h"
#include "model_input.h"
#include "output.h"
#include "predict/summarise_remarks.h"
#include "report/draw/printable.h"
#include "report/model_view.h"
#include "run/choose_options.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostRows = 12;

std::size_t StepsTaken(const TrainedModel& trained) {
  return trained.history.empty() ? 0 : trained.history.back().step + 1;
}

void PrintChannels(const FitQuality& quality, bool all) {
  constexpr std::size_t kWidest = 24;
  std::size_t width = 7;
  for (const ChannelFit& fit : quality.channels) width = std::max(width, fit.name.size());
  width = std::min(width, kWidest);
  Print("residuals of the training data, which say nothing about forecasts\n\n");
  Print("  {:<{}}  {:>8} {:>10} {:>10} {:>10} {:>10} {:>14}\n", "channel", width, "values",
        "spread", "residual", "noise", "explained", "inside 90 %");
  std::size_t rows = 0;
  for (const ChannelFit& fit : quality.channels) {
    if (++rows > kMostRows && !all) {
      Print("  ... and {} more (--verbose shows all)\n", quality.channels.size() - kMostRows);
      break;
    }
    if (fit.values == 0) {
      Print("  {:<{}}  {:>8} {:>10.4g} {:>10} {:>10.4g} {:>10} {:>14}\n",
            report::Shortened(fit.name, kWidest), width, 0, fit.spread, "-", fit.noise, "-", "-");
      continue;
    }
    Print("  {:<{}}  {:>8} {:>10.4g} {:>10.4g} {:>10.4g} {:>8.1f} % {:>12.0f} %\n",
          report::Shortened(fit.name, kWidest), width, fit.values, fit.spread, fit.residual,
          fit.noise, 100 * fit.Explained(), 100 * (1 - fit.outside));
  }
}

void PrintParameters(const Model& model) {
  const std::vector<ParameterBand> bands = ParameterBands(model);
  if (bands.empty()) return;
  std::size_t width = 9;
  for (const ParameterBand& own : bands)
    width = std::max(width, std::min<std::size_t>(own.name.size(), 24));
  Print("  {:<{}}  {:>12} {:>12} {:>12} {:>12}\n", "parameter", width, "median", "5 %", "95 %",
        "deviation");
  for (const ParameterBand& own : bands) {
    Print("  {:<{}}  {:>12.5g} {:>12.5g} {:>12.5g} {:>12.3g}\n", report::Shortened(own.name, 24),
          width, own.median, own.q5, own.q95, own.deviation);
  }
  Print("\n");
}

// Returns a description of the unknown function, such as its number of inducing points.
std::string DescribeFunction(const Dataset& data, const FitOptions& o) {
  return MakeUnknownFunction(o.function, {.options = o,
                                          .dim = internal::CountStates(data, o),
                                          .inputs = o.InputsWith(data.inputs).size()})
      ->Summary();
}

}  // namespace

nlohmann::ordered_json ParametersJson(const Model& model) {
  auto json = nlohmann::ordered_json::object();
  for (const ParameterBand& own : ParameterBands(model)) {
    json[own.name] = {{"mean", own.mean},
                      {"sd", own.deviation},
                      {"q5", own.q5},
                      {"q50", own.median},
                      {"q95", own.q95}};
  }
  return json;
}

void PrintData(const Dataset& data, const RunConfig& config,
               const std::vector<std::string>& notes) {
  DescribeFunction(data, config.fit);
  Print("{}: {}\n", fmt::join(config.files, ", "), report::DescribeData(data));
  for (const std::string& note : notes) Print("note: {}\n", note);
  std::fflush(stdout);
}

void PrintPlan(const Dataset& data, const RunConfig& config) {
  const FitOptions& o = config.fit;
  const InputRule rule = o.InputsWith(data.inputs);
  const std::string made_of = DescribeFunction(data, o);
  const NamedModel model = NameOf(o);
  const std::string how = model.name == "gpode"      ? "whole trajectories"
                          : model.name == "shooting" ? "shooting"
                                                     : model.title;
  const std::string driven =
      rule.size() > 0
          ? fmt::format(", driven by {},", fmt::join(report::Shortened(rule.AllNames(), 24), ", "))
          : "";
  Print("learning the vector field of {}{} by {}, {}, seed {}\n",
        report::Pluralise(internal::CountStates(data, o), "state", "states"), driven, how, made_of,
        o.seed);
  std::fflush(stdout);
}

void PrintHeldBack(const Dataset& seen, const Dataset& held) {
  std::size_t rows = 0, all = 0;
  for (std::size_t n = 0; n < held.trajectories.size(); ++n) {
    rows += held.trajectories[n].times.size();
    all += held.trajectories[n].times.size() + seen.trajectories[n].times.size();
  }
  Print("holding back the last {} of {} times\n", rows, all);
  std::fflush(stdout);
}

void PrintHoldout(const std::vector<std::string>& channels, const HoldoutReport& report,
                  bool verbose) {
  constexpr std::size_t kWidest = 24;
  std::size_t width = 7;
  for (const std::string& name : channels) width = std::max(width, name.size());
  width = std::min(width, kWidest);
  Print("\nforecasts of {} from the {} before\n\n",
        report::Pluralise(report.held_times, "held-back time", "held-back times"),
        report.seen_times);
  Print("  {:<{}}  {:>16} {:>7} {:>10} {:>10} {:>10} {:>7} {:>14} {:>8}\n", "channel", width,
        "horizon", "values", "error", "last value", "linear", "skill", "in 90 % bands", "widened");
  std::size_t rows = 0;
  for (const HoldoutRow& row : report.rows) {
    if (++rows > kMostRows && !verbose) {
      Print("  ... and {} more (--verbose shows all)\n", report.rows.size() - kMostRows);
      break;
    }
    Print("  {:<{}}  {:>16} {:>7} {:>10.4g} {:>10.4g} {:>10.4g} {:>7.2f} {:>12.0f} % {:>6.0f} %\n",
          report::Shortened(channels[row.channel], kWidest), width,
          fmt::format("{:.4g} to {:.4g}", row.from, row.to), row.values, row.rmse, row.persistence,
          row.linear, row.Skill(), 100 * row.inside, 100 * row.inside_widened);
  }
  Print("\n");
  std::fflush(stdout);
}

nlohmann::ordered_json WideningJson(const BandWidening& widening) {
  nlohmann::ordered_json json = {{"widened", !widening.IsZero()}, {"horizons", widening.horizons}};
  json["channels"] = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < widening.values.size(); ++c) {
    std::vector<double> deviations;
    for (double h : widening.horizons) deviations.push_back(std::sqrt(widening.Variance(c, h)));
    json["channels"].push_back({{"values", widening.values[c]},
                                {"inside_90", widening.inside[c]},
                                {"inside_90_widened", widening.inside_widened[c]},
                                {"extra_deviation", deviations}});
  }
  return json;
}

nlohmann::ordered_json HoldoutJson(const Holdout& holdout,
                                   const std::vector<std::string>& channels) {
  const HoldoutReport& report = holdout.report;
  nlohmann::ordered_json json;
  if (holdout.options.after) {
    json["after"] = *holdout.options.after;
  } else {
    json["share"] = holdout.options.share;
  }
  json["refit"] = holdout.options.refit;
  json["seen_times"] = report.seen_times;
  json["held_times"] = report.held_times;
  json["diverged"] = report.diverged;
  json["unfinished"] = report.unfinished;
  json["rows"] = nlohmann::ordered_json::array();
  for (const HoldoutRow& row : report.rows) {
    json["rows"].push_back({{"channel", channels[row.channel]},
                            {"from", row.from},
                            {"to", row.to},
                            {"values", row.values},
                            {"rmse", row.rmse},
                            {"persistence_rmse", row.persistence},
                            {"linear_rmse", row.linear},
                            {"skill", row.Skill()},
                            {"inside_90", row.inside},
                            {"inside_90_widened", row.inside_widened}});
  }
  json["widening"] = WideningJson(report.widening);
  return json;
}

nlohmann::ordered_json InputsJson(const Model& model) {
  const InputRule rule = model.input_rule();
  const Coordinates& own = model.coordinates;
  nlohmann::ordered_json json = {{"names", rule.AllNames()}, {"measured", rule.names}};
  json["hold"] = rule.hold == InputHold::kPrevious ? "previous" : "linear";
  json["period"] = rule.periods;
  json["time_input"] = rule.has_time;
  json["scale"] = std::vector<double>(own.input_scale.begin(), own.input_scale.end());
  json["offset"] = std::vector<double>(own.input_offset.begin(), own.input_offset.end());
  return json;
}

void PrintLengthscales(const Model& model) {
  std::vector<std::string> names = report::Shortened(report::StateNames(model), 10);
  const Matrix of_states = report::Lengthscales(model), of_inputs = InputLengthscales(model);
  Matrix scales(of_states.rows(), of_states.cols() + of_inputs.cols());
  scales.leftCols(of_states.cols()) = of_states;
  if (of_inputs.size() > 0) scales.rightCols(of_inputs.cols()) = of_inputs;
  for (const std::string& name : report::Shortened(model.input_rule().AllNames(), 10)) {
    names.push_back(name);
  }
  constexpr Eigen::Index kMostStates = 6;
  if (scales.size() == 0 || scales.cols() > kMostStates) return;
  Print("  {:<14}", "lengthscales");
  for (const std::string& name : names) Print(" {:>10}", name);
  Print("\n");
  for (Eigen::Index d = 0; d < scales.rows(); ++d) {
    Print("  {:<14}",
          scales.rows() == 1 ? "all" : fmt::format("d{}/dt", names[static_cast<std::size_t>(d)]));
    for (Eigen::Index k = 0; k < scales.cols(); ++k) {
      Print(" {:>10.4g}", scales(d, k));
    }
    Print("\n");
  }
}

void PrintSummary(const TrainedModel& trained, const FitQuality& quality, bool verbose) {
  const std::size_t steps = StepsTaken(trained);
  if (!trained.history.empty()) {
    Print("{} after {}, bound {:.2f}\n\n", trained.finished ? "done" : "stopped",
          report::Pluralise(steps, "step", "steps"), trained.history.back().bound);
  }
  const Model& model = trained.model;
  if (model.IsSampled()) {
    Print("done with {}, R-hat up to {:.3f}, at least {:.0f} effective draws\n\n",
          report::DescribeDraws(model), model.sampler.worst_rhat, model.sampler.least_bulk_ess);
  }
  PrintChannels(quality, verbose);
  Print("\n");
  PrintParameters(model);
  if (verbose) {
    PrintLengthscales(trained.model);
    Print("\n");
  }
  const std::string verdict = BandVerdict(trained, quality);
  Print("bands: {}\n", verdict);
  const std::string held = report::DescribeWidening(model);
  if (!held.empty() && held != verdict) Print("bands {}\n", held);
  const std::vector<std::string> remarks = AllRemarks(trained, quality);
  const std::vector<std::string> lines = verbose ? remarks : SummariseRemarks(remarks);
  for (const std::string& remark : lines) Print("note: {}\n", remark);
  if (lines.size() < remarks.size()) {
    Print("      (of {} notes; --verbose shows all)\n", remarks.size());
  }
}

void PrintStopped(const std::string& saved, const std::string& out, bool json) {
  if (json) {
    PrintJson(nlohmann::ordered_json{{"model", out}, {"finished", false}}.dump(
        2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  Print("stopped before the sampler had draws\nsaved {}; continue with gpode fit --resume -o {}\n",
        saved, out);
}

void PrintSummaryJson(const TrainedModel& trained, const FitQuality& quality,
                      const std::string& out, const std::string& choice) {
  nlohmann::ordered_json json;
  json["model"] = out;
  json["method"] = NameOf(trained.model.options).name;
  if (!choice.empty()) json["choice"] = choice;
  json["seed"] = trained.model.options.seed;
  json["finished"] = trained.finished;
  json["steps"] = StepsTaken(trained);
  json["bound"] = trained.history.empty() ? 0 : trained.history.back().bound;
  json["channels"] = nlohmann::ordered_json::array();
  for (const ChannelFit& fit : quality.channels) {
    json["channels"].push_back({{"name", fit.name},
                                {"values", fit.values},
                                {"missed", fit.missed},
                                {"spread", fit.spread},
                                {"residual", fit.residual},
                                {"noise", fit.noise},
                                {"explained", fit.Explained()},
                                {"inside_90", 1 - fit.outside}});
  }
  if (trained.model.coordinates.inputs() > 0) json["inputs"] = InputsJson(trained.model);
  if (!trained.model.options.equations.empty()) json["parameters"] = ParametersJson(trained.model);
  json["diverged"] = quality.lost.diverged;
  json["unfinished"] = quality.lost.unfinished;
  if (trained.holdout && trained.holdout->report.held_times > 0) {
    json["holdout"] = HoldoutJson(*trained.holdout, trained.model.channels);
  }
  json["bands"] = BandVerdict(trained, quality);
  json["notes"] = AllRemarks(trained, quality);
  PrintJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace gpode::tool
