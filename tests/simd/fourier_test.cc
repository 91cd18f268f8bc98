// Compares the Fourier part of a draw with plain loops over features, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gpode/memory.h"
#include "simd/simd.h"

namespace gpode::simd {
namespace {

using Values = std::vector<double>;

constexpr double kGuard = 77.0;  // marks memory that must not be written
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Sine and cosine of larger phases are computed by the C library.
template <typename Real>
constexpr double kFastLimit = sizeof(Real) == 8 ? 1e6 : 8192;

Values Uniform(std::size_t n, double low, double high, unsigned seed = 1) {
  std::mt19937 bits(seed);
  Values values(n);
  for (double& v : values) v = low + (high - low) * (bits() * 0x1p-32);
  return values;
}

// Random features in the layout of the table, with frequencies and amplitudes up to 1.5.
template <typename Real>
class Features {
 public:
  Features(std::size_t outputs, std::size_t inputs, std::size_t count, double largest_phase = 3.14)
      : count_(count), largest_(outputs * inputs, 0.0) {
    table_ = {outputs, inputs, (count + kBlock - 1) / kBlock, nullptr, largest_.data()};
    memory_.assign(outputs * table_.blocks * (inputs + 2) * kBlock, Real(0));
    table_.features = memory_.data();
    std::size_t next = 0;
    const Values random = Uniform(outputs * count * (inputs + 2), -1, 1);
    for (std::size_t d = 0; d < outputs; ++d) {
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t row = 0; row < inputs + 2; ++row) {
          const double size = row == inputs + 1 ? largest_phase : 1.5;
          memory_[Place(d, i, row)] = static_cast<Real>(size * random[next++]);
        }
        for (std::size_t k = 0; k < inputs; ++k) {
          double& largest = largest_[d * inputs + k];
          largest = std::max(largest, std::fabs(double{Frequency(d, i, k)}));
        }
      }
    }
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  const FourierTable<Real>& table() const { return table_; }
  std::size_t count() const { return count_; }
  Real Frequency(std::size_t d, std::size_t i, std::size_t k) const {
    return memory_[Place(d, i, k)];
  }
  Real Amplitude(std::size_t d, std::size_t i) const { return memory_[Place(d, i, table_.inputs)]; }
  Real Phase(std::size_t d, std::size_t i) const { return memory_[Place(d, i, table_.inputs + 1)]; }

 private:
  static constexpr std::size_t kBlock = FourierTable<Real>::kBlock;

  std::size_t Place(std::size_t d, std::size_t i, std::size_t row) const {
    const std::size_t block = d * table_.blocks + i / kBlock;
    return (block * (table_.inputs + 2) + row) * kBlock + i % kBlock;
  }

  std::size_t count_;
  Values largest_;
  AlignedVector<Real> memory_;
  FourierTable<Real> table_;
};

// Results at n points: value (n, outputs), jacobian (n, outputs, inputs).
struct Result {
  Values value, jacobian;
};

// Computes the value and, if requested, the Jacobian, in records with gaps that must not be
// written.
template <typename Real>
Result Evaluate(Isa isa, const FourierTable<Real>& table, const Values& x, bool with_jacobian) {
  const std::size_t n = x.size() / table.inputs;
  const std::size_t row = table.outputs * table.inputs;
  const std::size_t used = table.outputs + (with_jacobian ? row : 0);
  const std::size_t stride = used + 3;
  Values records(n * stride, kGuard);
  double* jacobian = with_jacobian ? records.data() + table.outputs : nullptr;
  if constexpr (sizeof(Real) == 8) {
    LoopsFor(isa).fourier_double(table, n, x.data(), records.data(), jacobian, stride);
  } else {
    LoopsFor(isa).fourier_float(table, n, x.data(), records.data(), jacobian, stride);
  }
  Result result;
  for (std::size_t p = 0; p < n; ++p) {
    const auto record = records.begin() + p * stride;
    result.value.insert(result.value.end(), record, record + table.outputs);
    result.jacobian.insert(result.jacobian.end(), record + table.outputs, record + used);
    for (std::size_t i = used; i < stride; ++i) EXPECT_EQ(record[i], kGuard) << "overwritten";
  }
  return result;
}

// Evaluates the formulas directly; `scale` is the sum of the absolute values of the terms.
template <typename Real>
Result Reference(const Features<Real>& features, const Values& x, Result& scale) {
  const std::size_t inputs = features.table().inputs;
  const std::size_t total = x.size() / inputs * features.table().outputs;
  Result sum{Values(total, 0.0), Values(total * inputs, 0.0)};
  scale = sum;
  for (std::size_t j = 0; j < total; ++j) {
    const std::size_t d = j % features.table().outputs;
    const double* point = x.data() + j / features.table().outputs * inputs;
    for (std::size_t i = 0; i < features.count(); ++i) {
      Real phase = features.Phase(d, i);
      for (std::size_t k = 0; k < inputs; ++k) {
        phase += features.Frequency(d, i, k) * static_cast<Real>(point[k]);
      }
      const double a = features.Amplitude(d, i);
      sum.value[j] += a * std::cos(double{phase});
      scale.value[j] += std::fabs(a);
      for (std::size_t k = 0; k < inputs; ++k) {
        const double w = features.Frequency(d, i, k);
        sum.jacobian[j * inputs + k] -= w * a * std::sin(double{phase});
        scale.jacobian[j * inputs + k] += std::fabs(w * a);
      }
    }
  }
  return sum;
}

void ExpectNear(const Values& actual, const Values& expected, const Values& scale,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance * scale[i]) << "entry " << i;
  }
}

template <typename Real>
void ExpectReference(Isa isa, const Features<Real>& features, const Values& x, double epsilons) {
  const double tolerance = epsilons * std::numeric_limits<Real>::epsilon();
  Result scale;
  const Result expected = Reference(features, x, scale);
  const Result actual = Evaluate(isa, features.table(), x, true);
  ExpectNear(actual.value, expected.value, scale.value, tolerance);
  ExpectNear(actual.jacobian, expected.jacobian, scale.jacobian, tolerance);
}

void ExpectSameBits(const Values& actual, const Values& expected, const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(actual[i]) && std::isnan(expected[i])) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(actual[i]), std::bit_cast<std::uint64_t>(expected[i]))
        << what << ", entry " << i << ": " << actual[i] << " and " << expected[i];
  }
}

// Expects that a batch has the bits of its points one by one, and that the value does not depend on
// whether the Jacobian is computed.
template <typename Real>
void ExpectConsistent(Isa isa, const FourierTable<Real>& table, const Values& x) {
  const Result batch = Evaluate(isa, table, x, true);
  ExpectSameBits(Evaluate(isa, table, x, false).value, batch.value, "value without Jacobian");
  Result singles;
  for (auto point = x.begin(); point != x.end(); point += table.inputs) {
    const Result one = Evaluate(isa, table, Values(point, point + table.inputs), true);
    singles.value.insert(singles.value.end(), one.value.begin(), one.value.end());
    singles.jacobian.insert(singles.jacobian.end(), one.jacobian.begin(), one.jacobian.end());
  }
  ExpectSameBits(singles.value, batch.value, "value of single points");
  ExpectSameBits(singles.jacobian, batch.jacobian, "Jacobian of single points");
}

template <typename Real>
class FourierTest : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(FourierTest, Reals);

// One to six inputs have specialised code; more inputs share a loop over 16 blocks at a time.
TYPED_TEST(FourierTest, AgreesWithPlainLoops) {
  for (const Isa isa : Available()) {
    SCOPED_TRACE(Name(isa));
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      for (const std::size_t count : {1, 8, 13, 21, 300}) {
        SCOPED_TRACE(testing::Message() << inputs << " inputs, " << count << " features");
        const std::size_t n = 1 + (inputs + count) % 5, outputs = 1 + inputs % 3;
        const Features<TypeParam> features(outputs, inputs, count);
        const Values x = Uniform(n * inputs, -3, 3, 2);
        ExpectReference(isa, features, x, 30);
        ExpectConsistent(isa, features.table(), x);
      }
    }
  }
}

TYPED_TEST(FourierTest, AnyNumberOfPoints) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      const Features<TypeParam> features(inputs, inputs, 20);
      for (std::size_t n = 0; n <= 9; ++n) {
        const Values x = Uniform(n * inputs, -3, 3, 3);
        ExpectReference(isa, features, x, 30);
        ExpectConsistent(isa, features.table(), x);
      }
    }
  }
}

// All phases are zero, and each point has only one coordinate that is not zero. The argument of
// sine and cosine is then one rounded product, so that both functions are as accurate as for a
// small argument.
TYPED_TEST(FourierTest, FarPointsHaveTheCLibrarysSines) {
  for (const Isa isa : Available()) {
    SCOPED_TRACE(Name(isa));
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      const Features<TypeParam> features(2, inputs, 40, 0.0);
      for (std::size_t k = 0; k < inputs; ++k) {
        // Some phases are beyond the fast range, or all are, or all are far beyond.
        for (const double factor : {1.0, 1e4, 1e20}) {
          Values x(3 * inputs, 0.0);
          x[k] = factor * kFastLimit<TypeParam>;
          x[inputs + k] = 0.5;
          x[2 * inputs + k] = -x[k];
          ExpectReference(isa, features, x, 10);
          ExpectConsistent(isa, features.table(), x);
        }
      }
    }
  }
}

TYPED_TEST(FourierTest, PointsThatAreNotFiniteGiveNanAndSpareTheirNeighbours) {
  for (const Isa isa : Available()) {
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      const Features<TypeParam> features(inputs, inputs, 11);
      for (const double bad : {kNan, kInfinity, -kInfinity}) {
        Values x = Uniform(3 * inputs, -2, 2, 4);
        x[inputs + inputs / 2] = bad;
        const Result result = Evaluate(isa, features.table(), x, true);
        for (std::size_t i = 0; i < result.value.size(); ++i) {
          EXPECT_EQ(std::isnan(result.value[i]), i / inputs == 1) << Name(isa) << ", value " << i;
        }
        for (std::size_t i = 0; i < result.jacobian.size(); ++i) {
          EXPECT_EQ(std::isnan(result.jacobian[i]), i / (inputs * inputs) == 1)
              << Name(isa) << ", Jacobian " << i;
        }
        ExpectConsistent(isa, features.table(), x);
      }
    }
  }
}

// Features of zero in the padding add nothing, so that the number of blocks does not matter.
TYPED_TEST(FourierTest, EmptyBlocksAddNothing) {
  for (const Isa isa : Available()) {
    for (const std::size_t inputs : {3, 8}) {
      const Features<TypeParam> features(1, inputs, 21);
      FourierTable<TypeParam> longer = features.table();
      longer.blocks += 1;
      const std::size_t block = (inputs + 2) * FourierTable<TypeParam>::kBlock;
      AlignedVector<TypeParam> memory(longer.blocks * block);
      std::copy_n(features.table().features, (longer.blocks - 1) * block, memory.begin());
      longer.features = memory.data();
      const Values x = Uniform(2 * inputs, -3, 3, 5);
      const Result expected = Evaluate(isa, features.table(), x, true);
      const Result actual = Evaluate(isa, longer, x, true);
      ExpectSameBits(actual.value, expected.value, "value");
      ExpectSameBits(actual.jacobian, expected.jacobian, "Jacobian");
    }
  }
}

}  // namespace
}  // namespace gpode::simd
