// Checks that every Function and every Field must pass.
//
//   ExpectFieldConsistent(
//       [](std::span<const double> p) { return std::make_unique<VanDerPol>(p[0]); }, {0.5},
//       states);
//
// `make` builds the field or function from a flat parameter vector, in the order of Pullback's
// bparameters. A field that depends on time or inputs is checked at one time and with one vector of
// inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpode/field.h"
#include "gpode/function.h"
#include "gpode/gradient_check.h"

namespace gpode {
namespace harness {

// The tolerance of derivatives, given to CheckGradient.
constexpr double kGradientTolerance = 1e-8;
// The tolerance, relative to the largest entry, between results of the same formula with different
// orders of additions.
constexpr double kRoundingTolerance = 1e-12;

using Values = std::vector<double>;
using FieldFactory = std::function<std::unique_ptr<Field>(std::span<const double>)>;
using FunctionFactory = std::function<std::unique_ptr<Function>(std::span<const double>)>;

// A field as a function of the state alone, at a fixed time and with the same U inputs for every
// state.
class FieldAt final : public Function {
 public:
  explicit FieldAt(const Field& field, double t = 0, Values u = {})
      : field_(field), t_(t), u_(std::move(u)) {}
  FieldAt(std::unique_ptr<Field> field, double t, Values u)
      : owned_(std::move(field)), field_(*owned_), t_(t), u_(std::move(u)) {}

  std::size_t inputs() const override { return field_.dim(); }
  std::size_t outputs() const override { return field_.dim(); }
  std::size_t parameter_count() const override { return field_.parameter_count(); }
  std::size_t record_size() const override { return field_.record_size(); }
  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override {
    const Values u = Repeated(x);
    field_.Value({t_, x, u}, f, scratch);
  }
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override {
    const Values u = Repeated(x);
    field_.Record({t_, x, u}, f, record);
  }
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override {
    const Values u = Repeated(x);
    field_.Pullback({t_, x, u}, record, g, bx, bparameters);
  }
  void Jacobian(std::span<const double> x, std::span<double> jacobian) const override {
    const Values u = Repeated(x);
    field_.Jacobian({t_, x, u}, jacobian);
  }

 private:
  Values Repeated(std::span<const double> x) const {
    Values all;
    for (std::size_t p = 0; p < x.size() / field_.dim(); ++p) {
      all.insert(all.end(), u_.begin(), u_.end());
    }
    return all;
  }

  std::unique_ptr<Field> owned_;
  const Field& field_;
  double t_;
  Values u_;
};

// Returns cotangents of different sizes and signs, so that no two entries can be mixed up
// unnoticed.
inline Values Cotangents(std::size_t size) {
  Values g(size);
  for (std::size_t i = 0; i < size; ++i) {
    g[i] = std::cos(1.0 + 2.3 * static_cast<double>(i)) + (i % 2 == 0 ? 0.2 : -0.2);
  }
  return g;
}

// Returns NaNs, so that a function that reads memory before it has written to it is noticed.
inline Values Undefined(std::size_t size) {
  return Values(size, std::numeric_limits<double>::quiet_NaN());
}

inline std::size_t CountPoints(const Function& function, std::span<const double> x) {
  return x.size() / function.inputs();
}

inline Values CotangentsFor(const Function& function, std::span<const double> x) {
  return Cotangents(CountPoints(function, x) * function.outputs());
}

inline Values ValueOf(const Function& function, std::span<const double> x) {
  const std::size_t n = CountPoints(function, x);
  Values f = Undefined(n * function.outputs());
  Values scratch = Undefined(n * function.record_size());
  function.Value(x, f, scratch);
  return f;
}
inline Values ValueOf(const Field& field, std::span<const double> x) {
  return ValueOf(FieldAt(field), x);
}

// The results of Record and Pullback at a batch of points.
struct PullbackResult {
  Values f, bx, bparameters;
};

// Calls Record, then Pullback with the cotangents g. The pullback adds to bx and bparameters, whose
// entries are `start` before.
inline PullbackResult RecordAndPullback(const Function& function, std::span<const double> x,
                                        std::span<const double> g, double start = 0.0) {
  const std::size_t n = CountPoints(function, x);
  PullbackResult result{Undefined(n * function.outputs()), Values(x.size(), start),
                        Values(function.parameter_count(), start)};
  Values record = Undefined(n * function.record_size());
  function.Record(x, result.f, record);
  function.Pullback(x, record, g, result.bx, result.bparameters);
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

inline void ExpectValueIsRecordsValue(const Function& function, std::span<const double> x) {
  const PullbackResult result = RecordAndPullback(function, x, CotangentsFor(function, x));
  ExpectNear(ValueOf(function, x), result.f, "Value against Record");
}

inline void ExpectBatchIsPointsOneByOne(const Function& function, std::span<const double> x) {
  const std::size_t in = function.inputs(), out = function.outputs();
  const Values g = CotangentsFor(function, x);
  const Values value = ValueOf(function, x);
  const PullbackResult batch = RecordAndPullback(function, x, g);
  Values sum(function.parameter_count(), 0.0);
  for (std::size_t p = 0; p < x.size() / in; ++p) {
    // The point is a copy, so that a result that depends on its address is noticed.
    const Values point(x.begin() + p * in, x.begin() + (p + 1) * in);
    const Values value_at = ValueOf(function, point);
    const PullbackResult at =
        RecordAndPullback(function, point, std::span(g).subspan(p * out, out));
    for (std::size_t i = 0; i < out; ++i) {
      EXPECT_EQ(value[p * out + i], value_at[i]) << "Value, point " << p << ", output " << i;
      EXPECT_EQ(batch.f[p * out + i], at.f[i]) << "Record, point " << p << ", output " << i;
    }
    for (std::size_t i = 0; i < in; ++i) {
      EXPECT_EQ(batch.bx[p * in + i], at.bx[i]) << "Pullback, point " << p << ", input " << i;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += at.bparameters[i];
  }
  ExpectNear(batch.bparameters, sum, "bparameters of a batch against its points");
}

inline void ExpectEmptyBatchChangesNothing(const Function& function) {
  const Values parameters(function.parameter_count(), 0.5);
  EXPECT_EQ(RecordAndPullback(function, {}, {}, 0.5).bparameters, parameters) << "empty batch";
}

inline void ExpectJacobianIsDerivative(const Function& function, std::span<const double> x) {
  const std::size_t in = function.inputs(), out = function.outputs();
  Values jacobian = Undefined(x.size() * out);
  function.Jacobian(x, jacobian);
  for (std::size_t p = 0; p < x.size() / in; ++p) {
    for (std::size_t i = 0; i < out; ++i) {
      const GradientCheck check =
          CheckGradient([&](std::span<const double> point) { return ValueOf(function, point)[i]; },
                        x.subspan(p * in, in), std::span(jacobian).subspan((p * out + i) * in, in));
      EXPECT_TRUE(check.ok(kGradientTolerance))
          << "Jacobian, point " << p << ", output " << i << ": " << check.message;
    }
  }
}

// Returns the sum of g_i f_i(x), whose gradient is the pullback of g.
inline double Contract(const Function& function, std::span<const double> x,
                       std::span<const double> g) {
  const Values f = ValueOf(function, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += g[i] * f[i];
  return sum;
}

inline void ExpectPullbackIsGradientOfPoints(const Function& function, std::span<const double> x) {
  const Values g = CotangentsFor(function, x);
  const PullbackResult result = RecordAndPullback(function, x, g);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> moved) { return Contract(function, moved, g); }, x, result.bx);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << "Pullback to x: " << check.message;
}

inline void ExpectPullbackIsGradientOfParameters(const FunctionFactory& make,
                                                 std::span<const double> parameters,
                                                 std::span<const double> x) {
  const std::unique_ptr<Function> function = make(parameters);
  const Values g = CotangentsFor(*function, x);
  const PullbackResult result = RecordAndPullback(*function, x, g);
  const GradientCheck check =
      CheckGradient([&](std::span<const double> moved) { return Contract(*make(moved), x, g); },
                    parameters, result.bparameters);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << "Pullback to the parameters: " << check.message;
}

inline void ExpectPullbackAdds(const Function& function, std::span<const double> x) {
  const Values g = CotangentsFor(function, x);
  PullbackResult fresh = RecordAndPullback(function, x, g);
  const PullbackResult added = RecordAndPullback(function, x, g, 3.5);
  for (double& b : fresh.bx) b += 3.5;
  for (double& b : fresh.bparameters) b += 3.5;
  ExpectNear(added.bx, fresh.bx, "Pullback adds to bx");
  ExpectNear(added.bparameters, fresh.bparameters, "Pullback adds to bparameters");
}

}  // namespace harness

// Checks everything that can be checked without changing the parameters, at two or more points
// (n, I).
inline void ExpectPointsConsistent(const Function& function, const Matrix& points) {
  using namespace harness;
  const std::span<const double> x(points.data(), static_cast<std::size_t>(points.size()));
  ASSERT_EQ(static_cast<std::size_t>(points.cols()), function.inputs());
  ASSERT_GE(points.rows(), 2) << "one point cannot show what a batch does";
  ExpectValueIsRecordsValue(function, x);
  ExpectBatchIsPointsOneByOne(function, x);
  ExpectEmptyBatchChangesNothing(function);
  ExpectJacobianIsDerivative(function, x);
  ExpectPullbackIsGradientOfPoints(function, x);
  ExpectPullbackAdds(function, x);
}

// Checks everything, including the gradient with respect to the parameters.
inline void ExpectFunctionConsistent(const harness::FunctionFactory& make,
                                     const std::vector<double>& parameters, const Matrix& points) {
  const std::unique_ptr<Function> function = make(parameters);
  ASSERT_EQ(function->parameter_count(), parameters.size());
  ExpectPointsConsistent(*function, points);
  if (parameters.empty()) return;
  harness::ExpectPullbackIsGradientOfParameters(
      make, parameters, {points.data(), static_cast<std::size_t>(points.size())});
}

// The next two functions check the same of a field at states (n, D), at time t and with inputs u
// (U).
inline void ExpectStatesConsistent(const Field& field, const Matrix& states, double t = 0,
                                   const std::vector<double>& u = {}) {
  ExpectPointsConsistent(harness::FieldAt(field, t, u), states);
}
inline void ExpectFieldConsistent(const harness::FieldFactory& make,
                                  const std::vector<double>& parameters, const Matrix& states,
                                  double t = 0, const std::vector<double>& u = {}) {
  ExpectFunctionConsistent(
      [&](std::span<const double> p) { return std::make_unique<harness::FieldAt>(make(p), t, u); },
      parameters, states);
}

}  // namespace gpode
