// Implements `gpode report`, which writes a model as one self-contained HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "draw_progress.h"
#include "future_inputs.h"
#include "given.h"
#include "gpode/error.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "predict/first_trajectories.h"
#include "report/model_view.h"
#include "report/page/report_data.h"
#include "report/page/report_insight.h"
#include "report/page/report_page.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostTrajectories = 24;

struct Arguments {
  std::string model, out;
  std::vector<std::string> test;
  std::optional<std::string> title;
  std::optional<std::string> after, until, trajectory;
  std::vector<std::string> with;  // the analyses to add
  std::string start = "latest";
  std::size_t draws = 128;
  bool raw = false;
  InputArguments inputs;
  GivenArguments given;
  ReadChanges read;
  CommonOptions common;
};

// Drops all but the first kMostTrajectories trajectories, to limit the size of the page. Returns
// how many there were.
std::size_t KeepFirstTrajectories(TrainedModel* trained) {
  const std::size_t count = trained->model.start_times.size();
  if (count <= kMostTrajectories) return count;
  trained->model = FirstTrajectories(trained->model, kMostTrajectories);
  if (trained->data.trajectories.size() > kMostTrajectories) {
    trained->data.trajectories.resize(kMostTrajectories);
  }
  return count;
}

Dataset ReadTests(const Arguments& a, const TrainedModel& trained) {
  Dataset given = ReadTestData(a.test, TestOptions(trained, a.read), a.common.quiet);
  LeaveOutTrainingRows(trained, a.test.front(), a.common.quiet, &given);
  std::optional<double> after, until;
  if (a.after) after = ParseTime({"report", "--after"}, *a.after, trained.data.calendar);
  if (a.until) until = ParseTime({"report", "--until"}, *a.until, trained.data.calendar);
  if (after && until && !(*after < *until)) {
    ThrowInput("report", "--until",
               fmt::format("is {}, must be later than --after, {}",
                           ShowTime(*until, trained.data.calendar),
                           ShowTime(*after, trained.data.calendar)));
  }
  bool any = false;
  for (Trajectory& t : given.trajectories) {
    t = RowsBetween(t, after, until);
    any = any || !t.times.empty();
  }
  if (!any) {
    internal::ThrowAt(a.test.front(), a.after ? "holds no row after --after, must hold some"
                                              : "holds no row up to --until, must hold some");
  }
  return given;
}

// Returns the test data with one trajectory for each of the model's: the one that continues it, or
// one without rows.
Dataset TestData(const Arguments& a, const TrainedModel& trained, Dataset given) {
  Dataset test;
  test.channels = given.channels;
  test.trajectories.resize(trained.model.start_times.size());
  for (Trajectory& t : test.trajectories) t.values.resize(0, std::ssize(test.channels));
  if (a.trajectory && given.trajectories.size() > 1) {
    ThrowInput("report", "--trajectory",
               fmt::format("is given with {} test trajectories, must have one; --only chooses one",
                           given.trajectories.size()));
  }
  for (std::size_t i = 0; i < given.trajectories.size(); ++i) {
    const std::size_t n = a.trajectory
                              ? FindTrajectory({"report", "--trajectory"}, *a.trajectory, trained)
                              : MatchTrajectory(given, i, trained, a.test.front());
    test.trajectories[n] = std::move(given.trajectories[i]);
  }
  return test;
}

// Gives the model the inputs of the test data and of --inputs-from.
void ExtendInputs(const Arguments& a, const Dataset& test, TrainedModel* trained) {
  const FutureInputs inputs("report", a.inputs, *trained);
  std::vector<InputSamples> own;
  for (const Trajectory& t : test.trajectories) own.push_back(t.inputs);
  inputs.Extend(own, &trained->model);
  if (!a.until) return;
  const double until = ParseTime({"report", "--until"}, *a.until, trained->data.calendar);
  for (std::size_t n = 0; n < trained->model.start_times.size(); ++n) {
    inputs.CheckReach(trained->model, n, until);
  }
}

// Drops test trajectories without rows and returns the states that the first rows of the others
// determine.
std::vector<StartState> StartsOf(const Arguments& a, const TrainedModel& trained, Dataset* test) {
  std::erase_if(test->trajectories, [](const Trajectory& t) { return t.times.empty(); });
  const Posterior posterior(trained.model);
  std::vector<StartState> starts;
  for (const Trajectory& t : test->trajectories) {
    const Vector first = t.values.row(0);
    starts.push_back(StateFromChannels(
        posterior, {first.data(), static_cast<std::size_t>(first.size())},
        fmt::format("{}: the first row of trajectory {} does not determine the state, must have "
                    "enough values of {} for --start first-row",
                    a.test.front(), internal::Quote(t.name),
                    internal::ListOf(trained.model.channels))));
  }
  return starts;
}

void Check(const Arguments& a) {
  const bool first_row = a.start == "first-row";
  if (a.test.empty() && (a.trajectory || first_row)) {
    ThrowInput("report", a.trajectory ? "--trajectory" : "--start first-row",
               "is about test data, must be given with TEST");
  }
  if (a.common.json && a.out == "-") {
    ThrowInput("report", "--json", "cannot be combined with --output -, which prints the page");
  }
  if (!a.given.files.empty() && first_row) {
    ThrowInput("report", "--given", "cannot be combined with --start first-row");
  }
  if (a.trajectory && first_row) {
    ThrowInput("report", "--trajectory", "cannot be combined with --start first-row");
  }
}

// Makes the analyses of --with. Ctrl-C ends the command.
nlohmann::ordered_json Insight(const Arguments& a, const TrainedModel& trained) {
  report::InsightOptions options{
      .draws = a.draws, .seed = a.common.seed, .threads = a.common.threads};
  for (const std::string& word : a.with) {
    options.dynamics = options.dynamics || word == "dynamics" || word == "all";
    options.equations = options.equations || word == "equations" || word == "all";
    options.design =
        options.design || word == "design" || (word == "all" && trained.model.inputs.empty());
  }
  if (!options.Any()) return {};
  DrawProgress progress(a.common.quiet || a.common.json, "draws analysed");
  bool stopped = false;
  options.report = [&, show = progress.Callback()](std::size_t done, std::size_t total) {
    stopped = !show(done, total);
    return !stopped;
  };
  nlohmann::ordered_json sections = report::InsightJson(trained, options);
  if (stopped) throw Interrupted();
  return sections;
}

void PrintResult(const Arguments& a, const std::string& out, std::size_t bytes,
                 const nlohmann::ordered_json& meta, const LostDraws& lost) {
  nlohmann::ordered_json json = {{"page", out}, {"bytes", bytes}};
  if (meta.contains("verdict")) json["verdict"] = meta["verdict"];
  json["warnings"] = meta.contains("all_warnings") ? meta["all_warnings"] : meta["warnings"];
  json["draws"] = a.draws;
  json["seed"] = a.common.seed;
  json["diverged"] = lost.diverged;
  json["unfinished"] = lost.unfinished;
  PrintJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void Run(const Arguments& a) {
  Check(a);
  const std::string out =
      a.out.empty() ? std::filesystem::path(a.model).stem().string() + ".html" : a.out;
  std::vector<std::string> inputs = InputsOf(a.model);
  inputs.insert(inputs.end(), a.test.begin(), a.test.end());
  if (!a.inputs.from.empty()) inputs.push_back(a.inputs.from);
  inputs.insert(inputs.end(), a.given.files.begin(), a.given.files.end());
  CheckOutput(out, inputs);
  CheckEnding(out, OutputKind::kPage);
  TrainedModel trained =
      LoadConditioned("report", a.model, a.raw, a.given, a.read, a.inputs, a.draws, a.common);
  Dataset test;
  std::vector<StartState> starts;
  if (!a.test.empty()) test = ReadTests(a, trained);
  if (a.start == "first-row") {
    if (!trained.model.inputs.empty()) {
      ThrowInput("report", "--start first-row",
                 "needs a model without measured inputs; gpode score takes those of the test data");
    }
    starts = StartsOf(a, trained, &test);
  } else if (!a.test.empty()) {
    test = TestData(a, trained, std::move(test));
  }
  if (a.start != "first-row") ExtendInputs(a, test, &trained);
  const std::size_t shown = starts.size();
  starts.resize(std::min(shown, kMostTrajectories));
  const std::size_t count = std::max(KeepFirstTrajectories(&trained), shown);
  test.trajectories.resize(std::min(test.trajectories.size(), kMostTrajectories));
  const report::ReportOptions options{
      .title = a.title.value_or(std::filesystem::path(a.model).stem().string()),
      .command = ReadTrainingCommand(a.model),
      .timing = ReadTiming(a.model),
      .draws = a.draws,
      .seed = a.common.seed,
      .threads = a.common.threads,
      .until =
          a.until ? std::optional(ParseTime({"report", "--until"}, *a.until, trained.data.calendar))
                  : std::nullopt,
      .from = ParseOrigin(a.start),
      .starts = std::move(starts),
      .insight = Insight(a, trained)};
  LostDraws lost;
  nlohmann::ordered_json json = report::ReportJson(trained, test, options, &lost);
  if (count > kMostTrajectories) {
    json["meta"]["comments"].push_back(
        fmt::format("The first {} of {} trajectories are shown.", kMostTrajectories, count));
  }
  if (!a.given.files.empty()) {
    json["meta"]["comments"].push_back(
        fmt::format("The data are those of {}. The field was not learnt from them; it gives them a "
                    "start each.",
                    a.given.files.front()));
  }
  const std::string page = report::FillReportPage(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (out == "-") {
    WriteToStandardOutput(page);
    return CheckLostDraws("report", lost);
  }
  internal::WriteFile(out, std::as_bytes(std::span(page)));
  if (a.common.json) {
    PrintResult(a, out, page.size(), json["meta"], lost);
  } else if (!a.common.quiet) {
    PrintLine(
        fmt::format("{}: report of {}, {:.1f} MB, {} of the field, seed {}; opens in any browser",
                    out, a.model, static_cast<double>(page.size()) / 1e6,
                    report::Pluralise(a.draws, "draw", "draws"), a.common.seed));
  }
  CheckLostDraws("report", lost);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  command->add_option("TEST", a->test, "test data to compare forecasts with");
  command->add_option("-o,--output", a->out, "HTML file (default: name of the model with .html)")
      ->type_name("FILE");
  AddWord(
      command, "--title", "TEXT", [a](const Place&, const std::string& word) { a->title = word; },
      "title of the page (default: name of the model)");
  AddChoice(command, "--start", &a->start, {"initial", "latest", "first-row"},
            "start from the learnt initial or latest state of the trajectory, or show forecasts "
            "from the first row of each test trajectory (default: latest)");
  AddWord(
      command, "--trajectory", "NAME",
      [a](const Place&, const std::string& word) { a->trajectory = word; },
      "the model's trajectory that the test data continue (default: by name or number)");
  AddWord(
      command, "--with", "A,B,...",
      [a](const Place& place, const std::string& word) {
        for (const std::string& one : ParseWords(place, word)) {
          if (one != "dynamics" && one != "equations" && one != "design" && one != "all") {
            Refuse(place, one, "of dynamics, equations, design, all");
          }
          a->with.push_back(one);
        }
      },
      "analyses to add as sections: dynamics (fixed points, cycles, exponents, basins), equations, "
      "design, or all of them (default: none)");
  AddTime(command, "--after", &a->after, "use only test points after this time or date");
  AddTime(command, "--until", &a->until,
          "end of forecasts and of test points, a time or date (default: half the span of the data "
          "further, or the end of the test data)");
  AddCount(command, "--draws", &a->draws, {2, 100'000}, "draws of the vector field (default: 128)");
  AddRaw(command, &a->raw);
  AddGivenOption(command, &a->given);
  AddInputOptions(command, &a->inputs);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
  AddReadOptions(command, &a->read, {"--channels", "--inputs", "--after", "--until"});
}

}  // namespace

void AddReport(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("report", "Write an interactive HTML report about a model");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode report vdp.gpode -o vdp.html",
                        "gpode report vdp.gpode --with dynamics,equations,design",
                        "gpode report vdp.gpode vdp.truth.csv --until 14 -o vdp.html"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
