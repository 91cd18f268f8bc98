#include "gpode/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.h"
#include "gpode/error.h"
#include "gpode/ode.h"
#include "gpode/random.h"
#include "gpode/systems.h"

namespace gpode {
namespace {

// The step numbers (random.h) of the streams of Purpose::kSimulation. The sample number of a stream
// is the index of the trajectory.
enum StreamStep : std::uint64_t {
  kStarts = 0,
  kTimes = 1,
  kMissing = 2,
  kCounts = 3,
  kOutliers = 4
};

// The longest accepted span, as a multiple of the default span. The solver would reach its limit of
// steps long before.
constexpr double kLongestSpan = 1e6;

void CheckOptions(const SimulationOptions& o, const SystemInfo& info) {
  const std::size_t dim = info.dim;
  const auto check = [](const char* name, double value) {
    CheckNonNegative("Simulate", name, value);
  };
  if (!o.start.empty()) CheckSize("Simulate", "start", o.start.size(), dim);
  CheckFinite("Simulate", "start", o.start);
  check("span", o.span);
  if (o.span > kLongestSpan * info.default_span) {
    ThrowInput("Simulate", "span",
               fmt::format("is {:g}, must be at most {:g}, a million times the default", o.span,
                           kLongestSpan * info.default_span));
  }
  CheckAtLeast("Simulate", "points", static_cast<std::ptrdiff_t>(o.points), 1);
  CheckAtLeast("Simulate", "trajectories", static_cast<std::ptrdiff_t>(o.trajectories), 1);
  if (o.noise_variance.size() > 1) {
    CheckSize("Simulate", "noise_variance", o.noise_variance.size(), dim);
  }
  for (double variance : o.noise_variance) check("noise_variance", variance);
  check("noise_share", o.noise_share);
  check("start_spread", o.start_spread);
  if (!o.noise_variance.empty() && o.noise_share > 0) {
    ThrowInput("Simulate", "noise_share",
               "and noise_variance are both given, must be only one of them");
  }
  check("counts", o.counts);
  check("dispersion", o.dispersion);
  if (o.dispersion > 0 && !(o.counts > 0)) {
    ThrowInput("Simulate", "dispersion", "needs counts, which are zero");
  }
  if (o.counts > 0 && (!o.noise_variance.empty() || o.noise_share > 0)) {
    ThrowInput("Simulate", "counts", "cannot be combined with noise, which counts have anyway");
  }
  check("outliers", o.outliers);
  if (o.outliers > 1) ThrowInput("Simulate", "outliers", "must be at most 1");
  check("missing", o.missing);
  if (o.missing >= 1) {
    ThrowInput("Simulate", "missing", fmt::format("is {:g}, must be less than 1", o.missing));
  }
}

std::vector<double> Times(const SimulationOptions& o, double span, std::size_t trajectory) {
  if (!o.irregular) return RegularTimes(0, span, o.points);
  std::vector<double> times(o.points);
  RandomStream(o.seed, kTimes, trajectory, Purpose::kSimulation).Uniforms(times);
  std::sort(times.begin(), times.end());
  for (double& t : times) t *= span;
  times[0] = 0;
  // Equal times are very unlikely, but a data set must not have them.
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] <= times[i - 1]) {
      times[i] = std::nextafter(times[i - 1], std::numeric_limits<double>::infinity());
    }
  }
  return times;
}

// Returns the standard deviation of each column over all rows of all parts.
Vector Spread(std::span<const Matrix> parts) {
  Vector sum = Vector::Zero(parts[0].cols()), squares = sum;
  double count = 0;
  for (const Matrix& part : parts) {
    sum += part.colwise().sum().transpose();
    count += static_cast<double>(part.rows());
  }
  for (const Matrix& part : parts) {
    squares += (part.rowwise() - sum.transpose() / count).colwise().squaredNorm().transpose();
  }
  return (squares / count).cwiseSqrt();
}

// Returns a random value around `start` with a standard deviation of about `spread`, made from a
// standard normal. If the sign must not change, the value is log-normal instead of normal, and a
// start of zero stays zero.
double PerturbStart(double start, double spread, double normal, bool keeps_sign) {
  if (!keeps_sign) return start + spread * normal;
  if (start == 0) return 0;
  const double share = spread / start;
  return start * std::exp(std::sqrt(std::log1p(share * share)) * normal);
}

Matrix Starts(const SimulationOptions& o, const std::vector<double>& start, const Vector& spread,
              bool positive) {
  const auto dim = static_cast<Eigen::Index>(start.size());
  Matrix starts(static_cast<Eigen::Index>(o.trajectories), dim);
  for (Eigen::Index n = 0; n < starts.rows(); ++n) {
    Vector z(dim);
    RandomStream(o.seed, kStarts, static_cast<std::uint64_t>(n), Purpose::kSimulation)
        .Normals({z.data(), start.size()});
    for (Eigen::Index d = 0; d < dim; ++d) {
      const double first = start[static_cast<std::size_t>(d)];
      starts(n, d) =
          n == 0 ? first : PerturbStart(first, o.start_spread * spread[d], z[d], positive);
    }
  }
  return starts;
}

Vector NoiseVariance(const SimulationOptions& o, std::span<const Matrix> truth) {
  const Eigen::Index dim = truth[0].cols();
  if (o.noise_variance.empty()) return (o.noise_share * Spread(truth)).array().square();
  if (o.noise_variance.size() == 1) return Vector::Constant(dim, o.noise_variance[0]);
  return Eigen::Map<const Vector>(o.noise_variance.data(), dim);
}

// Returns the quantile `uniform` of the distribution of counts with this mean and dispersion.
double CountAt(double mean, double dispersion, double uniform) {
  if (!(mean > 0)) return 0;
  const double r = dispersion > 0 ? 1 / dispersion : 0;
  const auto cdf = [&](double k) {
    return r > 0 ? IncompleteBeta(r, k + 1, r / (r + mean)) : UpperGamma(k + 1, mean);
  };
  double low = -1, high = std::ceil(mean) + 1;
  while (cdf(high) < uniform && high < 1e15) high = 2 * high + 1;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (cdf(middle) < uniform ? low : high) = middle;
  }
  return high;
}

// Replaces the values, which are means, by random counts.
void DrawCounts(const SimulationOptions& o, std::size_t trajectory, Matrix* values) {
  std::vector<double> uniforms(static_cast<std::size_t>(values->size()));
  RandomStream(o.seed, kCounts, trajectory, Purpose::kSimulation).Uniforms(uniforms);
  for (Eigen::Index i = 0; i < values->size(); ++i) {
    values->data()[i] =
        CountAt(values->data()[i], o.dispersion, uniforms[static_cast<std::size_t>(i)]);
  }
}

// Turns a share of the values into outliers, ten times the spread (D) of their states away.
void AddOutliers(const SimulationOptions& o, std::size_t trajectory, const Vector& spread,
                 Matrix* values) {
  std::vector<double> uniforms(2 * static_cast<std::size_t>(values->size()));
  RandomStream(o.seed, kOutliers, trajectory, Purpose::kSimulation).Uniforms(uniforms);
  for (Eigen::Index i = 0; i < values->size(); ++i) {
    const auto at = 2 * static_cast<std::size_t>(i);
    if (!(uniforms[at] < o.outliers)) continue;
    values->data()[i] += (uniforms[at + 1] < 0.5 ? -10 : 10) * spread[i % values->cols()];
  }
}

// Returns the true states with noise, and NaN for missing values.
Matrix Observe(const SimulationOptions& o, const Matrix& truth, const Vector& variance,
               std::size_t trajectory) {
  Matrix values = truth;
  std::vector<double> noise(values.size()), uniforms(values.size());
  RandomStream(o.seed, 0, trajectory, Purpose::kObservationNoise).Normals(noise);
  RandomStream(o.seed, kMissing, trajectory, Purpose::kSimulation).Uniforms(uniforms);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    values.data()[i] += std::sqrt(variance[i % values.cols()]) * noise[i];
    if (uniforms[i] < o.missing) values.data()[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

}  // namespace

std::vector<double> Simulation::start(std::size_t trajectory) const {
  const auto row = starts.row(static_cast<Eigen::Index>(trajectory));
  return {row.begin(), row.end()};
}

std::vector<double> RegularTimes(double from, double to, std::size_t count) {
  std::vector<double> times(count, from);
  for (std::size_t i = 1; i < count; ++i) {
    times[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return times;
}

Matrix SolveSystem(const Field& field, std::span<const double> start, std::span<const double> times,
                   bool stiff) {
  CheckSize("SolveSystem", "start", start.size(), field.dim());
  Matrix states(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(start.size()));
  Solver solver({.method = stiff ? Method::kEsdirk4 : Method::kDop853,
                 .rtol = stiff ? 1e-9 : 1e-11,
                 .atol = stiff ? 1e-13 : 1e-11,
                 .max_steps = 10000000});
  const SolveResult result = solver.Solve(field, start, 0.0, times,
                                          {states.data(), static_cast<std::size_t>(states.size())});
  if (result.status == SolveStatus::kTooManySteps) {
    ThrowInput(
        "SolveSystem", "times",
        fmt::format("end at {:g}, must end before {:g}, which the solver reached in {} steps",
                    times.back(), result.reached, result.statistics.accepted));
  }
  if (!result.ok()) {
    ThrowInput(
        "SolveSystem", "start",
        fmt::format("has no solution beyond time {}: {}", result.reached, Message(result.status)));
  }
  return states;
}

Matrix SolveSystem(std::string_view system, std::span<const double> start,
                   std::span<const double> times) {
  return SolveSystem(*MakeSystem(system), start, times, DescribeSystem(system).stiff);
}

Simulation Simulate(const SimulationOptions& o) {
  const SystemInfo info = DescribeSystem(o.system);
  CheckOptions(o, info);
  const std::unique_ptr<System> field = MakeSystem(o.system);
  const std::vector<double> start = o.start.empty() ? info.default_start : o.start;
  const double span = o.span > 0 ? o.span : info.default_span;

  Simulation s;
  s.data.channels = info.state_names;
  const std::vector<Matrix> first = {SolveSystem(*field, start, Times(o, span, 0), info.stiff)};
  s.starts = Starts(o, start, Spread(first), info.positive);
  for (std::size_t n = 0; n < o.trajectories; ++n) {
    const std::vector<double> times = Times(o, span, n);
    s.truth.push_back(SolveSystem(*field, s.start(n), times, info.stiff));
    s.data.trajectories.push_back({.name = "", .times = times, .values = {}, .start_time = {}});
  }
  if (o.counts > 0) {
    for (Matrix& truth : s.truth) truth *= o.counts;
  }
  s.noise_variance = NoiseVariance(o, s.truth);
  const Vector spread = Spread(s.truth);
  for (std::size_t n = 0; n < o.trajectories; ++n) {
    Matrix means = s.truth[n];
    if (o.counts > 0) DrawCounts(o, n, &means);
    s.data.trajectories[n].values = Observe(o, means, s.noise_variance, n);
    if (o.outliers > 0) AddOutliers(o, n, spread, &s.data.trajectories[n].values);
  }
  return s;
}

}  // namespace gpode
