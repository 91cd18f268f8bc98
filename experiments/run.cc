#include "experiments/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "core/cpu_name.h"
#include "gpode/gpode.h"
#include "gpode/options.h"
#include "gpode/unknown_function.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kDraws = 128, kWindows = 200, kBandTimes = 10;
constexpr double kBand = 0.95;
constexpr double kSettled = 0.1;  // how close to its end a settled bound is, per observed value

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Records the mean of the bound over successive windows, which all have the same number of steps.
class HistoryRecorder {
 public:
  void Take(const Progress& progress, double seconds) {
    const std::size_t window = std::max<std::size_t>(1, progress.steps / kWindows);
    sum_ += progress.bound;
    if (++count_ < window) return;
    history_.seconds.push_back(seconds);
    history_.step.push_back(static_cast<double>(progress.step + 1));
    history_.bound.push_back(sum_ / static_cast<double>(count_));
    sum_ = 0, count_ = 0;
  }
  const BoundHistory& history() const { return history_; }

 private:
  BoundHistory history_;
  double sum_ = 0;
  std::size_t count_ = 0;
};

// Forecasts of test sequences, and the observations at their times.
struct TestForecasts {
  std::vector<Forecast> forecasts;
  std::vector<Matrix> seen;
};

TestForecasts ForecastTests(const Posterior& posterior, const std::vector<TestSequence>& sequences,
                            std::uint64_t seed) {
  const ForecastOptions draws{.draws = kDraws, .seed = seed, .threads = 1};
  TestForecasts followed;
  for (const TestSequence& s : sequences) {
    followed.forecasts.push_back(
        s.start_values.empty()
            ? posterior.Trajectory(0, s.times, draws)
            : posterior.From(posterior.StateOf(s.start_values), s.times[0], s.times, draws));
    followed.seen.push_back(s.values);
  }
  return followed;
}

Scores ScoresOf(const TestForecasts& followed, const ObservationNoise& noise) {
  std::vector<Scores> parts;
  for (std::size_t n = 0; n < followed.seen.size(); ++n) {
    parts.push_back(Score(followed.forecasts[n], noise, followed.seen[n], 1));
  }
  return Pool(parts);
}

// Returns bands at evenly chosen times, including the first and the last.
std::vector<BandPoint> BandsOf(const Forecast& forecast, const Matrix& truth) {
  const Matrix mean = forecast.Mean(), lower = forecast.Quantile((1 - kBand) / 2),
               upper = forecast.Quantile((1 + kBand) / 2);
  const std::size_t last = forecast.times.size() - 1, count = std::min(kBandTimes, last + 1);
  std::vector<BandPoint> bands;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t t = count == 1 ? 0 : (i * last + (count - 1) / 2) / (count - 1);
    const auto row = static_cast<Eigen::Index>(t);
    for (Eigen::Index c = 0; c < truth.cols(); ++c) {
      bands.push_back({forecast.times[t], static_cast<std::size_t>(c), truth(row, c), mean(row, c),
                       lower(row, c), upper(row, c)});
    }
  }
  return bands;
}

void ScoreModel(const Task& task, TaskKind kind, const Model& model, RunRecord* record) {
  const Posterior posterior(model);
  if (task.bands) {
    record->calibration = ScoreBands(posterior, task, task.fit_seed);
    if (task.prior) {
      record->ranks = RankTruth(posterior, *task.prior, task.data.channels, task.fit_seed);
    }
    return;
  }
  const TestForecasts tests = ForecastTests(posterior, task.tests, task.fit_seed);
  record->scores = ScoresOf(tests, model.noise());
  if (kind == TaskKind::kSimulated) record->bands = BandsOf(tests.forecasts[0], tests.seen[0]);
  if (task.validation.empty()) return;
  const TestForecasts validation = ForecastTests(posterior, task.validation, task.fit_seed);
  const ObservationNoise calibrated =
      CalibratedNoise(model.noise(), validation.forecasts, validation.seen);
  record->calibrated = ScoresOf(tests, calibrated);
  record->validation = ScoresOf(validation, model.noise());
  record->validation_calibrated = ScoresOf(validation, calibrated);
}

class Execution {
 public:
  Execution(const TaskInfo& info, const MethodInfo& method, const RunSettings& settings,
            const Observer& observer)
      : info_(info), method_(method), settings_(settings), observer_(observer) {}

  RunResult Run() {
    RunRecord& record = result_.record;
    record.version = Version();
    record.task = info_.name;
    record.method = method_.name;
    record.seed = settings_.seed;
    record.cpu = internal::CpuName();
    const Task task = MakeTask(info_, settings_.seed, settings_.data);
    const FitOptions options = OptionsOf(task, info_, method_, settings_);
    record.options = OptionsRecord(options);
    record.floor = task.Floor();
    record.observations = task.data.observed();
    try {
      LearnAndScore(task, options);
    } catch (const std::exception& error) {
      record.failed = true;
      record.message = error.what();
      result_.model.reset();
    }
    return std::move(result_);
  }

 private:
  void LearnAndScore(const Task& task, const FitOptions& options) {
    RunRecord& record = result_.record;
    const Stopwatch training;
    TrainedModel trained = Learn(task, options, training);
    record.seconds = training.Seconds();
    if (result_.stopped) return;
    record.warning = trained.model.warning;
    if (trained.model.IsSampled()) {
      record.sampler = trained.model.sampler;
      record.sampled = static_cast<std::size_t>(trained.model.draws.rows());
    }
    const Stopwatch forecast;
    ScoreModel(task, info_.kind, trained.model, &record);
    record.forecast_seconds = forecast.Seconds();
    result_.model = std::move(trained.model);
  }

  TrainedModel Learn(const Task& task, const FitOptions& options, const Stopwatch& watch) {
    const bool keeps = info_.kind == TaskKind::kEfficiency;
    HistoryRecorder recorder;
    FitControl control;
    control.report_every = 1;
    control.report = [&](const Progress& progress) {
      if (keeps) recorder.Take(progress, watch.Seconds());
      // A sampler reports the number of finished steps, training the index of the current one.
      result_.record.steps = progress.step + (IsSampled(options) ? 0 : 1);
      result_.stopped = observer_ && !observer_(progress);
      return !result_.stopped;
    };
    const bool validates = method_.validates && !task.validation_data.trajectories.empty();
    TrainedModel trained =
        Train(task.data, options, control, validates ? task.validation_data : Dataset{});
    if (keeps && !recorder.history().bound.empty()) {
      result_.record.history = recorder.history();
      result_.record.settling = SettlingOf(recorder.history(), result_.record.observations);
    }
    return trained;
  }

  const TaskInfo& info_;
  const MethodInfo& method_;
  const RunSettings& settings_;
  const Observer& observer_;
  RunResult result_;
};

}  // namespace

Settling SettlingOf(const BoundHistory& history, std::size_t observations) {
  const std::size_t count = history.bound.size();
  if (count == 0) return {};
  const std::size_t last = std::max<std::size_t>(1, count / 10);
  double end = 0;
  for (std::size_t i = count - last; i < count; ++i) end += history.bound[i];
  end /= static_cast<double>(last);
  const double near = kSettled * static_cast<double>(observations);
  std::size_t settled = count - 1;
  while (settled > 0 && std::abs(history.bound[settled - 1] - end) <= near) --settled;
  return {end, history.seconds[settled], history.step[settled]};
}

FitOptions OptionsOf(const Task& task, const TaskInfo& info, const MethodInfo& method,
                     const RunSettings& settings) {
  FitOptions options = task.options;
  SetMethod(method, info, task.data, "method", &options);
  options.seed = task.fit_seed;
  options.threads = 1;
  if (settings.steps > 0) {
    options.steps = settings.steps;
    options.sampler.warm_up = std::min(options.sampler.warm_up, settings.steps);
    options.sampler.draws = std::min(options.sampler.draws, settings.steps);
  }
  return options;
}

std::string OptionsRecord(FitOptions options) {
  options.observation_map = {};
  return OptionsText(options);
}

RunResult Execute(const TaskInfo& info, const MethodInfo& method, const RunSettings& settings,
                  const Observer& observer) {
  return Execution(info, method, settings, observer).Run();
}

}  // namespace gpode::experiments
