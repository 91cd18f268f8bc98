#include "gpode/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyse/support.h"
#include "gpode/analysis.h"
#include "gpode/error.h"
#include "gpode/parallel.h"
#include "gpode/summary.h"

namespace gpode {
namespace {

constexpr char kWhere[] = "compare";
constexpr std::size_t kMostPoints = 400;  // observed states that are compared in higher dimensions

// Returns the intersection of two boxes.
StateBox Common(const StateBox& a, const StateBox& b) {
  return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

// Returns the observed states of both models, thinned to at most kMostPoints.
Matrix ObservedPoints(const Support& a, const Support& b) {
  std::vector<Vector> rows;
  for (const Support* support : {&a, &b}) {
    const auto count = static_cast<std::size_t>(support->states().rows());
    const std::size_t step = 1 + count / (kMostPoints / 2);
    for (std::size_t i = 0; i < count; i += step) {
      rows.emplace_back(support->states().row(static_cast<Eigen::Index>(i)).transpose());
    }
  }
  Matrix points(std::ssize(rows), a.states().cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
  }
  return points;
}

// Returns the differences of the drawn fields, (draws, n D).
Matrix DrawDifferences(const Posterior& a, const Posterior& b, const Matrix& points,
                       const CompareOptions& options) {
  Matrix all(static_cast<Eigen::Index>(options.draws), points.size());
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    // Different seeds make the draws of both models independent.
    const Matrix difference = Evaluate(a.DrawField(options.seed, i), points) -
                              Evaluate(b.DrawField(options.seed + 1, i), points);
    all.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Vector>(difference.data(), difference.size()).transpose();
  });
  return all;
}

// Marks the largest set of values whose mean false sign rate is at most the rate.
void MarkDifferences(FieldDifference* result) {
  const auto dim = result->points.cols();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < result->differs.size(); ++k) {
    if (result->inside[k / static_cast<std::size_t>(dim)]) order.push_back(k);
  }
  const double* rates = result->false_sign.data();
  std::ranges::stable_sort(order, {}, [rates](std::size_t k) { return rates[k]; });
  double sum = 0;
  std::size_t marked = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sum += rates[order[i]];
    if (sum <= result->rate * static_cast<double>(i + 1)) marked = i + 1;
  }
  for (std::size_t i = 0; i < marked; ++i) result->differs[order[i]] = true;
  result->share = static_cast<double>(marked) / static_cast<double>(order.size());
}

// Sets the mean, the bands and the false sign rates from the differences (draws, n D).
void Summarise(const Matrix& draws, FieldDifference* result) {
  const auto n = result->points.rows(), dim = result->points.cols();
  for (Matrix* matrix : {&result->mean, &result->lower, &result->upper, &result->false_sign}) {
    matrix->resize(n, dim);
  }
  const Vector mean = draws.colwise().mean().transpose();
  const Matrix away = draws.rowwise() - mean.transpose();
  const Vector deviation =
      (away.colwise().squaredNorm() / std::max(1.0, static_cast<double>(draws.rows() - 1)))
          .cwiseSqrt()
          .transpose()
          .cwiseMax(1e-300);
  double largest = 0;
  Vector suprema = Vector::Zero(draws.rows());
  for (Eigen::Index k = 0; k < mean.size(); ++k) {
    const auto column = draws.col(k);
    const QuantityBand band = BandOf({column.begin(), column.end()}, result->level);
    const double z = std::abs(mean[k]) / deviation[k];
    result->mean.data()[k] = mean[k];
    result->lower.data()[k] = band.lower;
    result->upper.data()[k] = band.upper;
    result->false_sign.data()[k] = 0.5 * std::erfc(z / std::sqrt(2.0));
    if (!result->inside[static_cast<std::size_t>(k / dim)]) continue;
    largest = std::max(largest, z);
    suprema = suprema.cwiseMax(away.col(k).cwiseAbs() / deviation[k]);
  }
  result->chance = (suprema.array() >= largest).cast<double>().mean();
}

}  // namespace

FieldDifference CompareFields(const Posterior& a, const Dataset& data_a, const Posterior& b,
                              const Dataset& data_b, const CompareOptions& options) {
  CheckAtLeast(kWhere, "draws", static_cast<std::ptrdiff_t>(options.draws), 2);
  CheckAtLeast(kWhere, "side", static_cast<std::ptrdiff_t>(options.side), 2);
  FieldDifference result;
  result.states = StateNames(a.model());
  if (result.states != StateNames(b.model())) {
    ThrowInput(kWhere, "the models", "have different states, must have the same");
  }
  if (a.model().coordinates.inputs() + b.model().coordinates.inputs() > 0) {
    ThrowInput(kWhere, "the models", "have inputs, must have none");
  }
  const Support near_a(a, data_a), near_b(b, data_b);
  result.box = options.box.value_or(Common(near_a.BoxOf(1), near_b.BoxOf(1)));
  result.rate = options.rate;
  result.level = options.level;
  const bool grid = a.dim() <= 2;
  if (grid && (result.box.upper - result.box.lower).minCoeff() > 0) {
    CheckBox(kWhere, result.box, a.dim());
    result.side = options.side;
    result.points = GridPoints(result.box, options.side);
  } else {
    result.points = ObservedPoints(near_a, near_b);
  }
  for (const auto& point : result.points.rowwise()) {
    const Vector x = point.transpose();
    result.inside.push_back(!near_a.IsOutside(x) && !near_b.IsOutside(x));
  }
  if (std::ranges::none_of(result.inside, [](bool inside) { return inside; })) {
    ThrowInput(kWhere, "the data", "of the two models have no common region, must have one");
  }
  result.differs.resize(static_cast<std::size_t>(result.points.size()));
  Summarise(DrawDifferences(a, b, result.points, options), &result);
  MarkDifferences(&result);
  return result;
}

}  // namespace gpode
