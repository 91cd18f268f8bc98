// Implements `gpode reproduce`, which runs the paper's experiments and makes tables of their
// results.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "experiments/calibration_tasks.h"
#include "experiments/figures/paper_figures.h"
#include "experiments/plan.h"
#include "experiments/run_file.h"
#include "experiments/tables.h"
#include "gpode/error.h"
#include "io/files.h"
#include "output.h"
#include "program_ranks.h"
#include "progress.h"
#include "report/model_view.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

using namespace experiments;

constexpr const char *kComparisonNote =
                         "\nMeans and standard errors over runs, * the best. Difference: ours less "
                         "the paper's, in standard\nerrors; negative is better.\n",
                     *kCalibrationNote =
                         "\nMeans and standard errors over data sets. MNLL, CRPS, MSE and the "
                         "width of 90 % bands are in units\nof each channel's spread; thirds are "
                         "those of the span that is held back.\n";

struct Arguments {
  std::vector<std::string> tasks, fits, tables;
  PlanSettings settings;
  std::string data, out = "reproduce", save, page;
  bool markdown = false;
  CommonOptions common;
};

std::vector<std::string> MethodNames() {
  std::vector<std::string> names;
  for (const MethodInfo& method : AllMethods()) names.push_back(method.name);
  return names;
}

std::vector<std::string> ParseMethods(const Place& place, const std::string& word) {
  const std::vector<std::string> known = MethodNames(), asked = ParseWords(place, word);
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    Refuse(place, name, fmt::format("one of {}", fmt::join(known, ", ")));
  }
  std::vector<std::string> methods;  // the same methods, in the order of the tables
  for (const std::string& name : known) {
    if (std::find(asked.begin(), asked.end(), name) != asked.end()) methods.push_back(name);
  }
  return methods;
}

// Adds the methods that --fit gives as settings, KEY=VALUE,... or default (experiments/methods.h).
// Refuses wrong settings.
void AddFits(Arguments* a) {
  const Place place{"reproduce", "--fit"};
  std::vector<std::string>& methods = a->settings.methods;
  for (const std::string& text : a->fits) {
    const std::optional<MethodInfo> method = FindMethod(text);
    if (!method || method->set != nullptr) Refuse(place, text, "KEY=VALUE,... or default");
    FitOptions trial;
    SetMethod(*method, {}, {}, fmt::format("{}: {}", place.command, place.option), &trial);
    if (std::find(methods.begin(), methods.end(), text) == methods.end()) methods.push_back(text);
  }
}

void CheckTasks(const Arguments& a) {
  const std::vector<std::string> known = TaskWords();
  for (const std::string& word : a.tasks) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::optional<std::string> nearest = Nearest(word, known);
    Refuse({"reproduce", "TASK"}, word,
           fmt::format("a task; {}see gpode reproduce --help",
                       nearest ? fmt::format("did you mean {}? ", *nearest) : ""));
  }
  if (a.tasks.empty() && a.tables.empty()) {
    ThrowInput("reproduce", "TASK", "is missing, must be one or more; see gpode reproduce --help");
  }
}

void Check(const Arguments& a) {
  CheckTasks(a);
  const PlanSettings& s = a.settings;
  if (!a.tables.empty() && (s.runs > 0 || s.steps > 0 || s.again)) {
    ThrowInput("reproduce", "--tables",
               "runs nothing, cannot be combined with --runs, --steps or --again");
  }
  if (!a.save.empty()) {
    CheckOutput(a.save);
    CheckEnding(a.save, OutputKind::kRuns);
  }
  if (!a.page.empty() && (a.common.json || a.markdown)) {
    ThrowInput("reproduce", "--page", "cannot be combined with --json or --markdown");
  }
}

std::string NameOf(const PlannedRun& run) {
  return fmt::format("{} {} {}", run.info.name, run.method.name, run.seed);
}

std::string DescribeEnd(const RunRecord& record) {
  return record.failed
             ? "failed: " + record.message
             : fmt::format("{} steps in {}", record.steps, report::Duration(record.seconds));
}

// Returns true on ranks other than 0, which do their share of the runs and print nothing.
bool IsOtherRank() { return ProgramRanks() != nullptr && ProgramRanks()->rank() > 0; }

// Returns the requested tasks, without those of real series whose file is missing. Throws
// an InputError if none are left.
std::vector<TaskInfo> TasksWithData(const Arguments& a) {
  std::vector<TaskInfo> tasks = ExpandTasks(a.tasks);
  std::erase_if(tasks, [&](const TaskInfo& task) {
    const std::string missing = MissingFile(task, a.data);
    if (!missing.empty() && !a.common.quiet && !IsOtherRank()) {
      PrintRemark(
          fmt::format("{}: skipped, {} is not in the folder of --data", task.name, missing));
    }
    return !missing.empty();
  });
  if (tasks.empty()) {
    ThrowInput("reproduce", "--data", "holds none of the series of these tasks, must hold some");
  }
  return tasks;
}

// Replaces the plan of every rank by that of rank 0, because other ranks may already see results of
// this plan and would plan differently.
void AgreeOnPlan(std::vector<PlannedRun>* plan) {
  if (ProgramRanks() == nullptr) return;
  std::vector<std::byte> is_done;
  for (const PlannedRun& run : *plan) is_done.push_back(std::byte{run.record.has_value()});
  ProgramRanks()->Broadcast(0, is_done);
  for (std::size_t i = 0; i < plan->size(); ++i) {
    if (is_done[i] == std::byte{0}) (*plan)[i].record.reset();
  }
}

// On rank 0, waits until all ranks have done their runs, then reads the records that the others
// have written.
void CollectRecords(PlanSettings settings, std::vector<PlannedRun>* plan) {
  Ranks* const ranks = ProgramRanks();
  if (ranks == nullptr || ranks->size() == 1) return;
  double done = 1;
  if (ranks->rank() > 0) return ranks->Send(0, {&done, 1});
  for (std::size_t other = 1; other < ranks->size(); ++other) ranks->Receive(other, {&done, 1});
  settings.again = false;
  *plan = MakePlan(settings);
}

// Does the runs that have no result file yet, or this rank's share of them. Returns the records of
// all runs on rank 0.
std::vector<RunRecord> RunPlan(PlanSettings settings, bool quiet) {
  std::vector<PlannedRun> plan = MakePlan(settings);
  if (const Ranks* ranks = ProgramRanks()) {
    settings.share = ranks->rank();
    settings.shares = ranks->size();
    if (settings.threads == 0) settings.threads = ranks->threads();
  }
  BeginSpreadWork();
  AgreeOnPlan(&plan);
  const std::size_t there = RecordsOf(plan).size();
  if (!quiet && there > 0) {
    PrintRemark(fmt::format("{}: {} of {} already exist", settings.out.string(), there,
                            report::Pluralise(plan.size(), "run", "runs")));
  }
  const std::size_t left = plan.size() - there, shares = settings.shares;
  const std::size_t own = (left + shares - 1 - settings.share) / shares;
  if (!quiet && shares > 1) {
    PrintRemark(fmt::format("{} ranks; the progress is that of rank 0, which does {} of {}", shares,
                            own, report::Pluralise(left, "run", "runs")));
  }
  const Interruption interruption;
  bool all = false;
  {
    RunsLine line(quiet, there, there + own);
    all = ExecutePlan(
        settings,
        {.stop = [] { return Interruption::Requested(); },
         .began = [&](const PlannedRun& run) { line.Begin(NameOf(run)); },
         .ended = [&](const PlannedRun& run) { line.End(NameOf(run), DescribeEnd(*run.record)); }},
        &plan);
  }
  if (!all) {
    if (!quiet) {
      PrintRemark(fmt::format("stopped after {} of {}; the same command continues",
                              RecordsOf(plan).size(),
                              report::Pluralise(plan.size(), "run", "runs")));
    }
    throw Interrupted();
  }
  CollectRecords(settings, &plan);
  return RecordsOf(plan);
}

// Reads runs from the folders and files of --tables, and returns those of the requested tasks and
// methods.
std::vector<RunRecord> ReadRequestedRuns(const Arguments& a) {
  std::vector<RunRecord> runs;
  for (const std::string& from : a.tables) {
    std::ranges::move(ReadRuns(from), std::back_inserter(runs));
  }
  const std::vector<TaskInfo> tasks = ExpandTasks(a.tasks);
  const std::vector<std::string>& methods = a.settings.methods;
  std::erase_if(runs, [&](const RunRecord& run) {
    const auto same = [&](const TaskInfo& task) { return task.name == run.task; };
    if (!tasks.empty() && std::none_of(tasks.begin(), tasks.end(), same)) return true;
    return !methods.empty() &&
           std::find(methods.begin(), methods.end(), run.method) == methods.end();
  });
  if (runs.empty())
    internal::ThrowAt(a.tables[0], "holds none of the requested runs, must hold some");
  return runs;
}

std::string ReadPage(const std::string& path) {
  if (path.empty()) return "";
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void PrintTables(const Arguments& a, const std::vector<MethodSummary>& summaries) {
  bool first = true;
  for (const Table& table : TablesOf(summaries)) {
    Print("{}{}", first ? "" : "\n", a.markdown ? MarkdownOf(table) : TextOf(table));
    first = false;
  }
  if (a.markdown) return;
  const bool compared = std::ranges::any_of(
      summaries, [](const MethodSummary& s) { return s.task.kind != TaskKind::kCalibration; });
  Print("{}", compared ? kComparisonNote : kCalibrationNote);
}

// Draws the paper's figures from the runs in each folder of results.
void DrawFigures(const Arguments& a) {
  for (const std::filesystem::path results :
       a.tables.empty() ? std::vector<std::string>{a.out} : a.tables) {
    std::error_code error;
    if (!std::filesystem::is_directory(results, error)) continue;
    for (const auto& path : WritePaperFigures(results, a.data, results / "figures")) {
      if (!a.common.quiet) PrintRemark(fmt::format("wrote {}", path.string()));
    }
  }
}

void Run(Arguments& a) {
  Check(a);
  AddFits(&a);
  const std::string page = ReadPage(a.page);
  std::vector<RunRecord> runs;
  if (a.tables.empty()) {
    a.settings.tasks = TasksWithData(a);
    a.settings.data = a.data;
    a.settings.out = a.out;
    a.settings.threads = a.common.threads;
    runs = RunPlan(a.settings, a.common.quiet || IsOtherRank());
    if (IsOtherRank()) return;
  } else {
    runs = ReadRequestedRuns(a);
  }
  const std::vector<MethodSummary> summaries = SummariseRuns(runs);
  const std::string filled = a.page.empty() ? "" : FillPage(page, a.page, summaries);
  if (!a.save.empty()) WriteRuns(a.save, runs);
  if (!a.page.empty()) {
    Print("{}", filled);
  } else if (a.common.json) {
    PrintLine(SummariesText(summaries));
  } else if (!a.common.quiet) {
    PrintTables(a, summaries);
  }
  std::fflush(stdout);
  DrawFigures(a);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("TASK", a->tasks, fmt::format("{}", fmt::join(TaskWords(), ", ")));
  AddWord(
      command, "--models", "A,B,...",
      [a](const Place& place, const std::string& word) {
        a->settings.methods = ParseMethods(place, word);
      },
      fmt::format("models to run, of {} (default: those of the paper and ours)",
                  fmt::join(MethodNames(), ", ")));
  command
      ->add_option(
          "--fit", a->fits,
          "one more method: gpode fit with these options, whose names are `model` and those of its "
          "configuration files, or `default` for no changes; may be repeated")
      ->type_name("KEY=VALUE,...")
      ->allow_extra_args(false);
  AddCount(command, "--runs", &a->settings.runs, {1, 1000},
           "runs per task and model, with seeds 1, 2, ... (default: 5; fresh, calibration: 20)");
  AddName(command, "--data", "DIR", &a->data,
          "folder of the data that are not built in: motion capture (mocap09.npz, ..., or the .amc "
          "files of the database) and real series (air-quality.csv)");
  AddName(command, "--out", "DIR", &a->out,
          "folder of the results and figures; existing runs are not repeated (default: reproduce)");
  AddSwitch(command, "--again", &a->settings.again, "repeat and replace existing runs");
  AddCount(command, "--steps", &a->settings.steps, {1, 1'000'000'000},
           "limit of training steps, and of warm-up and draws of a sampler, for a quick trial "
           "(default: the task's)");
  AddCount(command, "--threads", &a->common.threads, {1, 4096},
           "runs in parallel; results do not depend on it (default: all cores)");
  command
      ->add_option(
          "--tables", a->tables,
          "run nothing; print the tables and draw the figures of a folder of results, or print the "
          "tables of a file that --save wrote; may be repeated")
      ->type_name("FROM")
      ->allow_extra_args(false);
  AddName(command, "--save", "FILE", &a->save, "write all runs to one small JSON file as well");
  AddName(command, "--page", "FILE", &a->page,
          "print this text file with tables in place of lines <!-- table: KIND GROUP -->");
  AddSwitch(command, "--markdown", &a->markdown, "print tables as Markdown");
  AddJson(command, &a->common);
  AddQuiet(command, &a->common);
}

}  // namespace

void AddReproduce(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Run the paper's experiments and compare with its results");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode reproduce vdp-regular vdp-irregular fhn",
                        "gpode reproduce long --models shooting --runs 5",
                        "gpode reproduce all --data mocap --out results",
                        "gpode reproduce fhn --runs 2 --steps 500 --out trial",
                        "gpode reproduce calibration-choose --fit default --fit "
                        "kernel=matern52,inducing=32",
                        "gpode reproduce --tables results --markdown"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
