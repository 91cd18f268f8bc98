#include "gpode/pit.h"

#include <algorithm>
#include <cmath>

#include "gpode/random.h"
#include "predict/lost_draws.h"
#include "predict/widen.h"

namespace gpode {

namespace {

// Returns the PIT value of y: F(y), or for values of positive probability a uniform number between the probability
// below y and F(y), which is addressed by time and channel (C. Czado, T. Gneiting, L. Held, 2009,
// Predictive model assessment for count data, Biometrics 65).
double PitOf(const ObservationNoise& noise, Eigen::Index t, Eigen::Index c, double y,
             std::span<const double> draws) {
  const auto channel = static_cast<std::size_t>(c);
  const Likelihood& likelihood = noise.For(channel);
  const double cdf = likelihood.MixtureCdf(y, draws, noise.Of(channel));
  if (!likelihood.HasMassAt(y)) return cdf;
  const double below = likelihood.MixtureCdfBelow(y, draws, noise.Of(channel));
  double uniform = 0;
  RandomStream(1, static_cast<std::uint64_t>(t), channel, Purpose::kObservationNoise)
      .Uniforms({&uniform, 1});
  return below + uniform * (cdf - below);
}

}  // namespace

void AddPitValues(const Forecast& forecast, const Matrix& seen, PitValues* all) {
  constexpr double kLeastVariance = 1e-8;  // the same as for scores
  ObservationNoise noise = forecast.noise;
  for (std::size_t c = 0; c < noise.channels(); ++c) {
    noise.For(c).AddVariance(kLeastVariance, noise.Of(c));
  }
  std::vector<double> draws;
  for (Eigen::Index t = 0; t < seen.rows(); ++t) {
    for (Eigen::Index c = 0; c < seen.cols(); ++c) {
      const double y = seen(t, c);
      draws.clear();
      double below = 0;
      for (const auto& draw : forecast.draws) {
        const double x = draw(t, c);
        if (!std::isfinite(x)) continue;
        draws.push_back(x);
      }
      if (std::isnan(y)) continue;
      if (AreTooManyLost(draws.size(), forecast.draws.size())) {
        ++all->missed;
        continue;
      }
      if (forecast.widening.size() > 0 && forecast.widening(t, c) > 0) {
        std::sort(draws.begin(), draws.end());
        WidenAboutMedian(draws, forecast.widening(t, c),
                         noise.For(static_cast<std::size_t>(c)).link());
      }
      for (double x : draws) below += x < y ? 1 : x == y ? 0.5 : 0;
      all->with_noise.push_back(PitOf(noise, t, c, y, draws));
      all->without_noise.push_back(below / static_cast<double>(draws.size()));
    }
  }
}

double ShareInside(const std::vector<double>& pit, double level, std::size_t missed) {
  const auto inside =
      std::count_if(pit.begin(), pit.end(), [&](double u) { return std::abs(2 * u - 1) <= level; });
  return static_cast<double>(inside) / static_cast<double>(pit.size() + missed);
}

std::vector<double> PitCounts(const std::vector<double>& pit, std::size_t bins) {
  std::vector<double> counts(bins);
  for (double u : pit) {
    counts[std::min(bins - 1, static_cast<std::size_t>(u * static_cast<double>(bins)))] += 1;
  }
  return counts;
}

}  // namespace gpode
