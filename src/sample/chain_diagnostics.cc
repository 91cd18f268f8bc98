// The diagnostics of chains (A. Vehtari et al. 2021). Their ingredients are in chain_statistics.cc.
#include "gpode/chain_diagnostics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/quantile.h"
#include "sample/chain_statistics.h"

namespace gpode {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> Sorted(const Matrix& values) {
  std::vector<double> sorted(values.data(), values.data() + values.size());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Returns the effective sample size of the indicator that a value is at most the quantile p.
double QuantileEss(const Matrix& values, double p) {
  const double quantile = SortedQuantile(Sorted(values), p);
  return SplitEss((values.array() <= quantile).cast<double>());
}

double Variance(const Matrix& values) {
  return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

}  // namespace

double Rhat(const Matrix& values) {
  if (!IsInformative(values)) return kNan;
  const Matrix folded = (values.array() - SortedQuantile(Sorted(values), 0.5)).abs();
  const double tails = IsInformative(folded) ? SplitRhat(NormalScores(folded)) : 1.0;
  return std::max(SplitRhat(NormalScores(values)), tails);
}

double BulkEss(const Matrix& values) {
  return IsInformative(values) ? SplitEss(NormalScores(values)) : kNan;
}

double TailEss(const Matrix& values) {
  if (!IsInformative(values)) return kNan;
  return std::min(QuantileEss(values, 0.05), QuantileEss(values, 0.95));
}

double MeanEss(const Matrix& values) { return IsInformative(values) ? SplitEss(values) : kNan; }

double MeanError(const Matrix& values) { return std::sqrt(Variance(values) / MeanEss(values)); }

// The squared error of the variance is the variance of (x - mean)^2 over its effective sample size.
// The delta method, d sqrt(v) = dv / (2 sqrt(v)), turns it into that of the standard deviation.
double DeviationError(const Matrix& values) {
  const Matrix squares = (values.array() - values.mean()).square();
  const double mean = squares.mean();
  const double spread = squares.array().square().mean() - mean * mean;
  return std::sqrt(spread / MeanEss(squares) / (4 * mean));
}

Vector EnergyInformation(const Matrix& energies) {
  const Eigen::Index n = energies.rows();
  Vector information = Vector::Constant(energies.cols(), kNan);
  if (n < 4) return information;
  for (Eigen::Index c = 0; c < energies.cols(); ++c) {
    const Vector e = energies.col(c);
    const double steps = (e.tail(n - 1) - e.head(n - 1)).squaredNorm() / static_cast<double>(n);
    information[c] = steps / Variance(e);
  }
  return information;
}

DrawSummary Summarise(const Matrix& values) {
  const std::vector<double> sorted = Sorted(values);
  return {.mean = values.mean(),
          .deviation = std::sqrt(Variance(values)),
          .quantile_5 = SortedQuantile(sorted, 0.05),
          .median = SortedQuantile(sorted, 0.5),
          .quantile_95 = SortedQuantile(sorted, 0.95),
          .mean_error = MeanError(values),
          .deviation_error = DeviationError(values),
          .rhat = Rhat(values),
          .bulk_ess = BulkEss(values),
          .tail_ess = TailEss(values)};
}

}  // namespace gpode
