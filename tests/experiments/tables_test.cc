// Tests of summaries, differences from the paper, tables, and runs as JSON.
#include "experiments/tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/plan.h"
#include "experiments/run_file.h"
#include "gpode/options.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode::experiments {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

RunRecord Record(const std::string& task, const std::string& method, std::uint64_t seed,
                 double mnll, double mse) {
  RunRecord r;
  r.version = "1", r.task = task, r.method = method, r.seed = seed, r.cpu = "a CPU";
  r.floor = NAN;
  r.scores = Scores{};
  r.scores->mnll = mnll;
  r.scores->mse = mse;
  r.seconds = 2;
  return r;
}

RunRecord Failed(const std::string& task, const std::string& method, std::uint64_t seed) {
  RunRecord r = Record(task, method, seed, 0, 0);
  r.scores.reset();
  r.failed = true;
  r.message = "it did not work";
  return r;
}

TEST(Summary, MeansAndStandardErrors) {
  const Summary s = Summarise(std::vector<double>{1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.error, std::sqrt((4.0 + 1 + 0 + 9) / 3 / 4));
  EXPECT_EQ(s.worst, 6);
  EXPECT_TRUE(s.all());
  const Summary one = Summarise(std::vector<double>{4});
  EXPECT_EQ(one.mean, 4);
  EXPECT_TRUE(std::isnan(one.error));
  EXPECT_EQ(Summarise({}).runs, 0u);
}

TEST(Summary, RunsThatAreNotFiniteAreCounted) {
  const Summary s = Summarise(std::vector<double>{1, HUGE_VAL, 3, NAN});
  EXPECT_EQ(s.runs, 4u);
  EXPECT_EQ(s.finite, 2u);
  EXPECT_EQ(s.mean, 2);
  EXPECT_EQ(s.worst, HUGE_VAL);
  EXPECT_FALSE(s.all());
}

TEST(Summary, DifferencesAreInStandardErrors) {
  Summary ours = Summarise(std::vector<double>{0.3, 0.5});  // 0.4 ± 0.1
  EXPECT_NEAR(DifferenceInErrors(ours, {0.6, 0.2}), -0.2 / std::hypot(0.1, 0.2), 1e-12);
  EXPECT_TRUE(std::isnan(DifferenceInErrors(ours, {0.6, NAN})));
  EXPECT_TRUE(std::isnan(DifferenceInErrors(ours, {NAN, NAN})));
  EXPECT_TRUE(std::isnan(DifferenceInErrors(Summarise(std::vector<double>{0.3}), {0.6, 0.2})));
  EXPECT_EQ(DifferenceInErrors(Summarise(std::vector<double>{0.3, HUGE_VAL}), {0.6, 0.2}),
            HUGE_VAL);
}

TEST(PaperScores, AreThoseOfThePaper) {
  const auto find = [](const char* task, const char* method) {
    for (const PaperRow& f : PaperRowsOf(task)) {
      if (f.method == method) return f;
    }
    ADD_FAILURE() << task << " " << method;
    return PaperRow{};
  };
  EXPECT_EQ(find("vdp-regular", "gpode").mnll.mean, 0.60);
  EXPECT_EQ(find("vdp-irregular", "npode").mnll.error, 3.06);
  EXPECT_EQ(find("fhn", "neural-hmc").mse.mean, 0.24);
  EXPECT_TRUE(std::isnan(find("fhn", "neural").mnll.mean));
  EXPECT_EQ(find("mocap-39-long", "shooting").mnll.mean, 1.36);
  EXPECT_EQ(find("mocap-39-short", "neural").mse.error, 10.96);
  EXPECT_EQ(find("mocap-35-long", "gpode").mse.mean, 15.53);
  EXPECT_EQ(find("mocap-09-long", "neural-vi").mse.mean, 21.32);
  EXPECT_EQ(AllPaperRows().size(), 3 * 6 + 6 * 6u);
  for (const PaperRow& f : AllPaperRows()) {
    EXPECT_EQ(ExpandTasks(std::vector{f.task}).size(), 1u) << f.task;
  }
}

TEST(Tables, OursBesideThePapersWithTheBestInBold) {
  const std::vector<RunRecord> runs = {
      Record("fhn", "gpode", 1, 0.3, 0.02), Record("fhn", "gpode", 2, 0.5, 0.04),
      Record("fhn", "shooting", 1, 0.1, 0.05), Record("fhn", "shooting", 2, 0.3, 0.07)};
  const std::string text = MarkdownOf(ComparisonTable(SummariseRuns(runs), "paper"));
  EXPECT_NE(text.find("| FHN | GPODE | 0.400 ± 0.100 | **0.09 ± 0.05** | +2.8 | **0.030 ± 0.010** "
                      "| 0.07 ± 0.02 | -1.8 | 2.0 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| FHN | GPODE, shooting | **0.200 ± 0.100** |  |  | 0.060 ± 0.010 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| FHN | npODE |  | 6.49 ± 1.49 |  |  | 0.08 ± 0.01 |  |  |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| FHN | FIM-ODE, fine-tuned (2026) |  |  |  |  | **0.03** |"),
            std::string::npos)
      << text;
}

TEST(Tables, FailuresAreShown) {
  const std::vector<RunRecord> runs = {
      Record("fhn", "gpode", 1, 0.3, HUGE_VAL), Record("fhn", "gpode", 2, 0.5, 0.04),
      Failed("fhn", "gpode", 3), Failed("fhn", "shooting", 1), Failed("fhn", "shooting", 2)};
  const std::string text = TextOf(ScoresTable(SummariseRuns(runs), "paper"));
  EXPECT_NE(text.find("inf; 0.400 ± 0.100 in 2 of 3"), std::string::npos) << text;
  EXPECT_NE(text.find("inf; 0.040 in 1 of 3"), std::string::npos) << text;
  EXPECT_NE(text.find("inf (0 of 2)"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 2"), std::string::npos) << text;
  EXPECT_EQ(text.find(" *"), std::string::npos) << "nothing is best\n" << text;
}

TEST(Tables, PagesAreFilled) {
  const std::vector<MethodSummary> s =
      SummariseRuns(std::vector{Record("fhn", "gpode", 1, 0.3, 0.02)});
  const std::string page = FillPage(
      "# A\n<!-- table: comparison paper -->\n<!-- other -->\n"
      "<!-- table: efficiency -->\nend",
      "a.md", s);
  EXPECT_TRUE(page.starts_with("# A\n| task | method | MNLL | paper |")) << page;
  EXPECT_TRUE(page.ends_with("|\n<!-- other -->\nNo runs yet.\nend")) << page;
  EXPECT_EQ(MessageOf([&] { FillPage("\n<!-- table: scores moon -->", "a.md", s); }),
            "a.md:2: table 'scores moon' found, must be 'comparison GROUP', 'scores GROUP', "
            "'validation GROUP', 'samplers GROUP', 'calibration GROUP', 'horizon GROUP', "
            "'ranks GROUP', 'bands TASK' or 'efficiency'");
}

// Returns the bands of one channel at two times. Their means are moved by `shift`, and each band
// has the given width.
std::vector<BandPoint> Points(double shift, double width) {
  std::vector<BandPoint> points;
  for (double time : {1.0, 2.0}) {
    const double mean = 10 * time + shift;
    points.push_back({time, 1, 10 * time, mean, mean - width / 2, mean + width / 2});
  }
  return points;
}

TEST(Tables, BandsOfGpodeAgainstItsSampler) {
  std::vector<RunRecord> runs = {
      Record("vdp-regular", "gpode", 1, 0, 0), Record("vdp-regular", "gpode", 2, 0, 0),
      Failed("vdp-regular", "gpode", 3), Record("vdp-regular", "gpode-hmc", 1, 0, 0)};
  runs[0].bands = Points(0, 1), runs[1].bands = Points(2, 2);
  EXPECT_TRUE(BandsTable(SummariseRuns(runs), "vdp-regular").rows.empty());
  runs[3].bands = Points(2, 3);
  const Table table = BandsTable(SummariseRuns(runs), "vdp-regular");
  EXPECT_NE(MarkdownOf(table).find("| 2 | x2 | 20.000 | 21.000 | 22.000 | 1.500 | 3.000 |\n"),
            std::string::npos)
      << MarkdownOf(table);
  EXPECT_NE(table.note.find("differ by 0.333 of NUTS's width, widths are 0.50 times"),
            std::string::npos)
      << table.note;
  EXPECT_NE(TextOf(table).find(table.note), std::string::npos);
  EXPECT_TRUE(BandsTable(SummariseRuns(runs), "fhn").rows.empty());
  EXPECT_EQ(TablesOf(SummariseRuns(runs)).size(), 2u);  // the tables "comparison" and "bands"
}

TEST(Tables, SamplersSayWhetherToTrustThem) {
  std::vector<RunRecord> runs = {Record("fhn", "neural-hmc", 1, 0, 0),
                                 Record("fhn", "neural-hmc", 2, 0, 0),
                                 Record("fhn", "gpode", 1, 0, 0)};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto n = static_cast<double>(i);
    runs[i].sampler = {.worst_rhat = 1.01 + 0.02 * n, .least_bulk_ess = 100 + 50 * n};
    runs[i].sampler->divergent = 3 * i;
    runs[i].sampled = 600;
  }
  const std::string text = MarkdownOf(SamplersTable(SummariseRuns(runs), "paper"));
  EXPECT_NE(text.find("| FHN | Bayesian NeuralODE (HMC) | 600 | 1.020 | 1.030 | 125 | 1.5 | 0.0 |"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("GPODE"), std::string::npos);
}

TEST(Efficiency, TheBoundSettlesWhenItStaysNearItsEnd) {
  BoundHistory history;
  for (int i = 0; i < 20; ++i) {
    history.seconds.push_back(0.5 * i);
    history.step.push_back(10 * i);
    history.bound.push_back(i < 5 ? -100 : i == 8 ? -30 : -10);
  }
  const Settling s = SettlingOf(history, 100);  // The bound must stay within 10 of its end.
  EXPECT_EQ(s.bound, -10);
  EXPECT_EQ(s.step, 90);  // the step after the dip to -30
  EXPECT_EQ(s.seconds, 4.5);
  EXPECT_EQ(SettlingOf(history, 200).step, 50);  // The dip is within 20 of the end.
}

TEST(RunFiles, JsonKeepsEverything) {
  RunRecord r = Record("efficiency", "shooting", 7, -0.25, HUGE_VAL);
  r.options = "steps = 3\n";
  r.warning = "odd \xff bytes \"quoted\"";
  r.scores->crps = NAN;
  r.scores->diverged = 2;
  r.calibrated = r.scores;
  r.calibrated->mnll = -HUGE_VAL;
  r.floor = 1.0 / 3;
  r.settling = Settling{-5, 0.25, 100};
  r.history = {{0.5}, {1}, {-7}};
  r.bands = Points(0.5, 1);
  r.sampler = SamplerSummary{.worst_rhat = 1.5, .least_bulk_ess = NAN};
  r.sampler->at_max_depth = 4, r.sampler->evaluations = 5;
  r.sampled = 6;
  const RunRecord back = ParseRun(RunText(r), "a.json");
  ASSERT_EQ(back.bands.size(), 2u);
  EXPECT_EQ(back.bands[1].time, 2);
  EXPECT_EQ(back.bands[1].channel, 1u);
  EXPECT_EQ(back.bands[1].mean, 20.5);
  EXPECT_EQ(back.bands[1].upper, 21);
  EXPECT_EQ(back.sampler->worst_rhat, 1.5);
  EXPECT_TRUE(std::isnan(back.sampler->least_bulk_ess));
  EXPECT_EQ(back.sampler->at_max_depth, 4u);
  EXPECT_EQ(back.sampled, 6u);
  EXPECT_EQ(back.method, "shooting");
  EXPECT_EQ(back.seed, 7u);
  EXPECT_EQ(back.options, r.options);
  EXPECT_EQ(back.scores->mse, HUGE_VAL);
  EXPECT_TRUE(std::isnan(back.scores->crps));
  EXPECT_EQ(back.scores->diverged, 2u);
  EXPECT_EQ(back.calibrated->mnll, -HUGE_VAL);
  EXPECT_FALSE(back.validation.has_value());
  EXPECT_EQ(back.floor, r.floor);
  EXPECT_EQ(back.settling->step, 100);
  EXPECT_EQ(back.history.bound, r.history.bound);
  const std::vector<RunRecord> small = ParseRuns(RunsText(std::vector{r}), "b.json");
  EXPECT_NEAR(small.at(0).floor, r.floor, 1e-6);
  EXPECT_TRUE(small.at(0).history.bound.empty());
  EXPECT_TRUE(small.at(0).bands.empty());  // The bands of the method "shooting" are not kept.
  r.method = "gpode";
  EXPECT_EQ(ParseRuns(RunsText(std::vector{r}), "b.json").at(0).bands.size(), 2u);
}

TEST(RunFiles, DamagedFilesAreOneLine) {
  const std::string text = RunText(Record("fhn", "gpode", 1, 0.3, 0.02));
  const std::string wanted =
      "a.json: is damaged, must be the JSON of a run; delete it to run again";
  for (const std::string& bad : {text.substr(0, text.size() / 2), std::string("{}"),
                                 std::string("[1]"), std::string(""), std::string("\xff\x00", 2)}) {
    EXPECT_EQ(MessageOf([&] { ParseRun(bad, "a.json"); }), wanted) << bad;
  }
}

TEST(RunFiles, ListsOfSeveralLengthsAreRefused) {
  RunRecord r = Record("efficiency", "gpode", 1, 0, 0);
  r.history = {{1, 2}, {1, 2}, {1}};
  EXPECT_EQ(MessageOf([&] { ParseRun(RunText(r), "a.json"); }),
            "a.json: history has lists of different lengths, must have equal ones");
}

TEST(Methods, AreAllModelsWithTheirTitles) {
  EXPECT_EQ(AllMethods().size(), ListModels().size());
  for (const NamedModel& model : ListModels()) {
    ASSERT_TRUE(FindMethod(model.name).has_value()) << model.name;
    EXPECT_EQ(FindMethod(model.name)->title, model.title);
  }
}

TEST(Methods, OptionsAreThoseOfTheMethodAndStepsCapSamplers) {
  const TaskInfo info = ExpandTasks(std::vector<std::string>{"fhn"}).at(0);
  const Task task = MakeTask(info, 1, "");
  for (const MethodInfo& method : AllMethods()) {
    const FitOptions options = OptionsOf(task, info, method, {.steps = 7});
    EXPECT_EQ(NameOf(options).name, method.name);
    EXPECT_EQ(options.steps, 7u);
    EXPECT_EQ(options.sampler.warm_up, 7u);
    EXPECT_EQ(options.sampler.draws, 7u);
    EXPECT_EQ(options.threads, 1u);
  }
}

TEST(Methods, DefaultsAreInTheOrderOfTheTables) {
  const auto methods = [](const char* task) {
    return DefaultMethods(ExpandTasks(std::vector<std::string>{task}).at(0));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(methods("fhn"),
            (Names{"neural-hmc", "neural-vi", "neural", "npode", "gpode", "shooting"}));
  EXPECT_EQ(methods("vdp-regular").back(), "gpode-hmc");
  EXPECT_EQ(methods("long-25-0.01").size(), 8u);
  EXPECT_EQ(methods("mocap-09-short"),
            (Names{"neural-vi", "neural", "npode", "gpode", "shooting"}));
  EXPECT_EQ(methods("efficiency"), (Names{"gpode", "shooting"}));
}

// Bands are at ten of the test times, including the first and the last.
TEST(Plan, RunsOfSimulatedTasksHaveBands) {
  const TaskInfo info = ExpandTasks(std::vector<std::string>{"vdp-regular"}).at(0);
  const RunResult result = Execute(info, *FindMethod("gpode"), {.steps = 3});
  const Task task = MakeTask(info, 1, "");
  const std::vector<BandPoint>& bands = result.record.bands;
  ASSERT_EQ(bands.size(), 20u);
  EXPECT_EQ(bands.front().time, task.tests[0].times.front());
  EXPECT_EQ(bands.back().time, task.tests[0].times.back());
  EXPECT_EQ(bands.back().channel, 1u);
  EXPECT_EQ(bands.back().truth, task.tests[0].values(task.tests[0].values.rows() - 1, 1));
  for (std::size_t i = 2; i < bands.size(); i += 2) EXPECT_GT(bands[i].time, bands[i - 2].time);
  for (const BandPoint& p : bands) {
    EXPECT_LT(p.lower, p.mean);
    EXPECT_GT(p.upper, p.mean);
  }
  EXPECT_FALSE(result.record.sampler.has_value());
}

TEST(Plan, RunsThatFailAreRecordedAndKeepNoModel) {
  TemporaryFolder folder;
  // Training refuses an unknown kernel.
  const MethodInfo broken{"gpode", "GPODE", 1, false,
                          [](const TaskInfo&, FitOptions* o) { o->kernel = "none"; }};
  const TaskInfo info = ExpandTasks(std::vector<std::string>{"fhn"}).at(0);
  const RunResult result = Execute(info, broken, {.steps = 3});
  EXPECT_TRUE(result.record.failed);
  EXPECT_FALSE(result.record.message.empty());
  std::filesystem::create_directories(folder / "fhn");
  SaveRun(folder.path(), result);
  EXPECT_TRUE(std::filesystem::exists(folder / "fhn/gpode-1.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "fhn/gpode-1.gpode"));
  EXPECT_TRUE(ReadRuns(folder.path()).at(0).failed);
}

TEST(Tasks, WordsAreTasksGroupsOrAll) {
  const auto count = [](std::vector<std::string> words) { return ExpandTasks(words).size(); };
  EXPECT_EQ(count({"long"}), 9u);
  EXPECT_EQ(count({"mocap", "mocap-09-long"}), 6u);
  EXPECT_EQ(count({"fresh"}), 3u);
  EXPECT_EQ(count({"all"}), 3u + 9 + 1 + 6);
  EXPECT_NE(MessageOf([&] { count({"moon"}); }), "nothing thrown");
  for (const TaskInfo& info : ExpandTasks(std::vector<std::string>{"long", "paper", "fresh"})) {
    EXPECT_TRUE(std::isfinite(MakeTask(info, 1, "").Floor())) << info.name;
  }
}

TEST(Tasks, FreshOnesDifferInTheirNoiseOnly) {
  const TaskInfo info = ExpandTasks(std::vector<std::string>{"fresh-vdp"}).at(0);
  const Task a = MakeTask(info, 1, ""), b = MakeTask(info, 2, "");
  EXPECT_EQ(a.fit_seed, b.fit_seed);
  EXPECT_EQ(a.tests[0].values, b.tests[0].values);
  EXPECT_NE(a.data.trajectories[0].values, b.data.trajectories[0].values);
}

}  // namespace
}  // namespace gpode::experiments
