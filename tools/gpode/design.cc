// Implements `gpode design`, which recommends the next measurements. The work is done in
// src/analyse/design.cc.
#include "gpode/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "gpode/error.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "picture.h"
#include "report/model_view.h"
#include "report/plot/design_plot.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kCandidates = 40, kTargets = 20, kShown = 10;

struct Arguments {
  std::string model, out;
  PictureArguments picture;
  std::optional<std::string> times, window, trajectory, cost;
  DesignOptions options;
  CommonOptions common;
};

// The price of an observation is the sum of a base price, a price per unit of time after the data,
// and a price per channel.
struct Prices {
  double base = 1, time = 0;
  std::vector<double> channels = {};
};

Prices ParsePrices(const std::string& word, const Model& model) {
  const Place place{"design", "--cost"};
  Prices prices{.channels = std::vector<double>(model.channels.size(), 0)};
  for (const auto& [name, value] : ParseAssignments(place, word)) {
    const double price = ParseNumber(place, value, {.least = 0, .most = 1e100});
    const auto found = std::ranges::find(model.channels, name);
    if (name == "base") {
      prices.base = price;
    } else if (name == "time") {
      prices.time = price;
    } else if (found != model.channels.end()) {
      prices.channels[static_cast<std::size_t>(found - model.channels.begin())] = price;
    } else {
      Refuse(place, word, "prices of base, time and channels, as base=1,time=0.2,x2=3");
    }
  }
  return prices;
}

// Returns the function that computes the price of an observation.
std::function<double(double, std::size_t)> CostOf(const Prices& prices, double end) {
  return [prices, end](double time, std::size_t channel) {
    double cost = prices.base + prices.time * std::max(0.0, time - end);
    for (std::size_t c = 0; c < prices.channels.size(); ++c) {
      if (channel == c || channel == prices.channels.size()) cost += prices.channels[c];
    }
    return cost;
  };
}

nlohmann::ordered_json CandidatesJson(const std::vector<DesignCandidate>& list) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const DesignCandidate& one : list) {
    json.push_back({{"time", one.time},
                    {"channel", one.channel},
                    {"reduction", one.reduction},
                    {"cost", one.cost}});
  }
  return json;
}

void PrintCandidates(const std::vector<DesignCandidate>& list, const Calendar& calendar) {
  Print("  {:>14} {:<12} {:>12} {:>8}\n", "time", "channel", "reduction", "cost");
  for (std::size_t i = 0; i < std::min(list.size(), kShown); ++i) {
    Print("  {:>14} {:<12} {:>10.1f} % {:>8.4g}\n", ShowTime(list[i].time, calendar),
          list[i].channel, 100 * list[i].reduction, list[i].cost);
  }
}

// Sets the times of candidates and targets. By default they begin at the end of the data and span
// half of the data's length.
void SetTimes(const Arguments& a, const TrainedModel& trained, DesignOptions* options) {
  const Model& model = trained.model;
  const std::size_t n = options->trajectory;
  const double end = model.end_times[n], start = model.start_times[n];
  const double until = end + 0.5 * (end > start ? end - start : 1);
  const Calendar& calendar = trained.data.calendar;
  options->targets = a.window ? ParseTimes({"design", "--window"}, *a.window, calendar)
                              : RegularTimes(end, until, kTargets);
  options->times = a.times ? ParseTimes({"design", "--times"}, *a.times, calendar)
                           : RegularTimes(end, until, kCandidates);
  for (const auto* times : {&options->times, &options->targets}) {
    if (times->front() >= start) continue;
    ThrowInput(
        "design", times == &options->times ? "--times" : "--window",
        fmt::format("begins before {}, where the trajectory begins", ShowTime(start, calendar)));
  }
}

void Run(const Arguments& a) {
  const std::vector<std::string> inputs = InputsOf(a.model);
  CheckSecondOutput(a.out, OutputKind::kJson, inputs);
  CheckPicture("design", a.picture, inputs);
  const TrainedModel trained = LoadTrainedModel(a.model);
  if (!trained.model.inputs.empty()) {
    ThrowInput("design", "MODEL", "has measured inputs, must have none");
  }
  DesignOptions options = a.options;
  options.seed = a.common.seed;
  options.threads = a.common.threads;
  if (a.trajectory) {
    options.trajectory = FindTrajectory({"design", "--trajectory"}, *a.trajectory, trained);
  }
  SetTimes(a, trained, &options);
  if (a.cost) {
    options.cost =
        CostOf(ParsePrices(*a.cost, trained.model), trained.model.end_times[options.trajectory]);
  }
  const Design design = DesignMeasurements(Posterior(trained.model), trained.data, options);
  nlohmann::ordered_json json = {{"model", a.model},
                                 {"draws", design.draws},
                                 {"seed", a.common.seed},
                                 {"deviation", design.deviation},
                                 {"batch", CandidatesJson(design.batch)},
                                 {"candidates", CandidatesJson(design.candidates)}};
  const std::string text =
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (!a.out.empty()) internal::WriteFile(a.out, std::as_bytes(std::span(text)));
  if (a.common.json) {
    WriteToStandardOutput(text);
  } else {
    const Calendar& calendar = trained.data.calendar;
    Print("{}: {}, seed {}; forecast from {} to {}, deviation {:.3g} of the data's\n", a.model,
          report::Pluralise(design.draws, "draw", "draws"), a.common.seed,
          ShowTime(options.targets.front(), calendar), ShowTime(options.targets.back(), calendar),
          design.deviation);
    Print("best single observations, by reduction of the forecast's variance per cost\n");
    PrintCandidates(design.ranked, calendar);
    if (design.batch.size() > 1) {
      Print("best {} together, each in addition to those before it\n", design.batch.size());
      PrintCandidates(design.batch, calendar);
    }
  }
  DrawPicture(
      "design", a.picture,
      [&](report::Canvas* canvas) {
        report::PlotDesign(design, report::TimeOf(trained.data).Label(), canvas);
      },
      0.6);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddText(command, "--times", "LIST", &a->times,
          "candidate times: FROM:TO:COUNT or T1,T2,... (default: 40, for half the span of the data "
          "after its end)");
  AddText(command, "--window", "LIST", &a->window,
          "times of the forecast whose uncertainty counts (default: 20, for the same span)");
  AddText(command, "--trajectory", "NAME", &a->trajectory,
          "trajectory, by its name or its number from 1 (default: the first)");
  AddText(
      command, "--cost", "PRICES", &a->cost,
      "prices of an observation: base, time (for each unit of time after the data) and channels, "
      "as base=1,time=0.2,x2=3 (default: base=1)");
  AddSwitch(command, "--each-channel", &a->options.each_channel,
            "measure one channel at a time (default: all)");
  AddCount(command, "--batch", &a->options.batch, {1, 1000},
           "number of observations to choose (default: 1)");
  AddCount(command, "--draws", &a->options.draws, {16, 100'000},
           "draws of the forecast (default: 512)");
  AddName(command, "-o,--output", "FILE", &a->out, "file for the results as JSON");
  AddPictureOptions(command, &a->picture);
  AddJson(command, &a->common);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
}

}  // namespace

void AddDesign(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("design", "Say where to measure next");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode design vdp.gpode --batch 5 --plot design.png",
                        "gpode design vdp.gpode --each-channel --cost base=1,time=0.2,x2=3"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
