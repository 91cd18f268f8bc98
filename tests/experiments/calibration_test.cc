// Tests of the calibration harness: its tasks, the scores of bands, ranks, and summaries.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "experiments/calibration_tasks.h"
#include "experiments/plan.h"
#include "experiments/rank_statistics.h"
#include "experiments/real_series.h"
#include "experiments/run_file.h"
#include "experiments/tables.h"
#include "gpode/options.h"
#include "gpode/random.h"
#include "gpode/simulate.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode::experiments {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

TaskInfo InfoOf(const std::string& name) {
  const std::vector<TaskInfo> tasks = ExpandTasks(std::vector{name});
  EXPECT_EQ(tasks.size(), 1u) << name;
  return tasks.at(0);
}

std::vector<std::string> NamesOf(const std::string& word) {
  std::vector<std::string> names;
  for (const TaskInfo& task : ExpandTasks(std::vector{word})) names.push_back(task.title);
  return names;
}

TEST(CalibrationTasks, TheHalvesAreFixed) {
  EXPECT_EQ(NamesOf("calibration-choose"),
            (std::vector<std::string>{"lotka-volterra", "duffing", "brusselator", "sir",
                                      "cubic-spiral", "lorenz63", "may-leonard", "morris-lecar"}));
  EXPECT_EQ(
      NamesOf("calibration-report"),
      (std::vector<std::string>{"vdp", "fhn", "pendulum", "toggle-switch", "rosenzweig-macarthur",
                                "seir", "selkov", "rossler", "repressilator", "compartments"}));
  EXPECT_EQ(InfoOf("calibration-vdp").runs, 20u);
  for (const TaskInfo& task : ExpandTasks(std::vector<std::string>{"all"})) {
    EXPECT_NE(task.kind, TaskKind::kCalibration) << task.name;
  }
  EXPECT_EQ(NamesOf("calibration").size(), 2 * (18 + 8) + 1 + 9u);
}

TEST(CalibrationTasks, TheTableInTheDocsIsThatOfTheCode) {
  std::ifstream file(std::string(GPODE_GOLDEN_DEFAULT) + "/../../docs/results.in.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const CalibrationSystem& system : CalibrationSystems()) {
    const std::string row = fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", system.for_choosing ? "choose" : "report", system.name,
        system.kind, system.start.size(), fmt::join(system.start, ", "), system.span);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(CalibrationTasks, SystemsAreObservedAtRandomTimesWithEightPercentNoise) {
  for (const CalibrationSystem& system : CalibrationSystems()) {
    SCOPED_TRACE(system.name);
    const TaskInfo info = InfoOf("calibration-" + system.name);
    double ratio = 0, values = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Task task = MakeTask(info, seed, "");
      const Trajectory& data = task.data.trajectories[0];
      const BandsTask& bands = *task.bands;
      ASSERT_EQ(data.times.size(), 60u);
      EXPECT_EQ(data.times[0], 0);
      EXPECT_LE(data.times.back(), system.span);
      ASSERT_EQ(bands.times.size(), 30u);
      EXPECT_GT(bands.times[0], system.span);
      EXPECT_DOUBLE_EQ(bands.times.back(), 1.5 * system.span);
      EXPECT_NO_THROW(CheckDataset(task.data));
      const Matrix scaled =
          (data.values - bands.seen_truth) * bands.spread.cwiseInverse().asDiagonal();
      ratio += scaled.squaredNorm();
      const Matrix later =
          (bands.observed - bands.truth) * bands.spread.cwiseInverse().asDiagonal();
      ratio += later.squaredNorm();
      values += static_cast<double>(scaled.size() + later.size());
    }
    EXPECT_NEAR(std::sqrt(ratio / values), 0.08, 0.01);
  }
}

TEST(CalibrationTasks, SparseTasksForecastTheirSpanOnceMore) {
  EXPECT_EQ(NamesOf("calibration-sparse").size(), SparseSystems().size());
  for (const SparseSystem& sparse : SparseSystems()) {
    SCOPED_TRACE(sparse.name);
    const CalibrationSystem& system = sparse.system;
    const Task task = MakeTask(InfoOf("calibration-sparse-" + sparse.name), 2, "");
    EXPECT_NO_THROW(CheckDataset(task.data));
    if (sparse.has_quadrant_gap) continue;
    EXPECT_EQ(task.data.trajectories[0].times.size(), system.points);
    EXPECT_GT(task.bands->times[0], system.span);
    EXPECT_DOUBLE_EQ(task.bands->times.back(), 2 * system.span);
  }
}

TEST(CalibrationTasks, AQuadrantGapHasNoRowsInTheData) {
  for (const SparseSystem& sparse : SparseSystems()) {
    if (!sparse.has_quadrant_gap) continue;
    SCOPED_TRACE(sparse.name);
    const Task task = MakeTask(InfoOf("calibration-sparse-" + sparse.name), 1, "");
    const BandsTask& bands = *task.bands;
    EXPECT_EQ(task.data.trajectories[0].times.size() + bands.times.size(), sparse.system.points);
    ASSERT_GE(bands.times.size(), 3u);
    EXPECT_GT(bands.truth.col(0).minCoeff(), 0);
    EXPECT_LT(bands.truth.col(1).maxCoeff(), 0);
    EXPECT_EQ(bands.seen_truth.rows(), task.data.trajectories[0].values.rows());
  }
}

TEST(CalibrationTasks, ASeedIsADataSet) {
  const TaskInfo info = InfoOf("calibration-sir");
  const Task one = MakeTask(info, 1, ""), same = MakeTask(info, 1, ""), two = MakeTask(info, 2, "");
  EXPECT_EQ(one.data.trajectories[0].values, same.data.trajectories[0].values);
  EXPECT_NE(one.data.trajectories[0].times, two.data.trajectories[0].times);
  EXPECT_NE(one.bands->truth, two.bands->truth) << "the starts are the same";
  EXPECT_EQ(one.fit_seed, two.fit_seed);
  EXPECT_LT((one.bands->truth - two.bands->truth).cwiseAbs().maxCoeff(),
            0.5 * one.bands->spread.maxCoeff());
}

TEST(CalibrationTasks, AGapKeepsItsRowsWithoutValues) {
  const Task whole = MakeTask(InfoOf("calibration-vdp"), 3, "");
  const Task task = MakeTask(InfoOf("calibration-gap-vdp"), 3, "");
  const Matrix& values = task.data.trajectories[0].values;
  std::vector<std::size_t> rows;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    EXPECT_EQ(values.row(i).hasNaN(), values.row(i).array().isNaN().all());
    if (values.row(i).hasNaN()) rows.push_back(static_cast<std::size_t>(i));
  }
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows.back() - rows.front(), 6u);
  EXPECT_GE(rows.front(), 20u);
  EXPECT_LT(rows.back(), 40u);
  ASSERT_EQ(task.bands->times.size(), 7u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(rows[k]);
    EXPECT_EQ(task.bands->times[k], task.data.trajectories[0].times[rows[k]]);
    EXPECT_EQ(Matrix(task.bands->observed.row(static_cast<Eigen::Index>(k))),
              Matrix(whole.data.trajectories[0].values.row(i)));
    EXPECT_EQ(Matrix(task.bands->truth.row(static_cast<Eigen::Index>(k))),
              Matrix(whole.bands->seen_truth.row(i)));
  }
}

TEST(RealSeriesTest, AreComplete) {
  for (const std::string& name : RealSeriesNames()) {
    if (!FileOfRealSeries(name).empty()) continue;
    SCOPED_TRACE(name);
    const RealSeries series = ReadRealSeries(name, "");
    EXPECT_EQ(series.times.size(), static_cast<std::size_t>(series.values.rows()));
    EXPECT_EQ(series.channels.size(), static_cast<std::size_t>(series.values.cols()));
    EXPECT_TRUE(series.values.allFinite());
    EXPECT_LT(series.learnt, series.times.size());
    const Task task = MakeTask(InfoOf("calibration-" + name), 1, "");
    EXPECT_EQ(task.data.trajectories[0].times.size() + task.bands->times.size(),
              series.times.size());
    EXPECT_EQ(task.bands->truth.rows(), 0);
    std::set<double> gaps;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Task gap = MakeTask(InfoOf("calibration-gap-" + name), seed, "");
      EXPECT_EQ(gap.data.trajectories[0].times, series.times);
      gaps.insert(gap.bands->times[0]);
    }
    EXPECT_GT(gaps.size(), 2u);
  }
  const RealSeries pelts = ReadRealSeries("lynx-hare", "");
  EXPECT_EQ(pelts.times.front(), 1900);
  EXPECT_EQ(pelts.times.back(), 1920);
  EXPECT_EQ(pelts.values(4, 1), 59.4);
}

TEST(RealSeriesTest, AirQualityIsReadFromItsFile) {
  const TemporaryFolder folder;
  const TaskInfo info = InfoOf("calibration-air-quality");
  EXPECT_EQ(MissingFile(info, folder.path()), "air-quality.csv");
  EXPECT_EQ(MissingFile(InfoOf("calibration-vdp"), folder.path()), "");
  std::string text = "Date;Time;1;2;3;4;5;6;7;8;9;10;T;RH;AH,,\r\n";
  for (int i = 0; i < 768; ++i) {
    text += "10/03/2004;18.00.00;2,6;1360;150;11,9;1046;166;1056;113;1692;1268;" +
            std::string(i == 3 ? "-200" : "13,5") + ";48,9;0,75;;\r\n";
  }
  const std::filesystem::path file = folder.path() / "air-quality.csv";
  std::ofstream(file) << text;
  EXPECT_EQ(MissingFile(info, folder.path()), "");
  const RealSeries series = ReadRealSeries("air-quality", folder.path());
  EXPECT_EQ(series.times.size(), 768u);
  EXPECT_EQ(series.values(0, 0), 13.5);
  EXPECT_EQ(series.values(0, 2), 0.75);
  EXPECT_TRUE(std::isnan(series.values(3, 0)));
  std::ofstream(file) << "Date;Time\n1;2\n";
  EXPECT_EQ(MessageOf([&] { ReadRealSeries("air-quality", folder.path()); }),
            file.string() +
                ":2: 2 cells found, must be at least 15 in the first 768 lines after the header");
}

// Returns a forecast of one channel at one time with these draws.
Forecast ForecastOf(const std::vector<double>& draws, double variance) {
  Forecast forecast{.times = {0}, .noise = GaussianNoise(Vector::Constant(1, variance))};
  for (double v : draws) forecast.draws.push_back(Matrix::Constant(1, 1, v));
  return forecast;
}

BandScores ScoresOf(const Forecast& forecast, double truth, double observed, double spread = 1) {
  return ScoreForecast(forecast, Matrix::Constant(1, 1, truth), Matrix::Constant(1, 1, observed),
                       Vector::Zero(1), Vector::Constant(1, spread));
}

TEST(BandScoresTest, AreThoseOfTheDraws) {
  std::vector<double> draws;
  for (int i = 0; i <= 100; ++i) draws.push_back(i);
  const BandScores in = ScoresOf(ForecastOf(draws, 1e-4), 74, 4.5, 2);
  EXPECT_EQ(in.truth_50, 1);
  EXPECT_EQ(in.truth_90, 1);
  EXPECT_EQ(in.observed_50, 0);
  EXPECT_EQ(in.observed_90, 0);
  EXPECT_EQ(in.observed_95, 1);
  EXPECT_DOUBLE_EQ(in.width, 45);
  EXPECT_NEAR(in.mse, 144, 1e-9);
  EXPECT_EQ(in.ran_away, 0);
  const BandScores out = ScoresOf(ForecastOf(draws, 1e-4), 96, 50, 2);
  EXPECT_EQ(out.truth_90, 0);
  EXPECT_EQ(out.truth_95, 1);
  EXPECT_EQ(out.observed_50, 1);
  // The score is in units of the spread, here 2, and the density of y / 2 is twice that of y.
  EXPECT_NEAR(ScoresOf(ForecastOf({3}, 4), 3, 3, 2).mnll, 0.5 * std::log(2 * M_PI), 1e-9);
  EXPECT_NEAR(ScoresOf(ForecastOf({3}, 1), 3, 5, 2).crps,
              ScoresOf(ForecastOf({3}, 1), 3, 5, 1).crps / 2, 1e-12);
}

TEST(BandScoresTest, DrawsThatRanAwayAreMisses) {
  const Forecast half = ForecastOf({-1, 1, NAN, 1000}, 1);
  const BandScores scores = ScoresOf(half, 0, 0);
  EXPECT_EQ(scores.truth_90, 0.5);
  EXPECT_EQ(scores.observed_90, 0.5);
  EXPECT_EQ(scores.ran_away, 0.5);
  EXPECT_EQ(scores.mse, 0);
  EXPECT_NEAR(scores.mnll, ScoresOf(ForecastOf({-1, 1}, 1), 0, 0).mnll + std::log(2), 1e-9);
  const BandScores none = ScoresOf(ForecastOf({NAN, HUGE_VAL}, 1), 0, 0);
  EXPECT_EQ(none.truth_90, 0);
  EXPECT_EQ(none.ran_away, 1);
  EXPECT_EQ(none.mse, HUGE_VAL);
  EXPECT_EQ(none.mnll, HUGE_VAL);
}

TEST(BandScoresTest, ValuesThatAreNotThereAreNotCompared) {
  const Forecast forecast = ForecastOf({-1, 1}, 1);
  const BandScores scores = ScoreForecast(forecast, Matrix(), Matrix::Constant(1, 1, 0.5),
                                          Vector::Zero(1), Vector::Ones(1));
  EXPECT_TRUE(std::isnan(scores.truth_90));
  EXPECT_EQ(scores.observed_90, 1);
  EXPECT_DOUBLE_EQ(scores.mse, 0.25);
  const BandScores none =
      ScoreForecast(forecast, Matrix(), Matrix(), Vector::Zero(1), Vector::Ones(1));
  EXPECT_TRUE(std::isnan(none.mnll) && std::isnan(none.width));
}

// If truth, observations and draws come from the distributions that the bands assume, the bands
// have the nominal coverage.
TEST(BandScoresTest, RightDistributionsHaveNominalCoverage) {
  constexpr std::size_t kTimes = 1000;
  std::vector<double> normals(kTimes * (kBandDraws + 2));
  RandomStream(5, 0, 0, Purpose::kTest).Normals(normals);
  Forecast forecast{.times = std::vector<double>(kTimes),
                    .noise = GaussianNoise(Vector::Constant(1, 0.25))};
  Matrix truth(kTimes, 1), observed(kTimes, 1);
  for (std::size_t i = 0; i < kTimes; ++i) {
    truth(i, 0) = normals[i];
    observed(i, 0) = normals[i] + 0.5 * normals[kTimes + i];
  }
  for (std::size_t s = 0; s < kBandDraws; ++s) {
    forecast.draws.push_back(
        Eigen::Map<const Matrix>(normals.data() + (s + 2) * kTimes, kTimes, 1));
  }
  const BandScores scores =
      ScoreForecast(forecast, truth, observed, Vector::Zero(1), Vector::Ones(1));
  EXPECT_NEAR(scores.truth_50, 0.5, 0.05);
  EXPECT_NEAR(scores.truth_90, 0.9, 0.03);
  EXPECT_NEAR(scores.truth_95, 0.95, 0.022);
  EXPECT_NEAR(scores.observed_50, 0.5, 0.05);
  EXPECT_NEAR(scores.observed_90, 0.9, 0.03);
  EXPECT_NEAR(scores.observed_95, 0.95, 0.022);
  EXPECT_NEAR(scores.width, 2 * 1.645, 0.03);
}

TEST(MethodTexts, AreOptionsOfFit) {
  Dataset data{.channels = {"x"}, .trajectories = std::vector<Trajectory>(1)};
  data.trajectories[0].times = {0, 1};
  const auto options = [&](const std::string& text) {
    FitOptions set;
    SetMethod(*FindMethod(text), {}, data, "--fit", &set);
    return set;
  };
  EXPECT_EQ(OptionsText(options("default")), OptionsText(ChooseOptions(data)));
  EXPECT_EQ(options("default").posterior, "joint");
  EXPECT_EQ(OptionsText(options("posterior=blocks")), OptionsText({}));
  const FitOptions set = options("model=neural-vi, steps = 17,neural.hidden=8,9,jitter=1e-5");
  EXPECT_EQ(set.function, "network");
  EXPECT_EQ(set.steps, 17u);
  EXPECT_EQ(set.neural.hidden, (std::vector<std::size_t>{8, 9}));
  EXPECT_EQ(set.jitter, 1e-5);
  EXPECT_EQ(options("kernel=\"matern52\"").kernel, "matern52");
  EXPECT_EQ(MessageOf([&] { options("steps=-1"); }),
            "--fit steps is -1, must be a whole number of at least 1");
  EXPECT_FALSE(FindMethod("nothing"));
  EXPECT_FALSE(FindMethod("=3"));
}

TEST(MethodTexts, LongSeriesAreShot) {
  Dataset data{.channels = {"x"}, .trajectories = std::vector<Trajectory>(1)};
  data.trajectories[0].times.resize(100);
  FitOptions set;
  SetMethod(*FindMethod("default"), {}, data, "--fit", &set);
  EXPECT_EQ(set.bound, BoundKind::kShooting);
  SetMethod(*FindMethod("model=gpode"), {}, data, "--fit", &set);
  EXPECT_EQ(set.bound, BoundKind::kVanilla);
}

TEST(MethodTexts, HaveFilesOfTheirOwn) {
  EXPECT_EQ(FileNameOf("gpode"), "gpode");
  EXPECT_EQ(FileNameOf("steps=3,kernel=matern52"), "steps=3,kernel=matern52");
  EXPECT_NE(FileNameOf("kernel=a + b"), FileNameOf("kernel=a * b"));
  EXPECT_EQ(FileNameOf("kernel=a/b").find('/'), std::string::npos);
  const std::string key(300, 'a');
  EXPECT_NE(FileNameOf(key + "=1"), FileNameOf(key + "=2"));
  EXPECT_LT(FileNameOf(key + "=1").size(), 200u);
}

RunRecord Record(const std::string& task, const std::string& method, std::uint64_t seed,
                 double coverage, double mnll) {
  RunRecord r;
  r.version = "1", r.task = task, r.method = method, r.seed = seed, r.cpu = "a CPU";
  r.floor = NAN;
  r.seconds = 2;
  CalibrationScores& scores = r.calibration.emplace();
  scores.all.truth_90 = coverage;
  scores.all.mnll = mnll;
  scores.all.ran_away = 0;
  scores.horizon[2].truth_90 = coverage / 2;
  scores.seen.truth_90 = 0.75;
  return r;
}

RunRecord Failed(const std::string& task, const std::string& method, std::uint64_t seed) {
  RunRecord r = Record(task, method, seed, 0, 0);
  r.calibration.reset();
  r.failed = true;
  r.message = "it did not work";
  return r;
}

TEST(CalibrationSummaries, MeansOverSystemsHaveErrorsOverDataSets) {
  const std::vector<RunRecord> runs = {Record("calibration-vdp", "default", 1, 0.8, 1),
                                       Record("calibration-vdp", "default", 2, 1.0, 3),
                                       Record("calibration-fhn", "default", 1, 0.4, 0),
                                       Record("calibration-fhn", "default", 2, 0.4, 0)};
  const std::vector<MethodSummary> all = WithMeans(SummariseRuns(runs));
  ASSERT_EQ(all.size(), 3u);
  const Summary& one = all[0].calibration->all.Of(&BandScores::truth_90);
  EXPECT_DOUBLE_EQ(one.mean, 0.9);
  EXPECT_DOUBLE_EQ(one.error, 0.1);
  EXPECT_EQ(all[2].task.name, "calibration-report");
  const Summary& mean = all[2].calibration->all.Of(&BandScores::truth_90);
  EXPECT_DOUBLE_EQ(mean.mean, 0.65);
  EXPECT_DOUBLE_EQ(mean.error, 0.05);
  EXPECT_EQ(mean.runs, 4u);
  EXPECT_EQ(all[0].calibration->all.Of(&BandScores::observed_90).runs, 0u);
}

TEST(CalibrationSummaries, SeriesWithOneRunHaveErrorsOverSeries) {
  const std::vector<RunRecord> runs = {Record("calibration-lynx-hare", "default", 1, 0.8, 1),
                                       Record("calibration-school-flu", "default", 1, 0.4, 3)};
  const Summary& mean =
      WithMeans(SummariseRuns(runs)).back().calibration->all.Of(&BandScores::truth_90);
  EXPECT_DOUBLE_EQ(mean.mean, 0.6);
  EXPECT_DOUBLE_EQ(mean.error, 0.2);
}

TEST(CalibrationSummaries, FailedRunsAreMisses) {
  const std::vector<RunRecord> runs = {Record("calibration-vdp", "default", 1, 0.8, 1),
                                       Failed("calibration-vdp", "default", 2)};
  const MethodSummary s = SummariseRuns(runs)[0];
  EXPECT_DOUBLE_EQ(s.calibration->all.Of(&BandScores::truth_90).mean, 0.4);
  EXPECT_DOUBLE_EQ(s.calibration->all.Of(&BandScores::ran_away).mean, 0.5);
  EXPECT_EQ(s.calibration->all.Of(&BandScores::mnll).finite, 1u);
  const std::string text = TextOf(CalibrationTable({&s, 1}, "calibration-report"));
  EXPECT_NE(text.find("inf; 1.00 in 1 of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 2"), std::string::npos) << text;
}

TEST(CalibrationSummaries, FailedRunsHadScoresAgainstAnUnknownTruth) {
  std::vector<RunRecord> runs = {Record("calibration-lynx-hare", "default", 1, 0.8, 1),
                                 Failed("calibration-lynx-hare", "default", 2)};
  runs[0].calibration->all.truth_90 = NAN;
  const MethodSummary s = SummariseRuns(runs)[0];
  EXPECT_EQ(s.calibration->all.Of(&BandScores::truth_90).runs, 0u);
  EXPECT_DOUBLE_EQ(s.calibration->all.Of(&BandScores::ran_away).mean, 0.5);
}

TEST(CalibrationSummaries, TablesAndJson) {
  std::vector<RunRecord> runs = {Record("calibration-vdp", "default", 1, 0.8, 1),
                                 Record("calibration-vdp", "steps=5", 1, 0.7, 2),
                                 Record("calibration-fhn", "default", 1, 0.6, 1),
                                 Record("calibration-fhn", "steps=5", 1, 0.5, 2)};
  const std::vector<MethodSummary> summaries = SummariseRuns(runs);
  const std::vector<Table> tables = TablesOf(summaries);
  ASSERT_EQ(tables.size(), 2u);
  const std::string text = MarkdownOf(tables[0]), horizon = MarkdownOf(tables[1]);
  EXPECT_EQ(text.find("observations in"), std::string::npos) << "an empty column is there";
  EXPECT_NE(text.find("| vdp | steps=5 | 0.70 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| mean of 2 | default | 0.70 ± 0.10 |"), std::string::npos) << text;
  EXPECT_NE(horizon.find("| vdp | default | 0.75 |  |  | 0.40 |"), std::string::npos) << horizon;
  EXPECT_NE(SummariesText(summaries).find("\"group\": \"calibration-report\""), std::string::npos);
  const std::string page =
      FillPage("<!-- table: calibration calibration-report -->\n", "page", summaries);
  EXPECT_EQ(page, text);
}

TEST(CalibrationRecords, AreReadBackAsTheyWere) {
  RunRecord r = Record("calibration-prior-2", "kernel=matern52", 4, 0.75, HUGE_VAL);
  r.ranks = {{"start x1", 3}, {"slope x2 at 1", 63}};
  const RunRecord back = ParseRun(RunText(r), "file");
  EXPECT_EQ(back.method, "kernel=matern52");
  ASSERT_TRUE(back.calibration.has_value());
  EXPECT_EQ(back.calibration->all.truth_90, 0.75);
  EXPECT_EQ(back.calibration->all.mnll, HUGE_VAL);
  EXPECT_TRUE(std::isnan(back.calibration->all.crps));
  EXPECT_EQ(back.calibration->horizon[2].truth_90, 0.375);
  EXPECT_EQ(back.calibration->seen.truth_90, 0.75);
  ASSERT_EQ(back.ranks.size(), 2u);
  EXPECT_EQ(back.ranks[1].quantity, "slope x2 at 1");
  EXPECT_EQ(back.ranks[1].rank, 63u);
  r.ranks[0].rank = 64;
  EXPECT_EQ(MessageOf([&] { ParseRun(RunText(r), "file"); }),
            "file: rank 64 found, must be at most 63");
  // A method of the calibration is named by its options ("a=1"). Runs of such a method survive
  // being written to a file of many runs and read again. Runs of the method "default" come first.
  const std::vector<RunRecord> runs = {Record("calibration-vdp", "a=1", 1, 1, 1),
                                       Record("calibration-vdp", "default", 1, 1, 1)};
  const std::vector<RunRecord> many = ParseRuns(RunsText(runs), "file");
  ASSERT_EQ(many.size(), 2u);
  EXPECT_EQ(many[0].method, "default");
  EXPECT_EQ(many[1].method, "a=1");
}

TEST(Ranks, UniformRanksAreCalibrated) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank <= kRankDraws; ++rank) ranks.push_back(rank);
  const RankSummary flat = SummariseRanks("x", ranks);
  EXPECT_EQ(flat.chi_square, 0);
  EXPECT_DOUBLE_EQ(flat.p_value, 1);
  EXPECT_NEAR(flat.coverage_50, 0.5, 1e-12);
  EXPECT_NEAR(flat.coverage_90, 0.9, 1e-12);
  EXPECT_NEAR(flat.coverage_95, 0.95, 1e-12);
  EXPECT_EQ(flat.runs(), 64u);
  const RankSummary ends = SummariseRanks("x", std::vector<std::size_t>(16, 0));
  EXPECT_DOUBLE_EQ(ends.chi_square, 14.0 * 14 / 2 + 7 * 2);
  EXPECT_LT(ends.p_value, 1e-10);
  EXPECT_EQ(ends.coverage_90, 0);
}

TEST(Ranks, TailsOfChiSquareAreThoseOfTables) {
  EXPECT_NEAR(ChiSquareTail7(2.167), 0.95, 1e-4);
  EXPECT_NEAR(ChiSquareTail7(6.346), 0.5, 1e-4);
  EXPECT_NEAR(ChiSquareTail7(14.067), 0.05, 1e-5);
  EXPECT_NEAR(ChiSquareTail7(18.475), 0.01, 1e-5);
}

TEST(PriorTruths, HaveTheMomentsOfThePrior) {
  double start = 0, slope = 0, noise = 0;
  constexpr int kTruths = 400;
  Matrix at(1, 2);
  at << 0.3, -0.7;
  for (int seed = 1; seed <= kTruths; ++seed) {
    const PriorTruth truth = DrawUnrestrictedTruth(seed, 0);
    start += (truth.start[0] * truth.start[0] + truth.start[1] * truth.start[1]) / (2 * kTruths);
    slope += Evaluate(*truth.field, at).squaredNorm() / (2 * kTruths);
    noise += std::log(truth.noise[0] * truth.noise[1]) / (2 * kTruths);
  }
  EXPECT_NEAR(start, 1, 0.2);
  // The expected square is the mean of the log-normal prior variance plus the variance of the
  // affine part.
  EXPECT_NEAR(slope, std::exp(0.5) + 1 + at.squaredNorm(), 0.8);
  EXPECT_NEAR(noise, std::log(0.1), 0.15);
}

TEST(PriorTruths, ThatLeaveTheRangeAreAcceptedOneTimeInTen) {
  constexpr int kTruths = 300;
  double all = 0, accepted = 0;
  for (int seed = 1; seed <= kTruths; ++seed) {
    all += LeavesRange(DrawUnrestrictedTruth(seed, 0));
    accepted += LeavesRange(DrawPriorTruth(seed));
  }
  const double share = all / kTruths, expected = 0.1 * share / (0.1 * share + 1 - share);
  EXPECT_GT(share, 0.2);
  EXPECT_NEAR(accepted / kTruths, expected, 4 * std::sqrt(expected * (1 - expected) / kTruths));
}

TEST(CalibrationRuns, OfAPriorTruthHaveScoresAndRanks) {
  const RunResult result = Execute(InfoOf("calibration-prior-2"),
                                   *FindMethod("posterior=blocks,inducing=8"), {.steps = 30});
  ASSERT_FALSE(result.record.failed) << result.record.message;
  EXPECT_FALSE(result.record.scores.has_value());
  ASSERT_TRUE(result.record.calibration.has_value());
  EXPECT_GE(result.record.calibration->seen.truth_95, 0);
  EXPECT_EQ(result.record.ranks.size(), 14u);
  EXPECT_NE(result.record.options.find("inducing = 8"), std::string::npos);
  EXPECT_NE(result.record.options.find("scale = false"), std::string::npos);
}

}  // namespace
}  // namespace gpode::experiments
