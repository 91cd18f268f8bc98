#include "data/autocorrelation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gpode {
namespace {

// A mean over kMostValues products is accurate enough, so that further series are not read. Lags
// above kLongestLag are ignored.
constexpr std::size_t kMostValues = 20000, kLongestLag = 1000;

struct LagMean {
  double sum = 0;
  std::size_t count = 0;
};

// Returns the sum and the number of the products of values that are `lag` places apart.
LagMean ProductsAtLag(std::span<const std::vector<double>> series, std::size_t lag) {
  LagMean mean;
  for (const std::vector<double>& s : series) {
    for (std::size_t i = 0; i + lag < s.size(); ++i) {
      const double product = s[i] * s[i + lag];
      if (std::isnan(product)) continue;
      mean.sum += product;
      ++mean.count;
    }
    if (mean.count >= kMostValues) break;
  }
  return mean;
}

}  // namespace

double AutocorrelationTime(std::span<const std::vector<double>> series, double least_variance) {
  const LagMean squares = ProductsAtLag(series, 0);
  if (squares.count == 0 || !(squares.sum > 0)) return 1;
  const double variance =
      std::max(squares.sum / static_cast<double>(squares.count), least_variance);
  double time = 1;
  for (std::size_t lag = 1; lag <= kLongestLag; ++lag) {
    const LagMean products = ProductsAtLag(series, lag);
    if (products.count < 2) break;
    const double n = static_cast<double>(products.count), rho = products.sum / n / variance;
    if (!(rho > 2 / std::sqrt(n))) break;
    time += 2 * rho;
  }
  return std::min(time, static_cast<double>(squares.count));
}

double IndependentColumns(std::span<const Matrix> rows) {
  const Eigen::Index columns = rows.front().cols();
  Matrix products = Matrix::Zero(columns, columns);
  double count = 0;
  for (const Matrix& part : rows) {
    const Matrix seen = part.array().isNaN().select(0.0, part);
    products += seen.transpose() * seen;
    count += static_cast<double>(part.rows());
  }
  double sum = 0;  // sum of squared correlations
  for (Eigen::Index i = 0; i < columns; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      const double scale = products(i, i) * products(j, j);
      const double square = scale > 0 ? products(i, j) * products(i, j) / scale : 0.0;
      sum += i == j ? 1.0 : std::max(square - 1 / count, 0.0);
    }
  }
  const double c = static_cast<double>(columns);
  return c * c / sum;
}

}  // namespace gpode
