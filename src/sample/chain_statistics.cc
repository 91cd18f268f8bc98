#include "sample/chain_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace gpode {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Matrix SplitChains(const Matrix& values) {
  const Eigen::Index half = values.rows() / 2;
  Matrix halves(half, 2 * values.cols());
  halves << values.topRows(half), values.bottomRows(half);
  return halves;
}

// The mean of the variances within chains, and an estimate of the variance of the target, which is
// larger if the means of the chains differ.
struct Variances {
  double within, total;
};

Variances VariancesOf(const Matrix& centred, const Vector& means) {
  const auto n = static_cast<double>(centred.rows()), m = static_cast<double>(centred.cols());
  const double within = centred.squaredNorm() / (m * (n - 1));
  const double between = (means.array() - means.mean()).square().sum() / (m - 1);
  return {within, within * (n - 1) / n + between};
}

// Returns the autocovariance at a lag, averaged over chains.
double Autocovariance(const Matrix& centred, Eigen::Index lag) {
  const Eigen::Index left = centred.rows() - lag;
  return centred.topRows(left).cwiseProduct(centred.bottomRows(left)).sum() /
         static_cast<double>(centred.size());
}

// Sums of the autocorrelations at pairs of lags (0, 1), (2, 3), ..., before the first pair with a
// negative sum. `last` is the autocorrelation at the even lag of that pair, if it is positive; it
// matters for chains whose autocorrelations alternate in sign.
struct CorrelationPairs {
  std::vector<double> sums;
  double last = 0;
};

CorrelationPairs PositivePairs(const Matrix& centred, const Variances& variances) {
  const auto correlation = [&](Eigen::Index lag) {
    return 1 - (variances.within - Autocovariance(centred, lag)) / variances.total;
  };
  CorrelationPairs pairs{.sums = {1 + correlation(1)}};
  for (Eigen::Index lag = 2; pairs.sums.back() > 0 && lag + 3 < centred.rows(); lag += 2) {
    const double even = correlation(lag), sum = even + correlation(lag + 1);
    if (sum < 0) {
      pairs.last = std::max(even, 0.0);
      break;
    }
    pairs.sums.push_back(sum);
  }
  return pairs;
}

}  // namespace

bool IsInformative(const Matrix& values) {
  return values.rows() >= 4 && values.cols() >= 1 && values.allFinite() &&
         values.maxCoeff() > values.minCoeff();
}

double NormalQuantile(double p) {
  if (p > 0.5) return -NormalQuantile(1 - p);
  // Abramowitz and Stegun 26.2.23, with an error of 5e-4, then Halley's method.
  const double t = std::sqrt(-2 * std::log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int i = 0; i < 3; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
    const double step = error * std::sqrt(2 * std::numbers::pi) * std::exp(0.5 * x * x);
    x -= step / (1 + 0.5 * x * step);
  }
  return x;
}

Matrix NormalScores(const Matrix& values) {
  const auto size = static_cast<std::size_t>(values.size());
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double* v = values.data();
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
  Matrix scores(values.rows(), values.cols());
  for (std::size_t first = 0, end = 0; first < size; first = end) {
    while (end < size && v[order[end]] == v[order[first]]) ++end;
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    const double score = NormalQuantile((rank - 0.375) / (static_cast<double>(size) + 0.25));
    for (std::size_t i = first; i < end; ++i) scores.data()[order[i]] = score;
  }
  return scores;
}

double SplitRhat(const Matrix& values) {
  const Matrix halves = SplitChains(values);
  const Vector means = halves.colwise().mean().transpose();
  const Variances variances = VariancesOf(halves.rowwise() - means.transpose(), means);
  return std::sqrt(variances.total / variances.within);
}

double SplitEss(const Matrix& values) {
  if (!IsInformative(values)) return kNan;
  const Matrix halves = SplitChains(values);
  const Vector means = halves.colwise().mean().transpose();
  const Matrix centred = halves.rowwise() - means.transpose();
  const CorrelationPairs pairs = PositivePairs(centred, VariancesOf(centred, means));
  double time = pairs.last - 1, smallest = pairs.sums[0];
  for (double sum : pairs.sums) {
    smallest = std::min(smallest, sum);
    time += 2 * smallest;
  }
  const auto size = static_cast<double>(halves.size());
  return size / std::max(time, 1 / std::log10(size));
}

}  // namespace gpode
