// Implements `gpode score`, which scores a model's forecasts against held-out data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "data/moments.h"
#include "future_inputs.h"
#include "given.h"
#include "gpode/error.h"
#include "gpode/scores.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "predict/channel_scores.h"
#include "predict/held_errors.h"
#include "report/draw/printable.h"
#include "report/model_view.h"

namespace gpode::tool {
namespace {

struct Arguments {
  std::string model;
  std::vector<std::string> files, calibrate;
  ReadChanges read;
  InputArguments inputs;
  GivenArguments given;
  std::string start = "initial";
  std::optional<std::string> trajectory, after, until;
  std::vector<double> horizons;
  std::size_t draws = 128;
  bool raw = false;
  CommonOptions common;
};

std::vector<std::filesystem::path> Paths(const std::vector<std::string>& files) {
  return {files.begin(), files.end()};
}

// The forecast of one test trajectory and the test values at its times.
struct Compared {
  Forecast forecast;
  Matrix seen;
  double begins = 0;              // the time from which horizons count
  std::vector<double> last = {};  // (channels): the last values before that, NaN if there are none
};

// Returns the last value of every channel, NaN if there is none.
std::vector<double> LastValues(const Trajectory& seen) {
  std::vector<double> last(static_cast<std::size_t>(seen.values.cols()), NAN);
  for (const auto& row : seen.values.rowwise()) {
    for (std::size_t c = 0; c < last.size(); ++c) {
      const double value = row[static_cast<Eigen::Index>(c)];
      if (!std::isnan(value)) last[c] = value;
    }
  }
  return last;
}

class Scorer {
 public:
  explicit Scorer(const Arguments& a)
      : a_(a),
        trained_(LoadConditioned("score", a.model, a.raw || !a.calibrate.empty(), a.given, a.read,
                                 a.inputs, a.draws, a.common)),
        posterior_(trained_.model),
        inputs_("score", a.inputs, trained_) {
    options_ = {.draws = a.draws,
                .seed = a.common.seed,
                .threads = a.common.threads,
                .from = ParseOrigin(a.start)};
    const Calendar& calendar = trained_.data.calendar;
    if (a.after) after_ = ParseTime({"score", "--after"}, *a.after, calendar);
    if (a.until) until_ = ParseTime({"score", "--until"}, *a.until, calendar);
    if (after_ && until_ && !(*after_ < *until_)) {
      ThrowInput("score", "--until",
                 fmt::format("is {}, must be later than --after, {}", ShowTime(*until_, calendar),
                             ShowTime(*after_, calendar)));
    }
  }

  // Compares forecasts with the data in these files. `part` is the part of an archive that is read,
  // or empty for the part that the options name.
  std::vector<Compared> Compare(const std::vector<std::string>& files,
                                const std::string& part = "") const {
    ReadOptions read = TestOptions(trained_, a_.read);
    if (!part.empty()) read.part = part;
    const Dataset tests = ReadTestData(files, read, a_.common.quiet);
    const std::string source = internal::NameFiles(Paths(files));
    std::vector<Compared> all;
    for (std::size_t n = 0; n < tests.trajectories.size(); ++n) {
      Compared one = CompareOne(tests, n, source);
      if (one.seen.rows() > 0) all.push_back(std::move(one));
    }
    if (all.empty()) {
      internal::ThrowAt(source, "holds no row between --after and --until, must hold some");
    }
    return all;
  }

  // Widens the model's bands by the errors of its forecasts of the data in these files.
  void Calibrate(const std::vector<std::string>& files) {
    std::vector<HeldError> errors;
    std::size_t n = 0;
    for (const Compared& one : Compare(files, "validation")) {
      AddHeldErrors(one.forecast, one.seen, one.begins, n++, &errors);
    }
    if (errors.empty()) {
      internal::ThrowAt(internal::NameFiles(Paths(files)),
                        "holds no value after the data of the model, must hold some");
    }
    trained_.model.widening = FitWidening(errors, model().channels.size());
    const Vector spread = MomentsOf(ToLinkScale(trained_.data, model().links())).variance;
    trained_.model.widening.limits.assign(spread.begin(), spread.end());
    trained_.model.widening.SetGaps(trained_.data);
    posterior_ = Posterior(trained_.model);
  }

  const Model& model() const { return trained_.model; }

  // Returns the standard deviations of the channels in the training data.
  std::vector<double> Spread() const {
    // With --given, trained_.data are the given data. The training data are then read from the
    // file.
    const Vector variance = a_.given.files.empty()
                                ? MomentsOf(trained_.data).variance
                                : MomentsOf(LoadTrainedModel(a_.model).data).variance;
    const Vector deviation = variance.cwiseSqrt();
    return {deviation.begin(), deviation.end()};
  }

 private:
  // Compares trajectory n of the data with a forecast. Messages about the data begin with `source`.
  Compared CompareOne(const Dataset& tests, std::size_t n, const std::string& source) const {
    const Trajectory& test = tests.trajectories[n];
    Trajectory chosen = RowsBetween(test, after_, until_);
    const std::vector<double>& times = chosen.times;
    Compared one{.forecast = {}, .seen = std::move(chosen.values), .begins = 0};
    if (times.empty()) return one;
    CheckAmount({"score", "--draws"},
                static_cast<double>(one.seen.size()) * static_cast<double>(a_.draws),
                "rows and channels");
    if (a_.start == "first-row") {
      const Vector first = test.values.row(0);
      one.begins = test.times[0];
      one.last.assign(first.begin(), first.end());
      const StartState start = StateFromChannels(
          posterior_, {first.data(), static_cast<std::size_t>(first.size())},
          fmt::format("{}: the first row of trajectory {} does not determine the state, "
                      "must have enough values of {} for --start first-row",
                      source, internal::Quote(test.name), internal::ListOf(model().channels)));
      one.forecast =
          posterior_.From(start, one.begins, times, OptionsFor(test, {}, one.begins, times));
    } else {
      const std::size_t known = TrainingTrajectory(tests, n, source);
      one.begins = trained_.model.end_times[known];
      one.last = known < trained_.data.trajectories.size()
                     ? LastValues(trained_.data.trajectories[known])
                     : std::vector<double>(model().channels.size(), NAN);
      one.forecast = posterior_.Trajectory(
          known, times, OptionsFor(test, known, model().start_times[known], times));
    }
    return one;
  }

  // Returns the options of a forecast that starts at `start`, with the inputs of the test data.
  ForecastOptions OptionsFor(const Trajectory& test, std::optional<std::size_t> trajectory,
                             double start, const std::vector<double>& times) const {
    ForecastOptions options = options_;
    inputs_.Set(posterior_, trajectory, test.inputs, std::min(start, times.front()), times.back(),
                &options);
    return options;
  }

  std::size_t TrainingTrajectory(const Dataset& tests, std::size_t n,
                                 const std::string& source) const {
    if (a_.trajectory) return FindTrajectory({"score", "--trajectory"}, *a_.trajectory, trained_);
    return MatchTrajectory(tests, n, trained_, source);
  }

  const Arguments& a_;
  TrainedModel trained_;
  Posterior posterior_;
  FutureInputs inputs_;
  ForecastOptions options_;
  std::optional<double> after_, until_;
};

nlohmann::ordered_json Json(const Scores& s) {
  nlohmann::ordered_json json = {{"mnll", s.mnll},
                                 {"mse", s.mse},
                                 {"crps", s.crps},
                                 {"coverage_50", s.coverage_50},
                                 {"coverage_90", s.coverage_90},
                                 {"coverage_95", s.coverage_95},
                                 {"predictive_50", s.predictive_50},
                                 {"predictive_90", s.predictive_90},
                                 {"predictive_95", s.predictive_95},
                                 {"values", s.values},
                                 {"diverged", s.diverged}};
  if (s.unfinished > 0) json["unfinished"] = s.unfinished;
  return json;
}

// Returns the scores of a channel. What is not a number or infinite becomes null.
nlohmann::ordered_json Json(const ChannelScore& row, const std::string& name) {
  nlohmann::ordered_json json = {{"channel", name}, {"from", row.from}, {"to", row.to}};
  json["rmse"] = row.Error();
  json["spread"] = row.spread;
  json["rmse_over_spread"] = row.Error() / row.spread;
  json["persistence_rmse"] = row.persistence;
  json["skill"] = row.Skill();
  json.update(Json(row.scores));
  return json;
}

// The scores of each channel over all horizons, and by horizon.
struct ByChannel {
  std::vector<ChannelScore> total, rows;
};

// Returns the scores by channel and horizon. The horizons are those of --horizons, or thirds of the
// longest one. Without --horizons, there are no scores if no value is later than the data.
ByChannel ScoreChannels(const std::vector<Compared>& all, const Scorer& scorer,
                        const Arguments& a) {
  std::vector<double> edges = a.horizons;
  double longest = 0;
  for (const Compared& one : all) {
    longest = std::max(longest, one.forecast.times.back() - one.begins);
  }
  if (edges.empty()) edges = EdgesOfThirds(longest);
  if (edges.empty()) return {};
  ChannelScoring scoring(edges, scorer.Spread());
  for (const Compared& one : all) {
    scoring.Add(one.forecast, scorer.model().noise(), one.seen, one.begins, one.last,
                a.common.threads);
  }
  return {scoring.Rows(true), scoring.Rows()};
}

void PrintScores(const Scores& scores, const std::vector<HorizonScores>& rows,
                 const ByChannel& channels, const Model& model, const LostDraws& lost,
                 const Arguments& a) {
  const bool widened = !model.widening.IsZero();
  nlohmann::ordered_json json = Json(scores);
  if (lost.many) json["warning"] = lost.Warning();
  if (widened) json["widened"] = true;
  json["draws"] = a.draws;
  json["seed"] = a.common.seed;
  json["start"] = a.start;
  if (!rows.empty()) {
    json["horizons"] = nlohmann::ordered_json::array();
    for (const HorizonScores& row : rows) {
      nlohmann::ordered_json one = {{"from", row.from}, {"to", row.to}};
      one.update(Json(row.scores));
      json["horizons"].push_back(one);
    }
  }
  json["channels"] = nlohmann::ordered_json::array();
  for (const ChannelScore& total : channels.total) {
    nlohmann::ordered_json one = Json(total, model.channels[total.channel]);
    one["horizons"] = nlohmann::ordered_json::array();
    for (const ChannelScore& row : channels.rows) {
      if (row.channel != total.channel) continue;
      one["horizons"].push_back(Json(row, model.channels[row.channel]));
      one["horizons"].back().erase("channel");
    }
    json["channels"].push_back(one);
  }
  PrintJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void PrintTable(const Scores& s, const std::vector<HorizonScores>& rows, std::size_t trajectories,
                const Model& model, const Arguments& a) {
  Print("{} against {}: {} of {}, {} from the {}, seed {}\n\n", a.model, fmt::join(a.files, ", "),
        report::Pluralise(s.values, "value", "values"),
        report::Pluralise(trajectories, "trajectory", "trajectories"),
        report::Pluralise(a.draws, "draw", "draws"),
        !a.given.files.empty()   ? "start inferred from " + a.given.files.front()
        : a.start == "first-row" ? "first row"
        : a.start == "latest"    ? "latest learnt state"
                                 : "learnt initial state",
        a.common.seed);
  Print("  MNLL  {:.4f}\n  MSE   {:.4g}\n  CRPS  {:.4g}\n\n", s.mnll, s.mse, s.crps);
  Print("  bands                    50 %   90 %   95 %\n");
  Print("  of the truth           {:6.2f} {:6.2f} {:6.2f}\n", s.coverage_50, s.coverage_90,
        s.coverage_95);
  Print("  of observations        {:6.2f} {:6.2f} {:6.2f}\n\n", s.predictive_50, s.predictive_90,
        s.predictive_95);
  if (model.widening.IsJudged()) {
    Print("  bands {}\n", report::DescribeWidening(model));
  }
  Print("  {} diverged\n", report::Pluralise(s.diverged, "draw", "draws"));
  if (s.unfinished > 0) {
    Print("  {} out of solver steps\n", report::Pluralise(s.unfinished, "draw", "draws"));
  }
  if (rows.empty()) return;
  Print("\n  {:>20} {:>8} {:>10} {:>10} {:>8} {:>8}\n", "time since the data", "values", "MNLL",
        "MSE", "90 %", "+ noise");
  for (const HorizonScores& row : rows) {
    Print("  {:>20} {:>8} {:>10.4f} {:>10.4g} {:>8.2f} {:>8.2f}\n",
          fmt::format("{:g} to {:g}", row.from, row.to), row.scores.values, row.scores.mnll,
          row.scores.mse, row.scores.coverage_90, row.scores.predictive_90);
  }
}

// Prints the error of each channel in its unit and over its spread, next to the error of
// persistence. With more than a few channels, there are no rows by horizon, unless --horizons asks
// for them.
void PrintChannels(const ByChannel& channels, const Model& model, const Arguments& a) {
  constexpr std::size_t kMostByHorizon = 6;
  const bool by_horizon = channels.total.size() <= kMostByHorizon || !a.horizons.empty();
  const std::vector<ChannelScore>& rows = by_horizon ? channels.rows : channels.total;
  if (rows.empty()) return;
  constexpr std::size_t kWidest = 24;
  std::size_t width = 7;
  for (const std::string& name : model.channels) width = std::max(width, name.size());
  width = std::min(width, kWidest);
  Print("\n  {:<{}}  {:>20} {:>7} {:>10} {:>12} {:>11} {:>7} {:>8}\n", "channel", width,
        "time since the data", "values", "error", "over spread", "last value", "skill", "in 90 %");
  for (const ChannelScore& row : rows) {
    Print("  {:<{}}  {:>20} {:>7} {:>10.4g} {:>12.3f} {:>11.4g} {:>7.2f} {:>6.0f} %\n",
          report::Shortened(model.channels[row.channel], kWidest), width,
          fmt::format("{:.4g} to {:.4g}", row.from, row.to), row.scores.values, row.Error(),
          row.Error() / row.spread, row.persistence, row.Skill(), 100 * row.scores.predictive_90);
  }
  Print(
      "\n  error: root mean square, in the channel's unit; last value: the error of repeating it;\n"
      "  skill: 1 - (error / that)^2; in 90 %: values inside the 90 % bands of observations\n");
}

void Check(const Arguments& a) {
  if (a.trajectory && a.start == "first-row") {
    ThrowInput("score", "--trajectory", "cannot be combined with --start first-row");
  }
  if (!a.given.files.empty() && a.start == "first-row") {
    ThrowInput("score", "--given", "cannot be combined with --start first-row");
  }
  if (a.raw && !a.calibrate.empty()) {
    ThrowInput("score", "--raw", "cannot be combined with --calibrate, which widens bands");
  }
}

void Run(const Arguments& a) {
  Check(a);
  Scorer scorer(a);
  if (!a.calibrate.empty()) scorer.Calibrate(a.calibrate);
  const ObservationNoise noise = scorer.model().noise();
  std::vector<Scores> parts;
  std::vector<std::vector<HorizonScores>> by_horizon;
  LostDraws lost;
  const std::vector<Compared> all = scorer.Compare(a.files);
  for (const Compared& one : all) {
    lost.Add(one.forecast);
    parts.push_back(Score(one.forecast, noise, one.seen, a.common.threads));
    if (a.horizons.empty()) continue;
    by_horizon.push_back(
        ScoreByHorizon(one.forecast, noise, one.seen, one.begins, a.horizons, a.common.threads));
  }
  const Scores scores = Pool(parts);
  if (scores.values == 0) {
    internal::ThrowAt(internal::NameFiles(Paths(a.files)), "holds no value to compare with");
  }
  const std::vector<HorizonScores> rows =
      by_horizon.empty() ? std::vector<HorizonScores>() : PoolByHorizon(by_horizon);
  const ByChannel channels = ScoreChannels(all, scorer, a);
  if (a.common.json) {
    PrintScores(scores, rows, channels, scorer.model(), lost, a);
  } else {
    PrintTable(scores, rows, parts.size(), scorer.model(), a);
    PrintChannels(channels, scorer.model(), a);
  }
  CheckLostDraws("score", lost);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  command->add_option("TEST", a->files, "data files with the model's channels")->required();
  AddChoice(command, "--start", &a->start, {"initial", "latest", "first-row"},
            "start from the learnt initial or latest state of the trajectory, "
            "or from the first row of each test trajectory (default: initial)");
  AddWord(
      command, "--trajectory", "NAME",
      [a](const Place&, const std::string& word) { a->trajectory = word; },
      "the model's trajectory that the test data continue (default: by name or number)");
  AddTime(command, "--after", &a->after, "use only rows after this time or date");
  AddTime(command, "--until", &a->until, "use only rows up to this time or date");
  AddWord(
      command, "--horizons", "T0,T1,...",
      [a](const Place& place, const std::string& word) {
        a->horizons = ParseTimes(place, word);
        if (a->horizons.size() < 2) Refuse(place, word, "at least two times");
      },
      "edges of horizons, times since the end of the data, to score separately");
  command
      ->add_option("--calibrate", a->calibrate,
                   "file of held-back data by which to widen bands, instead of those of fit "
                   "--holdout")
      ->type_name("FILE");
  AddRaw(command, &a->raw);
  AddGivenOption(command, &a->given);
  AddInputOptions(command, &a->inputs);
  AddCount(command, "--draws", &a->draws, {1, 1'000'000},
           "draws of the vector field (default: 128)");
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddJson(command, &a->common);
  // The channels are always the model's; --after and --until choose rows after the start is known.
  AddReadOptions(command, &a->read, {"--channels", "--inputs", "--after", "--until"});
}

}  // namespace

void AddScore(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("score", "Score forecasts against held-out data");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode score vdp.gpode vdp.truth.csv --after 7",
                        "gpode score vdp.gpode vdp.truth.csv --after 7 --json",
                        "gpode score walk.gpode test.csv --start first-row"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
