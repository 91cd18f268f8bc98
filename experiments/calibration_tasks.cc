#include "experiments/calibration_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/real_series.h"
#include "gpode/error.h"
#include "gpode/random.h"
#include "gpode/simulate.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kPoints = 60, kTestPoints = 30, kSpreadPoints = 401;
constexpr double kTestShare = 0.5, kStartShare = 0.05;
constexpr double kSparseNoise = 0.15;
constexpr std::size_t kRuns = 20;
constexpr std::uint64_t kFirstSeed = 70000;  // so large that no other task uses these seeds
constexpr double kGapShare = 0.12;
constexpr std::size_t kLongestGap = 12, kGapRuns = 5;
constexpr std::size_t kPriorRuns = 100;
constexpr const char* kPriorSource = "prior-2";
constexpr std::string_view kPrefix = "calibration-", kGapPrefix = "calibration-gap-",
                           kSparsePrefix = "calibration-sparse-";

// A data set uses the random streams of Purpose::kTest with these step numbers. Their seed is
// kFirstSeed plus the seed of the run.
enum Stream : std::uint64_t { kStart, kTimes, kNoise, kTestNoise, kGap };

template <typename T>
std::unique_ptr<System> MakeDefault() {
  return std::make_unique<T>();
}

template <typename T>
std::unique_ptr<System> Make(auto... parameters) {
  return std::make_unique<T>(parameters...);
}

std::unique_ptr<System> MakePendulum() { return std::make_unique<DampedPendulum>(1.0, 0.25); }

std::vector<CalibrationSystem> ListSystems() {
  constexpr bool kChoose = true, kReport = false;
  return {
      {"lotka-volterra", kChoose, "predator-prey", {1, 1}, 5.5, MakeDefault<LotkaVolterra>},
      {"duffing", kChoose, "bistable", {1.8, 1}, 12, MakeDefault<Duffing>},
      {"brusselator", kChoose, "chemical", {1, 1}, 11.5, MakeDefault<Brusselator>},
      {"sir", kChoose, "epidemic", {0.98, 0.02}, 8, MakeDefault<SirEpidemic>},
      {"cubic-spiral", kChoose, "spiral", {2, 0}, 8, MakeDefault<CubicSpiral>},
      {"lorenz63", kChoose, "chaotic", {-8, 7, 27}, 3, MakeDefault<Lorenz63>},
      {"may-leonard", kChoose, "competition", {0.5, 0.3, 0.2}, 30, MakeDefault<MayLeonard>},
      {"morris-lecar", kChoose, "relaxation", {-0.3, 0.1}, 28, MakeDefault<MorrisLecar>},
      {"vdp", kReport, "oscillator", {-1.5, 2.5}, 10, MakeDefault<VanDerPol>},
      {"fhn", kReport, "relaxation", {-1, 1}, 7, MakeDefault<FitzHughNagumo>},
      {"pendulum", kReport, "spiral", {2, 0}, 10, MakePendulum},
      {"toggle-switch", kReport, "bistable", {3, 2.7}, 5, MakeDefault<ToggleSwitch>},
      {"rosenzweig-macarthur",
       kReport,
       "predator-prey",
       {1, 0.5},
       28,
       MakeDefault<RosenzweigMacArthur>},
      {"seir", kReport, "epidemic", {0.97, 0.01, 0.01, 0.01}, 11, MakeDefault<SeirEpidemic>},
      {"selkov", kReport, "chemical", {1, 1}, 16, MakeDefault<Selkov>},
      {"rossler", kReport, "chaotic", {-5, -5, 0.1}, 10, MakeDefault<Rossler>},
      {"repressilator", kReport, "genes", {1, 1.5, 3}, 7.5, MakeDefault<Repressilator>},
      {"compartments",
       kReport,
       "compartments",
       {4, 1, 0.2, 0.2, 0.2},
       8,
       MakeDefault<Compartments>},
  };
}

std::vector<SparseSystem> ListSparseSystems() {
  const auto forecast = [](std::size_t points, const char* name, std::vector<double> start,
                           double span, std::unique_ptr<System> (*make)()) {
    return CalibrationSystem{name, true, "", std::move(start), span, make, points, kSparseNoise, 1};
  };
  return {
      {"vdp-1", forecast(50, "vdp", {2, 0.5}, 7, [] { return Make<VanDerPol>(1.0); })},
      {"vdp-2", forecast(40, "vdp", {0.7, -2.2}, 7, [] { return Make<VanDerPol>(0.3); })},
      {"lotka-volterra", forecast(40, "lotka-volterra", {2, 1}, 5,
                                  [] { return Make<LotkaVolterra>(1.2, 0.8, 2.0, 0.9); })},
      {"pendulum",
       forecast(50, "pendulum", {2.3, 0}, 6, [] { return Make<DampedPendulum>(2.0, 0.15); })},
      {"duffing",
       forecast(40, "duffing", {0.4, 1.4}, 8, [] { return Make<Duffing>(-1.0, 1.0, 0.1); })},
      {"selkov", forecast(50, "selkov", {0.6, 2}, 16, [] { return Make<Selkov>(0.1, 0.5); })},
      {"brusselator",
       forecast(50, "brusselator", {2, 1}, 8, [] { return Make<Brusselator>(1.0, 2.2); })},
      {"fhn-gap",
       forecast(30, "fhn", {1, -0.5}, 6, [] { return Make<FitzHughNagumo>(0.3, 0.25, 2.5); }),
       true},
      {"vdp-gap", forecast(30, "vdp", {1, 1.5}, 6, [] { return Make<VanDerPol>(0.7); }), true},
  };
}

std::vector<double> Normals(std::uint64_t seed, Stream stream, std::size_t count) {
  std::vector<double> normals(count);
  RandomStream(kFirstSeed + seed, stream, 0, Purpose::kTest).Normals(normals);
  return normals;
}

// Returns sorted uniform times on [0, span], the first at 0.
std::vector<double> IrregularTimes(double span, std::size_t points, std::uint64_t seed) {
  std::vector<double> times(points);
  RandomStream(kFirstSeed + seed, kTimes, 0, Purpose::kTest).Uniforms(times);
  std::sort(times.begin(), times.end());
  for (double& t : times) t *= span;
  times[0] = 0;
  return times;
}

Vector SpreadOf(const Matrix& values) {
  const Eigen::RowVectorXd mean = values.colwise().mean();
  return (values.rowwise() - mean).array().square().colwise().mean().sqrt().transpose();
}

Matrix WithNoise(const Matrix& truth, const Vector& deviation, std::uint64_t seed, Stream stream) {
  const std::vector<double> normals = Normals(seed, stream, truth.size());
  Matrix noisy = truth;
  for (Eigen::Index i = 0; i < noisy.size(); ++i) {
    noisy.data()[i] += deviation[i % noisy.cols()] * normals[i];
  }
  return noisy;
}

// Returns a random start near that of the system. The standard deviation of each state is a small
// share of the state's spread. If the states are positive, they are log-normal, and the standard
// deviation is also at most the same share of the start.
std::vector<double> StartOf(const CalibrationSystem& system, bool positive, const Vector& spread,
                            std::uint64_t seed) {
  std::vector<double> start = system.start;
  const std::vector<double> normals = Normals(seed, kStart, start.size());
  for (std::size_t d = 0; d < start.size(); ++d) {
    const double deviation = kStartShare * spread[static_cast<Eigen::Index>(d)];
    if (!positive) {
      start[d] += deviation * normals[d];
    } else {
      start[d] *= std::exp(std::min(deviation / start[d], kStartShare) * normals[d]);
    }
  }
  return start;
}

Matrix Solve(const CalibrationSystem& system, std::span<const double> start,
             std::span<const double> times) {
  return SolveSystem(*system.make(), start, times);
}

Vector SpreadOver(const CalibrationSystem& system, std::span<const double> start) {
  return SpreadOf(Solve(system, start, RegularTimes(0, system.span, kSpreadPoints)));
}

// Returns the task of a system whose true states at given times are solve(times): noisy
// observations on [0, span], and the truth and noisy observations over the time `test_share * span`
// after that.
template <typename SolveAt>
Task MakeTask(const std::vector<std::string>& channels, double span, std::size_t points,
              double test_share, const Vector& spread, const Vector& deviation, SolveAt solve,
              std::uint64_t seed) {
  const std::vector<double> times = IrregularTimes(span, points, seed);
  const double end = span * (1 + test_share), step = (end - span) / kTestPoints;
  const std::vector<double> later = RegularTimes(span + step, end, kTestPoints);
  const Matrix truth = solve(times), later_truth = solve(later);

  Task task;
  task.data = {channels,
               {{.name = "",
                 .times = times,
                 .values = WithNoise(truth, deviation, seed, kNoise),
                 .start_time = {}}}};
  for (double d : deviation) task.noise_variance.push_back(d * d);
  task.bands = BandsTask{.times = later,
                         .truth = later_truth,
                         .observed = WithNoise(later_truth, deviation, seed, kTestNoise),
                         .from = span,
                         .to = end,
                         .seen_truth = truth,
                         .spread = spread};
  return task;
}

Task SystemTask(const CalibrationSystem& system, std::uint64_t seed) {
  const SystemInfo info = DescribeSystem(system.name);
  const std::vector<double> start =
      StartOf(system, info.positive, SpreadOver(system, system.start), seed);
  const Vector spread = SpreadOver(system, start);
  return MakeTask(
      info.state_names, system.span, system.points, system.test_share, spread,
      system.noise_share * spread,
      [&](std::span<const double> times) { return Solve(system, start, times); }, seed);
}

Vector SpreadOfObserved(const Matrix& values) {
  Vector spread(values.cols());
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    std::vector<double> seen;
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      if (!std::isnan(values(i, c))) seen.push_back(values(i, c));
    }
    spread[c] = SpreadOf(Eigen::Map<const Matrix>(seen.data(), std::ssize(seen), 1))[0];
  }
  return spread;
}

// Holds back some rows of the training data: moves their values to task->bands. `place`, from 0 to
// 1, is the place of these rows within the middle third. `truth` has the noise-free values of all
// rows, or no rows.
void CutGap(double place, const Matrix& truth, Task* task) {
  Trajectory& data = task->data.trajectories[0];
  const auto rows = static_cast<double>(data.times.size());
  const double length =
      std::clamp(std::round(kGapShare * rows), 1.0, static_cast<double>(kLongestGap));
  const double room = std::max(0.0, std::floor(rows / 3) - length);
  const auto first = static_cast<Eigen::Index>(std::floor(rows / 3) + std::round(place * room));
  const auto count = static_cast<Eigen::Index>(length);
  BandsTask& bands = *task->bands;
  bands.times.assign(data.times.begin() + first, data.times.begin() + first + count);
  bands.truth = truth.rows() > 0 ? Matrix(truth.middleRows(first, count)) : Matrix();
  bands.observed = data.values.middleRows(first, count);
  bands.from = data.times[static_cast<std::size_t>(first - 1)];
  bands.to = data.times[static_cast<std::size_t>(first + count)];
  bands.seen_truth = Matrix();
  data.values.middleRows(first, count).setConstant(std::numeric_limits<double>::quiet_NaN());
}

Task SystemGapTask(const CalibrationSystem& system, std::uint64_t seed) {
  Task task = SystemTask(system, seed);
  double place = 0;
  RandomStream(kFirstSeed + seed, kGap, 0, Purpose::kTest).Uniforms({&place, 1});
  const Matrix truth = task.bands->seen_truth;
  CutGap(place, truth, &task);
  return task;
}

// Removes the rows whose true states have x1 > 0 and x2 < 0 from the data. Their values are what
// bands are compared with.
void CutQuadrant(Task* task) {
  Trajectory& data = task->data.trajectories[0];
  BandsTask& bands = *task->bands;
  std::vector<Eigen::Index> kept, removed;
  std::vector<double> kept_times;
  bands.times.clear();
  for (Eigen::Index i = 0; i < data.values.rows(); ++i) {
    const bool is_removed = i > 0 && bands.seen_truth(i, 0) > 0 && bands.seen_truth(i, 1) < 0;
    (is_removed ? removed : kept).push_back(i);
    (is_removed ? bands.times : kept_times).push_back(data.times[static_cast<std::size_t>(i)]);
  }
  bands.truth = Matrix(bands.seen_truth(removed, Eigen::all));
  bands.observed = Matrix(data.values(removed, Eigen::all));
  bands.from = 0;
  bands.to = data.times.back();
  bands.seen_truth = Matrix(bands.seen_truth(kept, Eigen::all));
  data.values = Matrix(data.values(kept, Eigen::all));
  data.times = std::move(kept_times);
}

Task SparseTask(const SparseSystem& sparse, std::uint64_t seed) {
  Task task = SystemTask(sparse.system, seed);
  if (sparse.has_quadrant_gap) CutQuadrant(&task);
  return task;
}

Task RealTask(const RealSeries& series) {
  const auto learnt = static_cast<Eigen::Index>(series.learnt),
             later = series.values.rows() - learnt;
  Task task;
  task.data = {series.channels,
               {{.name = "",
                 .times = {series.times.begin(), series.times.begin() + learnt},
                 .values = series.values.topRows(learnt),
                 .start_time = {}}}};
  task.bands = BandsTask{.times = {series.times.begin() + learnt, series.times.end()},
                         .observed = series.values.bottomRows(later),
                         .from = series.times[series.learnt - 1],
                         .to = series.times.back(),
                         .spread = SpreadOfObserved(series.values.topRows(learnt))};
  return task;
}

// Returns a task with a gap in a real series. Of a long series, only the part to learn from is
// used, of a short one the whole series.
Task RealGapTask(RealSeries series, std::uint64_t seed) {
  constexpr std::size_t kLong = 100;
  if (series.times.size() < kLong) series.learnt = series.times.size();
  Task task = RealTask(series);
  const double place = static_cast<double>((seed - 1) % kGapRuns) / (kGapRuns - 1);
  CutGap(place, Matrix(), &task);
  return task;
}

Task PriorTask(std::uint64_t seed) {
  const PriorTruth prior = DrawPriorTruth(seed);
  const auto solve = [&](std::span<const double> times) {
    return SolveSystem(*prior.field, prior.start, times);
  };
  const Vector deviation = Eigen::Map<const Vector>(prior.noise.data(), std::ssize(prior.noise));
  std::vector<std::string> channels;
  for (std::size_t d = 0; d < prior.start.size(); ++d)
    channels.push_back(fmt::format("x{}", d + 1));
  const Vector spread = SpreadOf(solve(RegularTimes(0, prior.span, kSpreadPoints)));
  Task task = MakeTask(channels, prior.span, kPoints, kTestShare, spread, deviation, solve, seed);
  task.options = prior.options;
  task.prior = prior;
  return task;
}

bool IsGap(const TaskInfo& info) { return info.name.starts_with(kGapPrefix); }

// Returns the name of the task's system or series.
std::string SourceOf(const TaskInfo& info) {
  return info.name.substr(IsGap(info) ? kGapPrefix.size() : kPrefix.size());
}

std::string NameOf(std::string_view prefix, std::string_view source) {
  return fmt::format("{}{}", prefix, source);
}

}  // namespace

const std::vector<CalibrationSystem>& CalibrationSystems() {
  static const std::vector<CalibrationSystem> systems = ListSystems();
  return systems;
}

const std::vector<SparseSystem>& SparseSystems() {
  static const std::vector<SparseSystem> systems = ListSparseSystems();
  return systems;
}

std::vector<TaskInfo> ListCalibrationTasks() {
  std::vector<TaskInfo> tasks;
  for (const CalibrationSystem& system : CalibrationSystems()) {
    tasks.push_back({NameOf(kPrefix, system.name), system.name,
                     system.for_choosing ? "calibration-choose" : "calibration-report",
                     TaskKind::kCalibration, kRuns});
  }
  for (const std::string& name : RealSeriesNames()) {
    tasks.push_back(
        {NameOf(kPrefix, name), name, "calibration-real", TaskKind::kCalibration, 1, 1});
  }
  for (const CalibrationSystem& system : CalibrationSystems()) {
    tasks.push_back({NameOf(kGapPrefix, system.name), system.name, "calibration-gaps",
                     TaskKind::kCalibration, kGapRuns});
  }
  for (const std::string& name : RealSeriesNames()) {
    tasks.push_back({NameOf(kGapPrefix, name), name, "calibration-real-gaps",
                     TaskKind::kCalibration, kGapRuns, kGapRuns});
  }
  tasks.push_back({NameOf(kPrefix, kPriorSource), "2 states", "calibration-prior",
                   TaskKind::kCalibration, kPriorRuns});
  for (const SparseSystem& system : SparseSystems()) {
    tasks.push_back({NameOf(kSparsePrefix, system.name), system.name, "calibration-sparse",
                     TaskKind::kCalibration, kRuns});
  }
  return tasks;
}

std::string MissingFile(const TaskInfo& info, const std::filesystem::path& folder) {
  if (info.kind != TaskKind::kCalibration) return "";
  const std::string file = FileOfRealSeries(SourceOf(info));
  std::error_code error;
  const bool here = file.empty() || std::filesystem::exists(folder / file, error);
  return here ? "" : file;
}

Task MakeCalibrationTask(const TaskInfo& info, std::uint64_t seed,
                         const std::filesystem::path& folder) {
  const std::string source = SourceOf(info);
  if (source == kPriorSource) return PriorTask(seed);
  for (const SparseSystem& system : SparseSystems()) {
    if (info.name == NameOf(kSparsePrefix, system.name)) return SparseTask(system, seed);
  }
  for (const CalibrationSystem& system : CalibrationSystems()) {
    if (source == system.name) {
      return IsGap(info) ? SystemGapTask(system, seed) : SystemTask(system, seed);
    }
  }
  const RealSeries series = ReadRealSeries(source, folder);
  return IsGap(info) ? RealGapTask(series, seed) : RealTask(series);
}

}  // namespace gpode::experiments
