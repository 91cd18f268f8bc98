// Estimates by how much bands have to be widened from the errors of forecasts. See FitWidening in
// gpode/holdout.h.
#include <algorithm>
#include <cmath>
#include <map>

#include "data/autocorrelation.h"
#include "gpode/error.h"
#include "predict/horizon_thirds.h"

namespace gpode {
namespace {

constexpr double kNormal95 = 1.6448536269514722, kNormal90 = 1.2815515655446004;
// Horizons are split into thirds if some channel has at least this many values.
constexpr std::size_t kFewestForThirds = 9;

// Returns true if errors are significantly larger than the bands say, at the level 0.1.
// `mean_square` is the mean of (error / deviation of the band)^2 over n independent errors. If the
// bands are right, n * mean_square is chi-squared, and the cube root of mean_square is about normal
// (Wilson, Hilferty 1931).
bool IsSignificant(double mean_square, double n) {
  const double s = 2 / (9 * n);
  return (std::cbrt(mean_square) - (1 - s)) / std::sqrt(s) > kNormal90;
}

// Returns (t / z)^2, where t and z are the 0.95 quantiles of Student's distribution with n degrees
// of freedom and of the normal distribution. If a variance is estimated from n values, a normal
// 90 % band covers 90 % only after the variance is multiplied by this factor. Expands t in 1/n
// (Abramowitz and Stegun, 26.7.5). The expansion is poor for small n, so n below two counts as two.
double SmallSampleFactor(double n) {
  const double z = kNormal95, z2 = z * z, m = 1 / std::max(n, 2.0);
  const double ratio =
      1 + m * ((z2 + 1) / 4 + m * ((5 * z2 * z2 + 16 * z2 + 3) / 96 +
                                   m * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384));
  return ratio * ratio;
}

// The errors of one channel, each divided by the standard deviation that its band has.
struct RelativeErrors {
  double mean_square = 0;
  double independent = 1;  // the effective number of independent errors
};

RelativeErrors RelativeTo(std::span<const HeldError* const> errors) {
  const double count = static_cast<double>(errors.size());
  double squares = 0;
  for (const HeldError* e : errors) squares += e->error * e->error;
  const double least = 1e-9 * std::sqrt(squares / count);  // prevents division by a width of zero
  std::map<std::size_t, std::vector<double>> series;       // relative errors of each trajectory
  RelativeErrors relative;
  for (const HeldError* e : errors) {
    const double r = squares > 0 ? e->error / std::max(e->deviation, least) : 0;
    series[e->trajectory].push_back(r);
    relative.mean_square += r * r / count;
  }
  std::vector<std::vector<double>> all;
  for (auto& [trajectory, own] : series) all.push_back(std::move(own));
  relative.independent = std::max(1.0, count / AutocorrelationTime(all));
  return relative;
}

// Returns the extra variances of a channel at the knots, one for each third of the horizons.
// `independent` is RelativeErrors::independent.
Vector VariancesOf(std::span<const HeldError* const> errors, double independent,
                   const HorizonThirds& thirds) {
  const auto knots = static_cast<Eigen::Index>(thirds.ends.size());
  const double factor = SmallSampleFactor(independent);
  Vector sum = Vector::Zero(knots), count = Vector::Zero(knots);
  for (const HeldError* e : errors) {
    const auto k = static_cast<Eigen::Index>(thirds.Find(e->horizon));
    sum[k] += factor * e->error * e->error - e->deviation * e->deviation;
    count[k] += 1;
  }
  Vector variances = Vector::Zero(knots);
  for (Eigen::Index k = 0; k < knots; ++k) {
    const double before = k > 0 ? variances[k - 1] : 0;
    variances[k] = std::max(before, count[k] > 0 ? sum[k] / count[k] : 0.0);
  }
  return variances;
}

double ShareInside(std::span<const HeldError* const> errors, const BandWidening& widening) {
  double inside = 0;
  for (const HeldError* e : errors) {
    const double variance = widening.Variance(e->channel, e->horizon);
    inside += std::fabs(e->error) <= kNormal95 * std::hypot(e->deviation, std::sqrt(variance));
  }
  return errors.empty() ? 0 : inside / static_cast<double>(errors.size());
}

}  // namespace

HorizonThirds::HorizonThirds(std::span<const HeldError> errors) {
  std::vector<double> sorted;
  std::map<std::size_t, std::size_t> rows;  // number of errors of each channel
  for (const HeldError& e : errors) {
    sorted.push_back(e.horizon);
    ++rows[e.channel];
  }
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0;
  for (const auto& [channel, count] : rows) most = std::max(most, count);
  const std::size_t parts = most >= kFewestForThirds ? 3 : 1;
  for (std::size_t k = 1; k <= parts; ++k) {
    const double end = sorted[(k * sorted.size() + parts - 1) / parts - 1];
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  std::vector<double> counts(ends.size());
  means.resize(ends.size());
  for (double h : sorted) {
    means[Find(h)] += h;
    counts[Find(h)] += 1;
  }
  for (std::size_t k = 0; k < means.size(); ++k) means[k] /= counts[k];
}

std::size_t HorizonThirds::Find(double horizon) const {
  const auto end = std::lower_bound(ends.begin(), ends.end(), horizon);
  return std::min<std::size_t>(end - ends.begin(), ends.size() - 1);
}

BandWidening FitWidening(std::span<const HeldError> errors, std::size_t channels) {
  std::vector<std::vector<const HeldError*>> own(channels);
  for (const HeldError& e : errors) {
    if (e.channel >= channels) ThrowInput("FitWidening", "channel", "is not one of the channels");
    CheckPositive("FitWidening", "horizon", e.horizon);
    CheckFinite("FitWidening", "error", e.error);
    CheckNonNegative("FitWidening", "deviation", e.deviation);
    own[e.channel].push_back(&e);
  }
  const HorizonThirds thirds(errors);
  BandWidening widening{.horizons = thirds.means,
                        .variance = Matrix::Zero(std::ssize(thirds.means), std::ssize(own))};
  for (std::size_t c = 0; c < channels; ++c) {
    widening.values.push_back(own[c].size());
    widening.inside.push_back(ShareInside(own[c], {}));
    if (own[c].size() >= kFewestHeld) {
      const RelativeErrors relative = RelativeTo(own[c]);
      if (IsSignificant(relative.mean_square, relative.independent)) {
        widening.variance.col(static_cast<Eigen::Index>(c)) =
            VariancesOf(own[c], relative.independent, thirds);
      }
    }
    widening.inside_widened.push_back(ShareInside(own[c], widening));
  }
  return widening;
}

}  // namespace gpode
