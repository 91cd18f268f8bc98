// One set of checks that every Field has to pass.
//
//   ExpectFieldConsistent(
//       [](std::span<const double> p) { return std::make_unique<VanDerPol>(p[0]); }, {0.5},
//       points);
//
// `make` builds the field from a flat parameter vector, in the order of Pullback's bparameters.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gpode/field.h"
#include "gpode/gradient_check.h"

namespace gpode {
namespace harness {

// Derivatives, through CheckGradient.
constexpr double kGradientTolerance = 1e-8;
// Same formula, another order of additions; relative to the largest entry.
constexpr double kRoundingTolerance = 1e-12;

using FieldFactory = std::function<std::unique_ptr<Field>(std::span<const double>)>;
using Values = std::vector<double>;

// What a field leaves behind at a batch of points.
struct FieldResult {
  Values f, bx, bparameters;
};

// Cotangents of different sizes and signs, so that no two entries can be mixed up unnoticed.
inline Values Cotangents(std::size_t size) {
  Values g(size);
  for (std::size_t i = 0; i < size; ++i) {
    g[i] = std::cos(1.0 + 2.3 * static_cast<double>(i)) + (i % 2 == 0 ? 0.2 : -0.2);
  }
  return g;
}

// NaN: an evaluation that reads what it was told not to rely on cannot go unnoticed.
inline Values Undefined(std::size_t size) {
  return Values(size, std::numeric_limits<double>::quiet_NaN());
}

inline Values ValueOf(const Field& field, std::span<const double> x) {
  Values f = Undefined(x.size());
  Values scratch = Undefined(x.size() / field.dim() * field.record_size());
  field.Value(x, f, scratch);
  return f;
}

// Record and Pullback of the cotangents g, added to what bx and bparameters hold.
inline FieldResult RecordAndPullback(const Field& field, std::span<const double> x,
                                     std::span<const double> g, double start = 0.0) {
  FieldResult result{Undefined(x.size()), Values(x.size(), start),
                     Values(field.parameter_count(), start)};
  Values record = Undefined(x.size() / field.dim() * field.record_size());
  field.Record(x, result.f, record);
  field.Pullback(x, record, g, result.bx, result.bparameters);
  return result;
}

inline void ExpectNear(const Values& actual, const Values& expected, const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 0.0;
  for (const double e : expected) largest = std::max(largest, std::abs(e));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], kRoundingTolerance * largest) << what << " [" << i << "]";
  }
}

inline void ExpectValueIsRecordsValue(const Field& field, std::span<const double> x) {
  const FieldResult result = RecordAndPullback(field, x, Cotangents(x.size()));
  ExpectNear(ValueOf(field, x), result.f, "Value against Record");
}

inline void ExpectBatchIsPointsOneByOne(const Field& field, std::span<const double> x) {
  const std::size_t d = field.dim();
  const Values g = Cotangents(x.size());
  const Values value = ValueOf(field, x);
  const FieldResult batch = RecordAndPullback(field, x, g);
  Values sum(field.parameter_count(), 0.0);
  for (std::size_t p = 0; p < x.size(); p += d) {
    // A copy, because the address must not matter either.
    const Values point(x.begin() + p, x.begin() + p + d);
    const Values value_at = ValueOf(field, point);
    const FieldResult at = RecordAndPullback(field, point, std::span(g).subspan(p, d));
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_EQ(value[p + i], value_at[i]) << "Value, point " << p / d << ", output " << i;
      EXPECT_EQ(batch.f[p + i], at.f[i]) << "Record, point " << p / d << ", output " << i;
      EXPECT_EQ(batch.bx[p + i], at.bx[i]) << "Pullback, point " << p / d << ", input " << i;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += at.bparameters[i];
  }
  ExpectNear(batch.bparameters, sum, "bparameters of a batch against its points");
}

inline void ExpectEmptyBatchChangesNothing(const Field& field) {
  const Values parameters(field.parameter_count(), 0.5);
  EXPECT_EQ(RecordAndPullback(field, {}, {}, 0.5).bparameters, parameters) << "empty batch";
}

inline void ExpectJacobianIsDerivative(const Field& field, std::span<const double> x) {
  const std::size_t d = field.dim();
  Values jacobian = Undefined(x.size() * d);
  field.Jacobian(x, jacobian);
  for (std::size_t p = 0; p < x.size() / d; ++p) {
    for (std::size_t i = 0; i < d; ++i) {
      const GradientCheck check =
          CheckGradient([&](std::span<const double> point) { return ValueOf(field, point)[i]; },
                        x.subspan(p * d, d), std::span(jacobian).subspan((p * d + i) * d, d));
      EXPECT_TRUE(check.ok(kGradientTolerance))
          << "Jacobian, point " << p << ", output " << i << ": " << check.message;
    }
  }
}

// The scalar whose gradient is the pullback of g.
inline double Contract(const Field& field, std::span<const double> x, std::span<const double> g) {
  const Values f = ValueOf(field, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += g[i] * f[i];
  return sum;
}

inline void ExpectPullbackIsGradientOfStates(const Field& field, std::span<const double> x) {
  const Values g = Cotangents(x.size());
  const FieldResult result = RecordAndPullback(field, x, g);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> moved) { return Contract(field, moved, g); }, x, result.bx);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << "Pullback to x: " << check.message;
}

inline void ExpectPullbackIsGradientOfParameters(const FieldFactory& make,
                                                 std::span<const double> parameters,
                                                 std::span<const double> x) {
  const Values g = Cotangents(x.size());
  const FieldResult result = RecordAndPullback(*make(parameters), x, g);
  const GradientCheck check =
      CheckGradient([&](std::span<const double> moved) { return Contract(*make(moved), x, g); },
                    parameters, result.bparameters);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << "Pullback to the parameters: " << check.message;
}

inline void ExpectPullbackAdds(const Field& field, std::span<const double> x) {
  const Values g = Cotangents(x.size());
  FieldResult fresh = RecordAndPullback(field, x, g);
  const FieldResult added = RecordAndPullback(field, x, g, 3.5);
  for (double& b : fresh.bx) b += 3.5;
  for (double& b : fresh.bparameters) b += 3.5;
  ExpectNear(added.bx, fresh.bx, "Pullback adds to bx");
  ExpectNear(added.bparameters, fresh.bparameters, "Pullback adds to bparameters");
}

}  // namespace harness

// What can be checked of a field without changing its parameters. points (n, D), at least two of
// them.
inline void ExpectStatesConsistent(const Field& field, const Matrix& points) {
  using namespace harness;
  const std::span<const double> x(points.data(), static_cast<std::size_t>(points.size()));
  ASSERT_EQ(static_cast<std::size_t>(points.cols()), field.dim());
  ASSERT_GE(points.rows(), 2) << "one point cannot show what a batch does";
  ExpectValueIsRecordsValue(field, x);
  ExpectBatchIsPointsOneByOne(field, x);
  ExpectEmptyBatchChangesNothing(field);
  ExpectJacobianIsDerivative(field, x);
  ExpectPullbackIsGradientOfStates(field, x);
  ExpectPullbackAdds(field, x);
}

// All of the above.
inline void ExpectFieldConsistent(const harness::FieldFactory& make,
                                  const std::vector<double>& parameters, const Matrix& points) {
  const std::unique_ptr<Field> field = make(parameters);
  ASSERT_EQ(field->parameter_count(), parameters.size());
  ExpectStatesConsistent(*field, points);
  if (parameters.empty()) return;
  harness::ExpectPullbackIsGradientOfParameters(
      make, parameters, {points.data(), static_cast<std::size_t>(points.size())});
}

}  // namespace gpode
