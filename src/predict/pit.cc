#include "gpode/pit.h"

#include <algorithm>
#include <cmath>

#include "predict/lost_draws.h"
#include "predict/widen.h"

namespace gpode {

void AddPitValues(const Forecast& forecast, const Matrix& seen, PitValues* all) {
  constexpr double kLeastVariance = 1e-8;  // the same as for scores
  ObservationNoise noise = forecast.noise;
  for (std::size_t c = 0; c < noise.channels(); ++c) {
    noise.likelihood->AddVariance(kLeastVariance, noise.Of(c));
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
        WidenAboutMedian(draws, forecast.widening(t, c));
      }
      for (double x : draws) below += x < y ? 1 : x == y ? 0.5 : 0;
      all->with_noise.push_back(
          noise.likelihood->MixtureCdf(y, draws, noise.Of(static_cast<std::size_t>(c))));
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
