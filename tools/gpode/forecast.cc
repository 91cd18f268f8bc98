// Implements `gpode forecast`, which forecasts a model's trajectories, or from any start. Draws and
// integrations are in src/predict/follow.cc.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "arguments.h"
#include "commands.h"
#include "future_inputs.h"
#include "given.h"
#include "gpode/compare.h"
#include "gpode/error.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "predict/shown_values.h"
#include "report/model_view.h"
#include "report/plot/text_forecast.h"
#include "result_json.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr double kForecastShare = 0.5;  // default length of the forecast relative to the data's

struct Arguments {
  std::string model, out = "-";
  std::optional<std::string> times, until, at, from, trajectory, push;
  std::size_t points = 101, draws = 128;
  std::vector<double> quantiles = {0.05, 0.5, 0.95};
  std::string start = "latest";
  InputArguments inputs;
  GivenArguments given;
  bool noise = false, all_draws = false, states = false, plot = false, raw = false;
  CommonOptions common;
};

// Returns the times of the forecast: those of --times, or equally spaced ones that begin at
// `first`. `span` is the length of the data, from which the default end follows.
std::vector<double> TimesFrom(double first, double span, const Calendar& calendar,
                              const Arguments& a) {
  if (a.times) return ParseTimes({"forecast", "--times"}, *a.times, calendar);
  const double until = a.until ? ParseTime({"forecast", "--until"}, *a.until, calendar)
                               : first + kForecastShare * span;
  if (!(until > first)) {
    ThrowInput("forecast", "--until",
               fmt::format("is {}, must be after {}, where the forecast begins",
                           ShowTime(until, calendar), ShowTime(first, calendar)));
  }
  return RegularTimes(first, until, a.points);
}

// Returns the columns of a forecast, for each channel: mean, quantiles and, with --all-draws,
// draws.
Matrix Summary(const Forecast& forecast, const Arguments& a) {
  const Matrix mean = forecast.Mean();
  const Eigen::Index channels = mean.cols(),
                     per_channel = 1 + std::ssize(a.quantiles) +
                                   (a.all_draws ? std::ssize(forecast.draws) : 0);
  Matrix values(mean.rows(), channels * per_channel);
  const auto put = [&](Eigen::Index k, const Matrix& part) {
    for (Eigen::Index c = 0; c < channels; ++c) values.col(c * per_channel + k) = part.col(c);
  };
  Eigen::Index k = 0;
  put(k++, mean);
  for (double p : a.quantiles) {
    put(k++, a.noise ? forecast.PredictiveQuantile(p) : forecast.Quantile(p));
  }
  for (std::size_t i = 0; a.all_draws && i < forecast.draws.size(); ++i)
    put(k++, ShownValues(forecast, forecast.draws[i]));
  return values;
}

std::string QuantileName(double p) { return fmt::format("q{:g}", 100 * p); }

std::vector<std::string> SummaryNames(const std::vector<std::string>& names, const Arguments& a) {
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    columns.push_back(name + "_mean");
    for (double p : a.quantiles) columns.push_back(name + "_" + QuantileName(p));
    for (std::size_t i = 0; a.all_draws && i < a.draws; ++i) {
      columns.push_back(fmt::format("{}_draw{}", name, i + 1));
    }
  }
  return columns;
}

class Forecaster {
 public:
  explicit Forecaster(const Arguments& arguments)
      : a_(arguments),
        trained_(LoadConditioned("forecast", arguments.model, arguments.raw, arguments.given, {},
                                 arguments.inputs, arguments.draws, arguments.common)),
        posterior_(trained_.model),
        inputs_("forecast", arguments.inputs, trained_) {
    options_ = {.draws = a_.draws,
                .seed = a_.common.seed,
                .threads = a_.common.threads,
                .from = ParseOrigin(a_.start),
                .states = a_.states};
    result_.calendar = calendar();
    CheckSize();
  }

  void Run() {
    if (a_.from) {
      FromState();
    } else if (a_.trajectory) {
      Trajectory(FindTrajectory({"forecast", "--trajectory"}, *a_.trajectory, trained_));
    } else {
      for (std::size_t n = 0; n < model().start_times.size(); ++n) Trajectory(n);
    }
    if (result_.trajectories.size() == 1) result_.trajectories[0].name.clear();
    const bool table = a_.out != "-" || !(a_.plot || a_.common.json);
    if (table) WriteResult(a_.out, result_);
    if (a_.common.json) {
      PrintAsJson();
    } else if (!a_.common.quiet) {
      PrintResult();
    }
    if (!a_.common.quiet && lost_.stiff > 0) PrintRemark("note: " + lost_.StiffnessRemark());
    CheckLostDraws("forecast", lost_);
  }

 private:
  const Model& model() const { return trained_.model; }
  const Calendar& calendar() const { return trained_.data.calendar; }

  std::vector<std::string> Names() const {
    return a_.states ? report::StateNames(model()) : model().channels;
  }

  void CheckSize() const {
    const double rows = static_cast<double>(
        a_.times ? ParseTimes({"forecast", "--times"}, *a_.times, calendar()).size() : a_.points);
    const double trajectories =
        a_.from || a_.trajectory ? 1 : static_cast<double>(model().start_times.size());
    const double numbers = rows * trajectories * static_cast<double>(a_.draws) *
                           static_cast<double>(std::max(model().channels.size(), model().dim()));
    CheckAmount({"forecast", "--draws"}, numbers, "points, channels and trajectories");
  }

  // Returns the pushes of --push, such as "x1=+0.5@t=3,x2=-1@t=4", in the order of time.
  std::vector<Push> Pushes() const {
    const Place place{"forecast", "--push"};
    const std::vector<std::string> names = report::StateNames(model());
    std::vector<Push> pushes;
    for (const std::string& word : ParseWords(place, *a_.push)) {
      const std::size_t equals = word.find('='), at = word.find('@');
      if (equals == word.npos || at == word.npos || at < equals) {
        Refuse(place, word, "a change of a state at a time, as x1=+0.5@t=3");
      }
      const std::size_t d = FindState(place, word, word.substr(0, equals), names);
      std::string number = word.substr(equals + 1, at - equals - 1), time = word.substr(at + 1);
      if (number.starts_with('+')) number.erase(0, 1);
      if (time.starts_with("t=")) time.erase(0, 2);
      Push push{ParseTime(place, time, calendar()),
                Vector::Zero(static_cast<Eigen::Index>(names.size()))};
      push.change[static_cast<Eigen::Index>(d)] = ParseNumber(place, number, kSaneNumber);
      pushes.push_back(std::move(push));
    }
    std::ranges::stable_sort(pushes, {}, &Push::time);
    return pushes;
  }

  // Forecasts a trajectory with the pushes of --push, if there are any.
  Forecast Follow(std::size_t n, const std::vector<double>& times,
                  const ForecastOptions& options) const {
    if (!a_.push) return posterior_.Trajectory(n, times, options);
    const std::vector<Push> pushes = Pushes();
    if (pushes.front().time < model().start_times[n]) {
      ThrowInput("forecast", "--push",
                 fmt::format("is at {}, must be at {} or later, where the trajectory begins",
                             ShowTime(pushes.front().time, calendar()),
                             ShowTime(model().start_times[n], calendar())));
    }
    if (!model().noise_pieces.empty()) {
      ThrowInput("forecast", "--push",
                 "needs a model without process noise; fit it with --process-noise none");
    }
    return ForecastPushed(posterior_, n, times, pushes, options);
  }

  void Trajectory(std::size_t n) {
    const double start = model().start_times[n], end = model().end_times[n];
    const double span = end > start ? end - start : 1;
    const std::vector<double> times = TimesFrom(end, span, calendar(), a_);
    inputs_.Set(posterior_, n, {}, std::min(start, times.front()), times.back(), &options_);
    Add(report::TrajectoryName(trained_, n), Follow(n, times, options_));
    if (!a_.plot) return;
    const std::vector<double> all = report::PlotTimes(std::min(start, times.front()), times.back());
    ForecastOptions options = options_;
    options.states = false;
    WriteToStandardOutput(report::ForecastText(Follow(n, all, options), trained_, n,
                                               report::TrajectoryName(trained_, n), Coloured()));
  }

  void FromState() {
    const std::vector<double> values = ChannelValues({"forecast", "--from"}, *a_.from, model());
    const StartState start = StateFromChannels(
        posterior_, values,
        fmt::format("forecast: --from is {}, must give enough channels to determine the state: {}",
                    internal::Quote(*a_.from), internal::ListOf(model().channels)));
    const double at = a_.at ? ParseTime({"forecast", "--at"}, *a_.at, calendar()) : 0;
    double span = 0;
    for (std::size_t n = 0; n < model().start_times.size(); ++n) {
      span = std::max(span, model().end_times[n] - model().start_times[n]);
    }
    const std::vector<double> times = TimesFrom(at, span > 0 ? 2 * span : 2, calendar(), a_);
    inputs_.Set(posterior_, {}, {}, std::min(at, times.front()), times.back(), &options_);
    Add("", posterior_.From(start, at, times, options_));
    if (!a_.plot) return;
    ForecastOptions options = options_;
    options.states = false;
    const std::vector<double> all = report::PlotTimes(std::min(at, times.front()), times.back());
    WriteToStandardOutput(report::ForecastText(posterior_.From(start, at, all, options), trained_,
                                               {}, *a_.from, Coloured()));
  }

  void Add(const std::string& name, Forecast forecast) {
    if (a_.states) forecast = forecast.OfStates();
    lost_.Add(forecast);
    result_.channels = SummaryNames(Names(), a_);
    result_.trajectories.push_back({name, forecast.times, Summary(forecast, a_), {}});
  }

  void PrintAsJson() const {
    nlohmann::ordered_json about = {{"model", a_.model},
                                    {"trajectories", result_.trajectories.size()},
                                    {"of", a_.states ? "states" : "channels"},
                                    {"noise", a_.noise},
                                    {"widened", !model().widening.IsZero()},
                                    {"draws", a_.draws},
                                    {"seed", a_.common.seed}};
    AddLost(lost_, &about);
    PrintResultJson(a_.out, ColumnsOf(result_), std::move(about));
  }

  void PrintResult() const {
    const std::string said = fmt::format(
        "{}: forecast of {}, {} of the {}{}, seed {}, {}", a_.out == "-" ? a_.model : a_.out,
        report::Pluralise(result_.trajectories.size(), "trajectory", "trajectories"),
        report::Pluralise(a_.draws, "draw", "draws"),
        a_.states  ? "states"
        : a_.noise ? "channels, bands with noise"
                   : "channels, bands without noise",
        report::WideningNote(model()), a_.common.seed, DescribeLost(lost_));
    a_.out == "-" ? PrintRemark(said) : PrintLine(said);
  }

  const Arguments& a_;
  TrainedModel trained_;
  Posterior posterior_;
  FutureInputs inputs_;
  ForecastOptions options_;
  Dataset result_;
  LostDraws lost_;
};

void Check(const Arguments& a) {
  if (a.times && a.until) ThrowInput("forecast", "--until", "cannot be combined with --times");
  if (a.from && a.trajectory)
    ThrowInput("forecast", "--from", "cannot be combined with --trajectory");
  if (a.from && !a.given.files.empty()) {
    ThrowInput("forecast", "--from", "cannot be combined with --given");
  }
  if (a.at && !a.from) ThrowInput("forecast", "--at", "needs --from");
  if (a.plot && a.common.json) ThrowInput("forecast", "--plot", "cannot be combined with --json");
  if (a.push && a.from) ThrowInput("forecast", "--push", "cannot be combined with --from");
  std::vector<std::string> read = InputsOf(a.model);
  if (!a.inputs.from.empty()) read.push_back(a.inputs.from);
  read.insert(read.end(), a.given.files.begin(), a.given.files.end());
  CheckTable(a.out, read);
  if (a.times) CheckTimeList({"forecast", "--times"}, *a.times);
  if (a.noise && a.states)
    ThrowInput("forecast", "--noise", "cannot be combined with --states, which have no noise");
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddName(command, "-o,--output", "FILE", &a->out,
          "output file: .csv, .npz, or - for standard output (default)");
  AddTime(command, "--until", &a->until,
          "end of the forecast, a time or date; it begins at the last observation (default: "
          "after half the span of the data)");
  AddCount(command, "--points", &a->points, {2, 10'000'000}, "number of rows (default: 101)");
  AddWord(
      command, "--times", "LIST", [a](const Place&, const std::string& word) { a->times = word; },
      "times instead: FROM:TO:COUNT or T1,T2,..., before, within or after the data");
  AddWord(
      command, "--from", "C=X,...", [a](const Place&, const std::string& word) { a->from = word; },
      "start from these values of channels instead of a state of a trajectory");
  AddTime(command, "--at", &a->at, "time of --from (default: 0)");
  AddGivenOption(command, &a->given);
  AddWord(
      command, "--push", "S=+X@t=T,...",
      [a](const Place&, const std::string& word) { a->push = word; },
      "what if: change states by these amounts at these times, as in x1=+0.5@t=3");
  AddInputOptions(command, &a->inputs);
  AddWord(
      command, "--trajectory", "NAME",
      [a](const Place&, const std::string& word) { a->trajectory = word; },
      "forecast only this trajectory, by its name or its number from 1 (default: all)");
  AddChoice(command, "--start", &a->start, {"latest", "initial"},
            "start from the latest learnt state or the initial one (default: latest)");
  AddCount(command, "--draws", &a->draws, {1, 1'000'000},
           "draws of the vector field (default: 128)");
  AddWord(
      command, "--quantiles", "P,...",
      [a](const Place& place, const std::string& word) {
        a->quantiles = ParseNumbers(place, word, {.least = 0, .most = 1, .above = true});
        std::vector<double> sorted = a->quantiles;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
          Refuse(place, word, "different numbers");
        }
        // Columns are named by six digits.
        std::set<std::string> names;
        for (double p : a->quantiles) {
          if (names.insert(QuantileName(p)).second) continue;
          Refuse(place, word,
                 fmt::format("numbers that differ in six digits; two columns would be named {}",
                             QuantileName(p)));
        }
      },
      "quantiles of the draws (default: 0.05,0.5,0.95)");
  AddSwitch(command, "--noise", &a->noise, "quantiles of observations, which include the noise");
  AddRaw(command, &a->raw);
  AddSwitch(command, "--all-draws", &a->all_draws, "write every draw as well");
  AddSwitch(command, "--states", &a->states, "forecast the model's states instead of the channels");
  AddSwitch(command, "--plot", &a->plot, "plot in the terminal instead of printing the table");
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
}

}  // namespace

void AddForecast(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("forecast", "Forecast a model's trajectories, or from any start");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode forecast vdp.gpode --until 14 -o forecast.csv",
                        "gpode forecast vdp.gpode --until 14 --plot",
                        "gpode forecast vdp.gpode --from x1=2,x2=0 --times 0:10:101 -o -"});
  command->callback([arguments] {
    Check(*arguments);
    Forecaster(*arguments).Run();
  });
}

}  // namespace gpode::tool
