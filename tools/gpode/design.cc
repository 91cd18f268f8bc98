// Implements `gpode design`, which recommends the next measurements. The work is done in
// src/analyse/design.cc.
#include "gpode/design.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "draw_progress.h"
#include "gpode/analysis.h"
#include "gpode/data_files.h"
#include "gpode/error.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "picture.h"
#include "region.h"
#include "report/insight_json.h"
#include "report/model_view.h"
#include "report/plot/design_plot.h"
#include "report/state_text.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kCandidates = 40, kTargets = 20, kStartTimes = 10, kShown = 10;
constexpr std::size_t kMostStarts = 10'000;

struct Arguments {
  std::string model, out, starts_file, target = "forecast";
  PictureArguments picture;
  std::vector<std::string> starts;
  std::size_t start_grid = 0;  // points along each state; 0 for no grid
  std::optional<std::string> times, start_times, window, region, trajectory, cost;
  DesignOptions options;
  CommonOptions common;

  bool HasStarts() const { return !starts.empty() || !starts_file.empty() || start_grid > 0; }
};

// The price of an observation is the sum of a base price, a price per unit of time after the data or
// after the start, and a price per channel. A new trajectory also has a price of its own.
struct Prices {
  double base = 1, time = 0, start = 0;
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
    } else if (name == "start") {
      prices.start = price;
    } else if (found != model.channels.end()) {
      prices.channels[static_cast<std::size_t>(found - model.channels.begin())] = price;
    } else {
      Refuse(place, word, "prices of base, time, start and channels, as base=1,time=0.2,x2=3");
    }
  }
  return prices;
}

// Returns the function that computes the price of a candidate.
std::function<double(const DesignCandidate&)> CostOf(const Prices& prices, const Model& model,
                                                     double end) {
  return [prices, channels = model.channels, end](const DesignCandidate& one) {
    double each = prices.base;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (one.channel == channels[c] || one.channel == "all") each += prices.channels[c];
    }
    const double waiting = one.start ? one.time : std::max(0.0, one.time - end);
    return static_cast<double>(one.observations) * each + prices.time * waiting +
           (one.start ? prices.start : 0);
  };
}

// Returns the state of a word such as "x1=2,x2=0", which must name all states.
Vector ParseStart(const std::string& word, const std::vector<std::string>& names) {
  const Place place{"design", "--start"};
  Vector state = Vector::Constant(std::ssize(names), NAN);
  for (const auto& [name, value] : ParseAssignments(place, word)) {
    state[static_cast<Eigen::Index>(FindState(place, word, name, names))] =
        ParseNumber({"design", "--start " + name}, value, kSaneNumber);
  }
  if (state.array().isNaN().any()) {
    Refuse(place, word, fmt::format("values of all states: {}", fmt::join(names, ", ")));
  }
  return state;
}

// Returns the rows of a table whose columns are the states.
Matrix ReadStarts(const std::string& file, const std::vector<std::string>& names) {
  const std::filesystem::path files[] = {file};
  const Dataset data = ReadDataset(files, {.channels = names, .dt = 1});
  Eigen::Index rows = 0;
  for (const Trajectory& t : data.trajectories) rows += t.values.rows();
  Matrix starts(0, std::ssize(names));
  for (const Trajectory& t : data.trajectories) {
    const Eigen::Index before = starts.rows();
    starts.conservativeResize(before + t.values.rows(), Eigen::NoChange);
    starts.bottomRows(t.values.rows()) = t.values;
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (starts.row(i).allFinite()) continue;
    throw InputError(
        fmt::format("{}: start {} has a missing value, must have all states", file, i + 1));
  }
  return starts;
}

// Returns the candidate starts of all three options.
Matrix StartsOf(const Arguments& a, const Posterior& posterior, const StateBox& box) {
  const std::vector<std::string> names = report::StateNames(posterior.model());
  Matrix starts(std::ssize(a.starts), std::ssize(names));
  for (std::size_t i = 0; i < a.starts.size(); ++i) {
    starts.row(static_cast<Eigen::Index>(i)) = ParseStart(a.starts[i], names).transpose();
  }
  const auto append = [&starts](const Matrix& more) {
    starts.conservativeResize(starts.rows() + more.rows(), Eigen::NoChange);
    starts.bottomRows(more.rows()) = more;
  };
  if (!a.starts_file.empty()) append(ReadStarts(a.starts_file, names));
  if (a.start_grid > 0) {
    if (std::pow(a.start_grid, names.size()) > kMostStarts) {
      ThrowInput("design", "--start-grid",
                 fmt::format("is {}, which gives more than {} starts for {} states", a.start_grid,
                             kMostStarts, names.size()));
    }
    append(GridPoints(box, a.start_grid));
  }
  if (starts.rows() > static_cast<Eigen::Index>(kMostStarts)) {
    ThrowInput("design", "--starts",
               fmt::format("has {} starts, must have at most {}", starts.rows(), kMostStarts));
  }
  return starts;
}

nlohmann::ordered_json CandidatesJson(const Design& design,
                                      const std::vector<DesignCandidate>& list) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const DesignCandidate& one : list) {
    nlohmann::ordered_json row;
    if (one.start) {
      for (std::size_t d = 0; d < design.states.size(); ++d) {
        row["start"][design.states[d]] =
            design.starts(static_cast<Eigen::Index>(*one.start), static_cast<Eigen::Index>(d));
      }
    } else {
      row["time"] = one.time;
    }
    row["channel"] = one.channel;
    row["reduction"] = one.reduction;
    row["cost"] = one.cost;
    json.push_back(std::move(row));
  }
  return json;
}

void PrintCandidates(const Design& design, const std::vector<DesignCandidate>& list,
                     const Calendar& calendar) {
  std::vector<std::string> labels;
  std::size_t width = 14;
  for (const DesignCandidate& one : std::span(list).first(std::min(list.size(), kShown))) {
    labels.push_back(
        one.start ? "start " +
                        report::StateText(
                            design.states,
                            design.starts.row(static_cast<Eigen::Index>(*one.start)).transpose(), 3)
                  : ShowTime(one.time, calendar));
    width = std::max(width, labels.back().size());
  }
  const char* head = design.starts.rows() > 0 ? "time or start" : "time";
  Print("  {:>{}} {:<12} {:>12} {:>8}\n", head, width, "channel", "reduction", "cost");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Print("  {:>{}} {:<12} {:>10.1f} % {:>8.4g}\n", labels[i], width, list[i].channel,
          100 * list[i].reduction, list[i].cost);
  }
}

// Runs the command for one model.
class Planner {
 public:
  explicit Planner(const Arguments& a)
      : a_(a), trained_(LoadTrainedModel(a.model)), posterior_(trained_.model) {
    if (!trained_.model.inputs.empty()) {
      ThrowInput("design", "MODEL", "has measured inputs, must have none");
    }
    options_ = a.options;
    options_.seed = a.common.seed;
    options_.threads = a.common.threads;
    if (a.trajectory) {
      options_.trajectory = FindTrajectory({"design", "--trajectory"}, *a.trajectory, trained_);
    }
    SetTarget();
    SetTimes();
    SetStarts();
    if (a.cost) {
      options_.cost = CostOf(ParsePrices(*a.cost, trained_.model), trained_.model, End());
    }
  }

  void Run() {
    const Design design = [&] {
      // Without starts there is nothing to keep, and Ctrl-C ends the command at once.
      std::optional<DrawProgress> progress;
      if (options_.starts.rows() > 0) {
        progress.emplace(a_.common.quiet, "starts followed");
        options_.report = progress->Callback();
      }
      return DesignMeasurements(posterior_, trained_.data, options_);
    }();
    Save(design);
    if (!a_.common.json) PrintText(design);
    DrawPicture(
        "design", a_.picture,
        [&](report::Canvas* canvas) {
          report::PlotDesign(design, ObservedStates(posterior_, trained_.data),
                             report::TimeOf(trained_.data).Label(), canvas);
        },
        design.starts.rows() == 0 ? 0.6
        : options_.times.empty()  ? 0.8
                                  : 1.4);
    if (design.starts.rows() < options_.starts.rows()) throw Interrupted();
  }

 private:
  double Start() const { return trained_.model.start_times[options_.trajectory]; }
  double End() const { return trained_.model.end_times[options_.trajectory]; }
  double Half() const { return 0.5 * (End() > Start() ? End() - Start() : 1); }

  void SetTarget() {
    const auto refuse = [&](const char* option, const char* needed) {
      ThrowInput("design", option, fmt::format("needs {}, but --target is {}", needed, a_.target));
    };
    if (a_.target == "field") options_.target = DesignTarget::kField;
    if (a_.target == "stability") options_.target = DesignTarget::kStability;
    const bool forecast = options_.target == DesignTarget::kForecast;
    if (a_.window && !forecast) refuse("--window", "--target forecast");
    if (a_.region && forecast && a_.start_grid == 0) {
      refuse("--region", "--start-grid, or --target field or stability");
    }
    if (forecast && !a_.region) return;
    options_.region =
        a_.region ? ParseRegion({"design", "--region"}, *a_.region, posterior_, trained_.data)
                  : DefaultBox(posterior_, trained_.data);
  }

  // Sets the times of candidates and targets. By default they begin at the end of the data and span
  // half of the data's length.
  void SetTimes() {
    const Calendar& calendar = trained_.data.calendar;
    const double until = End() + Half();
    if (options_.target == DesignTarget::kForecast) {
      options_.targets = a_.window ? ParseTimes({"design", "--window"}, *a_.window, calendar)
                                   : RegularTimes(End(), until, kTargets);
    }
    if (a_.times) {
      options_.times = ParseTimes({"design", "--times"}, *a_.times, calendar);
    } else if (!a_.HasStarts()) {
      options_.times = RegularTimes(End(), until, kCandidates);
    }
    for (const auto* times : {&options_.times, &options_.targets}) {
      if (times->empty() || times->front() >= Start()) continue;
      ThrowInput("design", times == &options_.times ? "--times" : "--window",
                 fmt::format("begins before {}, where the trajectory begins",
                             ShowTime(Start(), calendar)));
    }
  }

  void SetStarts() {
    if (!a_.HasStarts()) {
      if (a_.start_times) {
        ThrowInput("design", "--start-times", "needs --start, --starts or --start-grid");
      }
      return;
    }
    options_.starts =
        StartsOf(a_, posterior_, options_.region.value_or(DefaultBox(posterior_, trained_.data)));
    const Place place{"design", "--start-times"};
    options_.start_times = a_.start_times ? ParseTimes(place, *a_.start_times)
                                          : RegularTimes(Half() / kStartTimes, Half(), kStartTimes);
    if (options_.start_times.front() < 0) {
      Refuse(place, *a_.start_times, "times since the start, none of them negative");
    }
    CheckAmount(place,
                static_cast<double>(options_.start_times.size() * options_.draws *
                                    trained_.model.channels.size()) *
                    static_cast<double>(options_.starts.rows()),
                "starts, draws and channels");
  }

  void Save(const Design& design) const {
    nlohmann::ordered_json json = {{"model", a_.model},
                                   {"draws", design.draws},
                                   {"seed", a_.common.seed},
                                   {"target", std::string(Name(design.target))},
                                   {"deviation", design.deviation}};
    if (design.region) {
      json["region"] = {{"lower", report::VectorJson(design.region->lower)},
                        {"upper", report::VectorJson(design.region->upper)}};
    }
    if (design.target == DesignTarget::kStability) {
      json["fixed_point"] = {{"mean", report::VectorJson(design.fixed_point)},
                             {"probability", design.probability}};
    }
    if (design.starts.rows() > 0) json["start_times"] = options_.start_times;
    json["batch"] = CandidatesJson(design, design.batch);
    json["candidates"] = CandidatesJson(design, design.candidates);
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (!a_.out.empty()) internal::WriteFile(a_.out, std::as_bytes(std::span(text)));
    if (a_.common.json) WriteToStandardOutput(text);
  }

  std::string DescribeTarget(const Design& design) const {
    const Calendar& calendar = trained_.data.calendar;
    switch (design.target) {
      case DesignTarget::kForecast:
        return fmt::format("forecast from {} to {}, deviation {:.3g} of the data's",
                           ShowTime(options_.targets.front(), calendar),
                           ShowTime(options_.targets.back(), calendar), design.deviation);
      case DesignTarget::kField:
        return fmt::format("field, deviation {:.3g} of its size at the data, in the region {}",
                           design.deviation, DescribeRegion(design));
      case DesignTarget::kStability:
        break;
    }
    return fmt::format(
        "fixed point {} (probability {:.2f}), deviation {:.3g} of its leading eigenvalue",
        report::StateText(design.states, design.fixed_point), design.probability, design.deviation);
  }

  static std::string DescribeRegion(const Design& design) {
    std::vector<std::string> ranges;
    for (std::size_t d = 0; d < design.states.size(); ++d) {
      const auto k = static_cast<Eigen::Index>(d);
      ranges.push_back(fmt::format("{} {:.4g} to {:.4g}", design.states[d], design.region->lower[k],
                                   design.region->upper[k]));
    }
    return fmt::format("{}", fmt::join(ranges, ", "));
  }

  void PrintText(const Design& design) const {
    const Calendar& calendar = trained_.data.calendar;
    const std::string what = design.target == DesignTarget::kStability
                                 ? "leading eigenvalue"
                                 : std::string(Name(design.target));
    Print("{}: {}, seed {}; {}\n", a_.model, report::Pluralise(design.draws, "draw", "draws"),
          a_.common.seed, DescribeTarget(design));
    if (design.starts.rows() > 0) {
      Print("new trajectories: {}{}, each observed {} from {:.4g} to {:.4g} after it\n",
            report::Pluralise(static_cast<std::size_t>(design.starts.rows()), "start", "starts"),
            design.starts.rows() < options_.starts.rows()
                ? fmt::format(" of {}", options_.starts.rows())
                : "",
            report::Pluralise(options_.start_times.size(), "time", "times"),
            options_.start_times.front(), options_.start_times.back());
    }
    Print("best single {}, by reduction of the {}'s variance per cost\n",
          design.starts.rows() > 0 ? "candidates" : "observations", what);
    PrintCandidates(design, design.ranked, calendar);
    if (design.batch.size() > 1) {
      Print("best {} together, each on top of those before it\n", design.batch.size());
      PrintCandidates(design, design.batch, calendar);
    }
  }

  const Arguments& a_;
  TrainedModel trained_;
  Posterior posterior_;
  DesignOptions options_;
};

void Run(const Arguments& a) {
  std::vector<std::string> inputs = InputsOf(a.model);
  if (!a.starts_file.empty()) inputs.push_back(a.starts_file);
  CheckSecondOutput(a.out, OutputKind::kJson, inputs);
  CheckPicture("design", a.picture, inputs);
  Planner(a).Run();
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddText(command, "--times", "LIST", &a->times,
          "candidate times: FROM:TO:COUNT or T1,T2,... (default: 40, for half the span of the data "
          "after its end; none if there are starts)");
  command
      ->add_option("--start", a->starts,
                   "candidate state to start a new trajectory from, as x1=2,x2=0; may be repeated")
      ->type_name("S=X,...")
      ->allow_extra_args(false);
  AddName(command, "--starts", "FILE", &a->starts_file,
          "table of candidate starts, a column for each state");
  AddCount(command, "--start-grid", &a->start_grid, {2, 10'000},
           "candidate starts on a grid in the region, with this number along each state");
  AddText(command, "--start-times", "LIST", &a->start_times,
          "times since the start at which a new trajectory is observed (default: 10, up to half "
          "the span of the data)");
  AddChoice(command, "--target", &a->target, {"forecast", "field", "stability"},
            "the uncertainty to reduce: of the forecast, of the field in the region, or of the "
            "leading eigenvalue of the most probable fixed point in it (default: forecast)");
  AddText(command, "--window", "LIST", &a->window,
          "times of the forecast whose uncertainty counts (default: 20, for half the span of the "
          "data after its end)");
  AddText(command, "--region", "S=A:B,...", &a->region,
          "region of the field, the fixed point and the grid (default: that of the data, enlarged "
          "by 1.3)");
  AddText(command, "--trajectory", "NAME", &a->trajectory,
          "trajectory, by its name or its number from 1 (default: the first)");
  AddText(command, "--cost", "PRICES", &a->cost,
          "prices of an observation: base, time (for each unit of time after the data or the "
          "start) and channels, and of a new start, as base=1,time=0.2,start=5,x2=3 (default: "
          "base=1)");
  AddSwitch(command, "--each-channel", &a->options.each_channel,
            "measure one channel at a time (default: all)");
  AddCount(command, "--batch", &a->options.batch, {1, 1000},
           "number of candidates to choose (default: 1)");
  AddCount(command, "--draws", &a->options.draws, {16, 100'000},
           "draws of the posterior (default: 512)");
  AddName(command, "-o,--output", "FILE", &a->out, "file for the results as JSON");
  AddPictureOptions(command, &a->picture);
  AddJson(command, &a->common);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
}

}  // namespace

void AddDesign(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("design", "Say where to measure next");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode design vdp.gpode --batch 5 --plot design.png",
                        "gpode design vdp.gpode --each-channel --cost base=1,time=0.2,x2=3",
                        "gpode design vdp.gpode --target field --start-grid 6 --plot starts.png",
                        "gpode design vdp.gpode --target stability --region x1=-1:1,x2=-1:1"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
