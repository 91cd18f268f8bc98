#include "data/smoother.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gpode {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

// A Matern 5/2 process x(t) with unit variance, as the Markov process of (x, dx/dt, d2x/dt2).
struct Matern52Chain {
  double rate;
  Mat3 stationary;  // the covariance of (x, dx/dt, d2x/dt2) at any time

  explicit Matern52Chain(double lengthscale) : rate(std::sqrt(5.0) / lengthscale) {
    const double k = rate * rate / 3;
    stationary << 1, 0, -k, 0, k, 0, -k, 0, rate * rate * rate * rate;
  }

  // Returns exp(F t), where F is the drift matrix of the Markov process. Since n = F + rate I
  // satisfies n^3 = 0, the series of exp(n t) ends after three terms.
  Mat3 Transition(double t) const {
    Mat3 n;
    n << rate, 1, 0, 0, rate, 1, -rate * rate * rate, -3 * rate * rate, -2 * rate;
    return std::exp(-rate * t) * (Mat3::Identity() + n * t + n * n * (0.5 * t * t));
  }
};

struct Moment {
  Vec3 mean;
  Mat3 covariance;
};

// Sums over the observations, to which the Kalman filter adds. The marginal likelihood is computed
// from them. The noise variance is given as a share of the signal variance, so that the best signal
// variance has a closed form: squares / count.
struct Evidence {
  double squares = 0, log_determinant = 0;
  std::size_t count = 0;
};

void Predict(const Matern52Chain& chain, double gap, Moment& m) {
  const Mat3 a = chain.Transition(gap);
  m.mean = a * m.mean;
  m.covariance = a * (m.covariance - chain.stationary) * a.transpose() + chain.stationary;
}

void Update(double y, double noise_share, Moment& m, Evidence& evidence) {
  const double s = m.covariance(0, 0) + noise_share;
  const double v = y - m.mean[0];
  const Vec3 gain = m.covariance.col(0) / s;
  m.mean += gain * v;
  m.covariance -= gain * m.covariance.row(0);
  evidence.squares += v * v / s;
  evidence.log_determinant += std::log(s);
  ++evidence.count;
}

void Filter(const Matern52Chain& chain, double noise_share, double mean, const Series& series,
            Evidence& evidence) {
  Moment m{Vec3::Zero(), chain.stationary};
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    if (i > 0) Predict(chain, series.times[i] - series.times[i - 1], m);
    if (!std::isnan(series.values[i])) Update(series.values[i] - mean, noise_share, m, evidence);
  }
}

double MeanOf(std::span<const Series> series) {
  double sum = 0;
  std::size_t count = 0;
  for (const Series& s : series) {
    for (double v : s.values) {
      if (std::isnan(v)) continue;
      sum += v;
      ++count;
    }
  }
  return count ? sum / static_cast<double>(count) : 0.0;
}

// Returns at most kMostFitted values from the middle of a series, enough to estimate its scales.
Series Middle(const Series& series) {
  constexpr std::size_t kMostFitted = 2000;
  const std::size_t count = std::min(series.times.size(), kMostFitted);
  const std::size_t first = (series.times.size() - count) / 2;
  return {series.times.subspan(first, count), series.values.subspan(first, count)};
}

// Returns the candidate lengthscales, from the mean interval between observations to the length of
// the longest series.
std::vector<double> Lengthscales(std::span<const Series> series) {
  double span = 0, gaps = 0;
  std::size_t count = 0;
  for (const Series& s : series) {
    if (s.times.size() < 2) continue;
    span = std::max(span, s.times.back() - s.times.front());
    gaps += s.times.back() - s.times.front();
    count += s.times.size() - 1;
  }
  if (span == 0) return {1.0};
  const double low = std::min(gaps / static_cast<double>(count), span / 2);
  std::vector<double> scales;
  for (double l = low; l < 1.01 * span; l *= 1.35) scales.push_back(l);
  return scales;
}

}  // namespace

SmootherParameters FitSmoother(std::span<const Series> all) {
  SmootherParameters best{.mean = MeanOf(all)};
  std::vector<Series> series;
  for (const Series& s : all) series.push_back(Middle(s));
  double largest = -std::numeric_limits<double>::infinity();
  for (double lengthscale : Lengthscales(series)) {
    const Matern52Chain chain(lengthscale);
    for (double share = 1e-5; share < 2; share *= 2.5) {
      Evidence e;
      for (const Series& s : series) Filter(chain, share, best.mean, s, e);
      if (e.count == 0) return best;
      const double n = static_cast<double>(e.count);
      const double variance = std::max(e.squares / n, 1e-300);
      const double evidence = -0.5 * (n * std::log(variance) + e.log_determinant);
      if (!(evidence > largest)) continue;
      largest = evidence;
      best.variance = variance;
      best.lengthscale = lengthscale;
      best.noise_variance = share * variance;
    }
  }
  return best;
}

Smoothed Smooth(const SmootherParameters& parameters, const Series& series,
                std::span<const double> at) {
  const Matern52Chain chain(parameters.lengthscale);
  const double share = parameters.noise_variance / parameters.variance;
  // The times of the series and those of `at`, in order and without repetition.
  std::vector<double> times(series.times.begin(), series.times.end());
  times.insert(times.end(), at.begin(), at.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  std::vector<Moment> filtered, predicted;
  Evidence unused;
  Moment m{Vec3::Zero(), chain.stationary};
  std::size_t next = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0) Predict(chain, times[i] - times[i - 1], m);
    predicted.push_back(m);
    if (next < series.times.size() && series.times[next] == times[i]) {
      const double y = series.values[next++];
      if (!std::isnan(y)) Update(y - parameters.mean, share, m, unused);
    }
    filtered.push_back(m);
  }
  // The backward pass of the Rauch-Tung-Striebel smoother, for the means only.
  std::vector<Vec3> smooth(times.size());
  if (!times.empty()) smooth.back() = filtered.back().mean;
  for (std::size_t i = times.size(); i-- > 1;) {
    const Mat3 a = chain.Transition(times[i] - times[i - 1]);
    const Mat3 gain =
        (predicted[i].covariance.ldlt().solve(a * filtered[i - 1].covariance)).transpose();
    smooth[i - 1] = filtered[i - 1].mean + gain * (smooth[i] - predicted[i].mean);
  }
  Smoothed result;
  for (double t : at) {
    const auto i = std::lower_bound(times.begin(), times.end(), t) - times.begin();
    result.value.push_back(smooth[i][0] + parameters.mean);
    result.slope.push_back(smooth[i][1]);
    result.acceleration.push_back(smooth[i][2]);
  }
  return result;
}

}  // namespace gpode
