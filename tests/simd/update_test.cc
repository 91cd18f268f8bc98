// Compares the kernel update of a draw with plain loops over inducing points, on every instruction
// set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpode/memory.h"
#include "simd/simd.h"

namespace gpode::simd {
namespace {

using Values = std::vector<double>;

constexpr double kGuard = 77.0;  // marks memory that must not be written
constexpr double kTolerance = 1e-14;

Values Uniform(std::size_t n, double low, double high, unsigned seed) {
  std::mt19937 bits(seed);
  Values values(n);
  for (double& v : values) v = low + (high - low) * (bits() * 0x1p-32);
  return values;
}

// A random update with `inducing` points, padded, and all arrays that the loops read.
struct Update {
  Update(std::size_t outputs, std::size_t inputs, std::size_t inducing)
      : stride((inducing + UpdateTable::kPad - 1) / UpdateTable::kPad * UpdateTable::kPad),
        locations(Aligned(Uniform(inputs * stride, -2, 2, 1))),
        inverse_squares(Aligned(Uniform(outputs * inputs, 0.2, 3, 2))),
        weights(Aligned(Uniform(outputs * stride, -1, 1, 3))),
        phi(Aligned(Uniform(outputs * stride, 0, 1, 4))),
        psi(Aligned(Uniform(outputs * stride, 0, 1, 5))),
        x(Uniform(inputs, -2, 2, 6)),
        g(Uniform(outputs, -1, 1, 7)) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i % stride >= inducing) weights[i] = 0;
    }
    table = {outputs, inputs, stride, locations.data(), inverse_squares.data(), weights.data()};
  }
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;

  static AlignedVector<double> Aligned(const Values& values) {
    return AlignedVector<double>(values.begin(), values.end());
  }
  double Delta(std::size_t k, std::size_t m) const { return x[k] - locations[k * stride + m]; }
  // Returns nu_dm psi_dm, for output d and inducing point m.
  double Slope(std::size_t d, std::size_t m) const {
    return weights[d * stride + m] * psi[d * stride + m];
  }
  double InverseSquare(std::size_t d, std::size_t k) const {
    return inverse_squares[d * table.inputs + k];
  }

  std::size_t stride;
  AlignedVector<double> locations, inverse_squares, weights, phi, psi;
  Values x, g;
  UpdateTable table;
};

// The results of the loops.
struct Result {
  Values distances, value, jacobian, bweights, blocations, bsquares;
};

Result Sized(const UpdateTable& t, double fill) {
  return {Values(t.outputs * t.stride, fill), Values(t.outputs, fill),
          Values(t.outputs * t.inputs, fill), Values(t.outputs * t.stride, fill),
          Values(t.inputs * t.stride, fill),  Values(t.outputs * t.inputs, fill)};
}

// Computes the results with plain loops. The pullback adds to arrays whose initial value is 0.5.
Result Reference(const Update& u) {
  const std::size_t inputs = u.table.inputs;
  Result r = Sized(u.table, 0.0);
  for (Values* b : {&r.bweights, &r.blocations, &r.bsquares}) std::fill(b->begin(), b->end(), 0.5);
  for (std::size_t d = 0; d < u.table.outputs; ++d) {
    for (std::size_t m = 0; m < u.stride; ++m) {
      const std::size_t dm = d * u.stride + m;
      r.value[d] += u.weights[dm] * u.phi[dm];
      r.bweights[dm] += u.g[d] * u.phi[dm];
      for (std::size_t k = 0; k < inputs; ++k) {
        const double delta = u.Delta(k, m), scale = u.InverseSquare(d, k);
        r.distances[dm] += delta * delta * scale;
        r.jacobian[d * inputs + k] -= u.Slope(d, m) * delta * scale;
        r.blocations[k * u.stride + m] += u.g[d] * u.Slope(d, m) * delta * scale;
        r.bsquares[d * inputs + k] += u.g[d] * u.Slope(d, m) * delta * delta;
      }
    }
  }
  return r;
}

Result Evaluate(Isa isa, const Update& u) {
  const Loops& loops = LoopsFor(isa);
  const double* phi = u.phi.data();
  const double* psi = u.psi.data();
  const double* x = u.x.data();
  Result r = Sized(u.table, 0.5);
  // Each array has one more element, which must not change.
  for (Values* v : {&r.distances, &r.value, &r.jacobian, &r.bweights, &r.blocations, &r.bsquares}) {
    v->push_back(kGuard);
  }
  loops.distances(u.table, x, r.distances.data());
  loops.update_jacobian(u.table, x, phi, psi, r.value.data(), r.jacobian.data());
  loops.update_pullback(u.table, x, phi, psi, u.g.data(), r.bweights.data(), r.blocations.data(),
                        r.bsquares.data());
  for (Values* v : {&r.distances, &r.value, &r.jacobian, &r.bweights, &r.blocations, &r.bsquares}) {
    EXPECT_EQ(v->back(), kGuard) << "overwritten";
    v->pop_back();
  }
  return r;
}

void ExpectNear(const Values& actual, const Values& expected, double scale, const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], kTolerance * scale) << what << ", entry " << i;
  }
}

void ExpectNear(const Result& actual, const Result& expected, double scale) {
  ExpectNear(actual.distances, expected.distances, scale, "distances");
  ExpectNear(actual.value, expected.value, scale, "value");
  ExpectNear(actual.jacobian, expected.jacobian, scale, "Jacobian");
  ExpectNear(actual.bweights, expected.bweights, scale, "bweights");
  ExpectNear(actual.blocations, expected.blocations, scale, "blocations");
  ExpectNear(actual.bsquares, expected.bsquares, scale, "bsquares");
}

// Up to six inputs with as many outputs have specialised code; all other shapes share a loop.
TEST(UpdateTest, AgreesWithPlainLoops) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      for (const std::size_t outputs : {inputs, std::size_t{1}, inputs + 1}) {
        for (const std::size_t inducing : {1, 8, 13, 40}) {
          SCOPED_TRACE(testing::Message() << Name(isa) << ", " << inputs << " inputs, " << outputs
                                          << " outputs, " << inducing << " inducing points");
          const Update update(outputs, inputs, inducing);
          ExpectNear(Evaluate(isa, update), Reference(update), static_cast<double>(inducing + 40));
        }
      }
    }
  }
}

TEST(UpdateTest, ValueAloneHasTheSameBits) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      const Update update(inputs, inputs, 21);
      Values value(inputs);
      LoopsFor(isa).update_value(update.table, update.phi.data(), value.data());
      EXPECT_EQ(value, Evaluate(isa, update).value) << Name(isa) << ", " << inputs << " inputs";
    }
  }
}

// A kernel whose slope equals its value passes phi twice, for which there is specialised code.
TEST(UpdateTest, PsiMayBePhi) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      SCOPED_TRACE(testing::Message() << Name(isa) << ", " << inputs << " inputs");
      Update update(inputs, inputs, 21);
      update.psi = update.phi;
      const Result expected = Reference(update);
      Result actual = expected;
      const double* phi = update.phi.data();
      LoopsFor(isa).update_jacobian(update.table, update.x.data(), phi, phi, actual.value.data(),
                                    actual.jacobian.data());
      ExpectNear(actual, expected, 40);
    }
  }
}

// The padding of phi and psi may hold anything, because its weight is zero.
TEST(UpdateTest, PaddingDoesNotCount) {
  constexpr std::size_t kInducing = 11;
  for (const Isa isa : Available()) {
    for (const std::size_t inputs : {2, 8}) {
      Update update(inputs, inputs, kInducing);
      const Result before = Evaluate(isa, update);
      for (std::size_t i = 0; i < update.phi.size(); ++i) {
        if (i % update.stride < kInducing) continue;
        update.phi[i] = 0.25;
        update.psi[i] = 0.75;
      }
      for (std::size_t i = 0; i < update.locations.size(); ++i) {
        if (i % update.stride >= kInducing) update.locations[i] = 1e3;
      }
      const Result after = Evaluate(isa, update);
      EXPECT_EQ(after.value, before.value) << Name(isa);
      EXPECT_EQ(after.jacobian, before.jacobian) << Name(isa);
      EXPECT_EQ(after.bsquares, before.bsquares) << Name(isa);
    }
  }
}

// The distance to an inducing point does not depend on its index.
TEST(UpdateTest, DistancesDoNotDependOnThePosition) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      Update update(inputs, inputs, 24);
      const Values before = Evaluate(isa, update).distances;
      for (std::size_t k = 0; k < inputs; ++k) {
        const auto row = update.locations.begin() + k * update.stride;
        std::rotate(row, row + 5, row + update.stride);
      }
      const Values after = Evaluate(isa, update).distances;
      for (std::size_t i = 0; i < after.size(); ++i) {
        const std::size_t m = i % update.stride;
        EXPECT_EQ(after[i], before[i - m + (m + 5) % update.stride]) << Name(isa);
      }
    }
  }
}

TEST(UpdateTest, FarAndBrokenPointsPassThrough) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      Update update(inputs, inputs, 9);
      update.x.back() = 1e200;  // The square of this number overflows.
      for (const double s : Evaluate(isa, update).distances) EXPECT_EQ(s, infinity);
      update.x.back() = -infinity;
      for (const double s : Evaluate(isa, update).distances) EXPECT_EQ(s, infinity);
      update.x.back() = std::numeric_limits<double>::quiet_NaN();
      const Result result = Evaluate(isa, update);
      for (const double s : result.distances) EXPECT_TRUE(std::isnan(s));
      for (std::size_t i = 0; i < result.jacobian.size(); ++i) {
        EXPECT_EQ(std::isnan(result.jacobian[i]), i % inputs == inputs - 1) << Name(isa);
      }
      // The value depends on the given phi and not on the distances.
      for (const double v : result.value) EXPECT_TRUE(std::isfinite(v));
    }
  }
}

}  // namespace
}  // namespace gpode::simd
