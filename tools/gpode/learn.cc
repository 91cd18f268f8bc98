// gpode learn: simulates a noisy Van der Pol oscillator, learns its field, shows the forecast
// beside the truth.
#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "braille_canvas.h"
#include "gpode/forecast.h"
#include "gpode/gpode.h"
#include "gpode/model.h"
#include "subcommands.h"
#include "terminal.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kPoints = 50;
constexpr double kTrainingEnd = 7.0, kForecastEnd = 14.0;
constexpr double kNoiseVariance = 0.05;
constexpr std::size_t kPlotTimes = 280;
constexpr int kTruthColour = 2, kMeanColour = 36, kBandColour = 35, kDataColour = 33;

struct Arguments {
  std::uint64_t seed = 1;
  bool help = false;
};

void PrintHelp() {
  fmt::print(
      "usage: gpode learn [--seed N]\n\n"
      "Simulates {} noisy observations of the Van der Pol oscillator on [0, {}], learns the field "
      "from\n"
      "them, forecasts to {}, and shows forecast, 90 % band and truth.\n\n"
      "  --seed N    seed of noise, training and forecast (default: 1)\n"
      "  --help      this text\n\n"
      "examples:\n"
      "  gpode learn\n"
      "  gpode learn --seed 2\n",
      kPoints, kTrainingEnd, kForecastEnd);
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      arguments.help = true;
    } else if (word == "--seed") {
      if (++i == argc) ThrowInput("learn", "--seed", "has no number after it");
      arguments.seed = ParseSeed("learn", argv[i]);
    } else {
      ThrowInput("learn", "argument", fmt::format("'{}' is unknown, known: --seed, --help", word));
    }
  }
  return arguments;
}

Matrix Truth(const std::vector<double>& times) {
  return SolveSystem("vdp", DescribeSystem("vdp").default_start, times);
}

Matrix Pair(const std::vector<double>& times, const Matrix& values) {
  Matrix points(static_cast<Eigen::Index>(times.size()), 2);
  points.col(0) = Eigen::Map<const Vector>(times.data(), points.rows());
  points.col(1) = values.col(0);
  return points;
}

void PrintPlot(const Dataset& data, const Forecast& forecast) {
  BrailleCanvas canvas(70, 18, {0, kForecastEnd, -3, 3});
  canvas.Curve(Pair(forecast.times, Truth(forecast.times)), {.spacing = 3, .colour = kTruthColour});
  for (double p : {0.05, 0.95}) {
    canvas.Curve(Pair(forecast.times, forecast.Quantile(p)), {.spacing = 2, .colour = kBandColour});
  }
  canvas.Curve(Pair(forecast.times, forecast.Quantile(0.5)), {.colour = kMeanColour});
  const Trajectory& seen = data.trajectories[0];
  for (std::size_t i = 0; i < seen.times.size(); i += 2) {
    canvas.Mark(seen.times[i], seen.values(static_cast<Eigen::Index>(i), 0), "o", kDataColour);
  }
  fmt::print("{}", canvas.Framed("time", "x1", Coloured()));
  fmt::print("  o every other observation   line: median   dots: 5 and 95 %, and the truth\n\n");
}

void PrintScores(const Model& model, const Forecast& forecast, const Scores& scores) {
  fmt::print("noise variance learnt: {:.3f} and {:.3f} (true: {})\n", model.noise_variance[0],
             model.noise_variance[1], kNoiseVariance);
  fmt::print(
      "forecast of [{}, {}] against the truth, {} draws: MNLL {:.2f}, MSE {:.3f},\n"
      "90 % bands cover {:.0f} %, {} draws diverged\n",
      kTrainingEnd, kForecastEnd, forecast.draws.size(), scores.mnll, scores.mse,
      100 * scores.coverage_90, scores.diverged);
}

}  // namespace

int Learn(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  if (arguments.help) {
    PrintHelp();
    return 0;
  }
  const Dataset data = Simulate({.system = "vdp",
                                 .span = kTrainingEnd,
                                 .points = kPoints,
                                 .noise_variance = {kNoiseVariance},
                                 .seed = arguments.seed})
                           .data;
  fmt::print("learning from {} noisy observations of a Van der Pol oscillator, seed {}\n", kPoints,
             arguments.seed);
  FitOptions options;
  options.seed = arguments.seed;
  const auto start = std::chrono::steady_clock::now();
  const Model model = Fit(data, options, [&](const Progress& progress) {
    if (progress.step % 2000 == 0) {
      fmt::print("  step {:5} of {}  bound {:8.2f}\n", progress.step, progress.steps,
                 progress.bound);
      std::fflush(stdout);
    }
    return true;
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "  {:.1f} s\n", elapsed.count());
  const ForecastOptions draws{.draws = 128, .seed = arguments.seed};
  PrintPlot(data, ForecastTrajectory(model, 0, RegularTimes(0, kForecastEnd, kPlotTimes), draws));
  const std::vector<double> later = RegularTimes(kTrainingEnd, kForecastEnd, kPoints);
  const Forecast forecast = ForecastTrajectory(model, 0, later, draws);
  PrintScores(model, forecast, Score(forecast, model.noise_variance, Truth(later)));
  return 0;
}

}  // namespace gpode::tool
