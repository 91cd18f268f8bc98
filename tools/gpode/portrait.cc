// gpode portrait: a posterior that knows a system at a grid of points, draws from it, their
// trajectories beside the true one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braille_canvas.h"
#include "gpode/gpode.h"
#include "subcommands.h"
#include "terminal.h"

namespace gpode::tool {
namespace {

constexpr Eigen::Index kGrid = 8;     // inducing points along each axis
constexpr double kMargin = 0.12;      // of the window around the trajectory, as a share of its size
constexpr double kLengthscale = 0.3;  // as a share of the window's size
constexpr double kSpread = 0.05;      // of q(u), as a share of the field's value
constexpr std::size_t kFeatures = 256;
constexpr std::size_t kDraws = 100;
constexpr std::size_t kShown = 3;      // draws that are plotted
constexpr std::size_t kTimes = 400;    // per trajectory
constexpr std::size_t kTableRows = 8;  // a divisor of kTimes
constexpr int kDrawColours[kShown] = {36, 35, 33};
constexpr int kTruthColour = 1, kGridColour = 2;  // bold, faint

struct Arguments {
  std::string system = "vdp";
  std::uint64_t seed = 1;
  bool help = false;
};

std::vector<std::string> PlaneSystems() {
  std::vector<std::string> names;
  for (const std::string& name : SystemNames()) {
    if (DescribeSystem(name).dim == 2) names.push_back(name);
  }
  return names;
}

void PrintHelp() {
  fmt::print(
      "usage: gpode portrait [SYSTEM] [--seed N]\n\n"
      "Tells a Gaussian process the field of a known system at {} points, draws fields from the\n"
      "posterior, integrates them, and shows the trajectories beside the true one.\n\n"
      "  SYSTEM      {} (default: vdp)\n"
      "  --seed N    another seed, other draws (default: 1)\n"
      "  --help      this text\n\n"
      "Colours are used in a terminal, unless the environment variable NO_COLOR is set.\n\n"
      "examples:\n"
      "  gpode portrait fhn\n"
      "  gpode portrait pendulum --seed 7\n",
      kGrid * kGrid, fmt::join(PlaneSystems(), ", "));
}

std::string ParseSystem(std::string_view text) {
  const std::vector<std::string> known = PlaneSystems();
  if (std::find(known.begin(), known.end(), text) == known.end()) {
    ThrowInput("portrait", "SYSTEM",
               fmt::format("is '{}', must be one of {}", text, fmt::join(known, ", ")));
  }
  return std::string(text);
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  bool has_system = false;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      arguments.help = true;
    } else if (word == "--seed") {
      if (++i == argc) ThrowInput("portrait", "--seed", "has no number after it");
      arguments.seed = ParseSeed("portrait", argv[i]);
    } else if (word.starts_with('-')) {
      ThrowInput("portrait", "option", fmt::format("'{}' is unknown, known: --seed, --help", word));
    } else if (has_system) {
      ThrowInput("portrait", "SYSTEM", fmt::format("is given twice, the second is '{}'", word));
    } else {
      arguments.system = ParseSystem(word);
      has_system = true;
    }
  }
  return arguments;
}

struct Path {
  Matrix states;  // (1 + kTimes, 2), the start first
  SolveResult result;
};

Path Follow(const Field& field, const SystemInfo& info, Solver& solver) {
  std::vector<double> times(kTimes + 1);
  for (std::size_t i = 0; i <= kTimes; ++i) times[i] = info.default_span * i / kTimes;
  Path path{Matrix(kTimes + 1, 2), {}};
  const std::span<double> states(path.states.data(), 2 * times.size());
  path.result = solver.Solve(field, info.default_start, 0, times, states);
  return path;
}

Window WindowAround(const Matrix& states) {
  const Eigen::RowVector2d low = states.colwise().minCoeff(), high = states.colwise().maxCoeff();
  const Eigen::RowVector2d margin = kMargin * (high - low);
  return {low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1]};
}

Matrix Grid(const Window& w) {
  Matrix points(kGrid * kGrid, 2);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double across = (i % kGrid + 0.5) / kGrid, up = (i / kGrid + 0.5) / kGrid;
    points.row(i) << w.left + across * (w.right - w.left), w.bottom + up * (w.top - w.bottom);
  }
  return points;
}

// q(u) centred on the field's values u at a grid of points, off by a smooth factor:
// u (1 + kSpread g / sigma) with g from the prior. Whitened (u = L v), the mean is L^-1 u and the
// factor of the covariance L^-1 diag(kSpread u / sigma) L, lower triangular as it must be.
SparseGp PosteriorOf(const Field& field, const Window& window) {
  GpParameters p;
  p.inducing_locations = Grid(window);
  const Matrix u = Evaluate(field, p.inducing_locations);  // (M, D)
  const Eigen::Index m = u.rows();
  p.inducing_mean = Matrix::Zero(2, m);
  p.inducing_chol.assign(2, Matrix::Identity(m, m));
  p.lengthscales.resize(2, 2);
  p.lengthscales.col(0).setConstant(kLengthscale * (window.right - window.left));
  p.lengthscales.col(1).setConstant(kLengthscale * (window.top - window.bottom));
  p.variances = u.colwise().squaredNorm().transpose() / static_cast<double>(m);

  SparseGp gp(GetKernel("squared-exponential"));
  GPODE_CHECK(gp.Set(p) == FactorStatus::kOk);  // for the factors L
  for (Eigen::Index d = 0; d < 2; ++d) {
    const Matrix& factor = gp.Factor(d);
    const auto lower = factor.triangularView<Eigen::Lower>();
    const Vector share = kSpread / std::sqrt(p.variances[d]) * u.col(d);
    p.inducing_mean.row(d) = Vector(lower.solve(u.col(d))).transpose();
    p.inducing_chol[d] = lower.solve(Matrix(share.asDiagonal() * factor));
  }
  GPODE_CHECK(gp.Set(p) == FactorStatus::kOk);
  return gp;
}

std::vector<Path> FollowDraws(const SparseGp& gp, const SystemInfo& info, std::uint64_t seed,
                              Solver& solver) {
  std::vector<Path> paths;
  GpDraw draw(gp, kFeatures);
  for (std::size_t sample = 0; sample < kDraws; ++sample) {
    draw.Set(gp, SampleGpNoise(gp, kFeatures, seed, 0, sample));
    paths.push_back(Follow(draw, info, solver));
  }
  return paths;
}

void PrintPlot(const SystemInfo& info, const Window& window, const Path& truth,
               const std::vector<Path>& draws) {
  BrailleCanvas canvas(70, 21, window);
  const Matrix grid = Grid(window);
  for (Eigen::Index i = 0; i < grid.rows(); ++i) {
    canvas.Mark(grid(i, 0), grid(i, 1), "+", kGridColour);
  }
  for (std::size_t i = 0; i < kShown; ++i) {
    canvas.Curve(draws[i].states, {.spacing = 2.5, .colour = kDrawColours[i]});
  }
  canvas.Curve(truth.states, {.colour = kTruthColour});
  canvas.Mark(info.default_start[0], info.default_start[1], "●", kTruthColour);
  fmt::print("{}", canvas.Framed(info.state_names[0], info.state_names[1], Coloured()));
  fmt::print("        ● start   ⠒⠒⠒ true system   ⠂⠐⠀⠂ {} draws   + inducing points\n", kShown);
}

struct Moments {
  double mean = 0, deviation = 0;
};

// Over the draws that did not diverge, of state k at a time.
Moments MomentsAt(const std::vector<Path>& draws, Eigen::Index time, Eigen::Index k) {
  double count = 0, mean = 0, squares = 0;
  for (const Path& draw : draws) {
    if (!draw.result.ok()) continue;
    const double delta = draw.states(time, k) - mean;
    mean += delta / ++count;
    squares += delta * (draw.states(time, k) - mean);
  }
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

std::size_t CountDiverged(const std::vector<Path>& draws) {
  return std::count_if(draws.begin(), draws.end(), [](const auto& d) { return !d.result.ok(); });
}

void PrintTable(const SystemInfo& info, const Path& truth, const std::vector<Path>& draws) {
  const std::size_t diverged = CountDiverged(draws);
  fmt::print("\nTrue states; mean and standard deviation over {} of {} draws, {} diverged\n\n",
             kDraws - diverged, kDraws, diverged);
  fmt::print("{:>8}", "time");
  for (const std::string& name : info.state_names) {
    fmt::print("{:>14}{:>10}{:>10}", name, "mean", "std.dev.");
  }
  for (std::size_t row = 0; row <= kTableRows; ++row) {
    const auto time = static_cast<Eigen::Index>(row * kTimes / kTableRows);
    fmt::print("\n{:8.3f}", info.default_span * static_cast<double>(row) / kTableRows);
    for (Eigen::Index k = 0; k < 2; ++k) {
      const auto [mean, deviation] = MomentsAt(draws, time, k);
      fmt::print("{:14.3f}{:10.3f}{:10.3f}", truth.states(time, k), mean, deviation);
    }
  }
  fmt::print("\n");
}

void PrintStatistics(const Path& truth, const std::vector<Path>& draws,
                     const SolverOptions& options) {
  const auto print = [](std::string_view who, const std::vector<Path>& all) {
    double accepted = 0, rejected = 0, evaluations = 0;
    for (const Path& one : all) {
      accepted += static_cast<double>(one.result.statistics.accepted);
      rejected += static_cast<double>(one.result.statistics.rejected);
      evaluations += static_cast<double>(one.result.statistics.evaluations);
    }
    const double n = static_cast<double>(all.size());
    fmt::print("{:>25}{:>10.1f}{:>16.1f}{:>20.1f}\n", who, accepted / n, rejected / n,
               evaluations / n);
  };
  fmt::print("\n{:>25}{:>10}{:>16}{:>20}\n",
             fmt::format("{}, tolerance {:g}", Name(options.method), options.rtol), "steps",
             "rejected steps", "field evaluations");
  print("true system", {truth});
  print("a draw, on average", draws);
}

}  // namespace

int Portrait(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  if (arguments.help) {
    PrintHelp();
    return 0;
  }
  const SystemInfo info = DescribeSystem(arguments.system);
  const std::unique_ptr<System> system = MakeSystem(arguments.system);
  Solver solver;
  const Path truth = Follow(*system, info, solver);
  GPODE_CHECK(truth.result.ok());
  const Window window = WindowAround(truth.states);
  const SparseGp gp = PosteriorOf(*system, window);
  const std::vector<Path> draws = FollowDraws(gp, info, arguments.seed, solver);

  fmt::print("{}; a Gaussian process knows it at {} points (seed {})\n\n", info.title,
             gp.inducing(), arguments.seed);
  PrintPlot(info, window, truth, draws);
  PrintTable(info, truth, draws);
  PrintStatistics(truth, draws, solver.options());
  return 0;
}

}  // namespace gpode::tool
