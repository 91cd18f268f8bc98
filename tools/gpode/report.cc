// Implements `gpode report`, which writes a model as one self-contained HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "future_inputs.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "output.h"
#include "predict/first_trajectories.h"
#include "report/model_view.h"
#include "report/page/report_data.h"
#include "report/page/report_page.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostTrajectories = 24;

struct Arguments {
  std::string model, out;
  std::vector<std::string> test;
  std::optional<std::string> title;
  std::optional<std::string> after, until;
  std::size_t draws = 128;
  bool raw = false;
  InputArguments inputs;
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

// Returns the test data with one trajectory for each of the model's: the one that continues it, or
// one without rows.
Dataset TestData(const Arguments& a, const TrainedModel& trained) {
  Dataset test;
  if (a.test.empty()) return test;
  Dataset given = ReadTestData(a.test, TestOptions(trained, a.read), a.common.quiet);
  std::optional<double> after;
  if (a.after) after = ParseTime({"report", "--after"}, *a.after, trained.data.calendar);
  if (!KeepRowsAfter(after, &given)) {
    internal::ThrowAt(a.test.front(), "holds no row after --after, must hold some");
  }
  const std::size_t known = trained.model.start_times.size();
  test.channels = given.channels;
  test.trajectories.resize(known);
  for (Trajectory& t : test.trajectories) t.values.resize(0, std::ssize(test.channels));
  for (std::size_t i = 0; i < given.trajectories.size(); ++i) {
    const std::size_t n = MatchTrajectory(given, i, trained, a.test.front());
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

void Run(const Arguments& a) {
  const std::string out =
      a.out.empty() ? std::filesystem::path(a.model).stem().string() + ".html" : a.out;
  std::vector<std::string> inputs = InputsOf(a.model);
  inputs.insert(inputs.end(), a.test.begin(), a.test.end());
  if (!a.inputs.from.empty()) inputs.push_back(a.inputs.from);
  CheckOutput(out, inputs);
  CheckEnding(out, OutputKind::kPage);
  TrainedModel trained = LoadForBands(a.model, a.raw);
  Dataset test = TestData(a, trained);
  ExtendInputs(a, test, &trained);
  const std::size_t count = KeepFirstTrajectories(&trained);
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
                  : std::nullopt};
  LostDraws lost;
  nlohmann::ordered_json json = report::ReportJson(trained, test, options, &lost);
  if (count > kMostTrajectories) {
    json["meta"]["comments"].push_back(
        fmt::format("The first {} of {} trajectories are shown.", kMostTrajectories, count));
  }
  const std::string page = report::FillReportPage(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (out == "-") {
    WriteToStandardOutput(page);
    return CheckLostDraws("report", lost);
  }
  internal::WriteFile(out, std::as_bytes(std::span(page)));
  if (!a.common.quiet) {
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
  AddTime(command, "--after", &a->after, "use only test points after this time or date");
  AddTime(command, "--until", &a->until,
          "end of forecasts, a time or date (default: half the span of the data further)");
  AddCount(command, "--draws", &a->draws, {2, 100'000}, "draws of the vector field (default: 128)");
  AddRaw(command, &a->raw);
  AddInputOptions(command, &a->inputs);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddReadOptions(command, &a->read, {"--channels", "--inputs", "--after", "--until"});
}

}  // namespace

void AddReport(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("report", "Write an interactive HTML report about a model");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode report vdp.gpode -o vdp.html",
                        "gpode report vdp.gpode vdp.truth.csv --until 14 -o vdp.html"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
