// The choice of an instruction set, the functions that take spans, and exp of a multiple.
#include <gtest/gtest.h>

#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "simd/simd.h"

namespace gpode::simd {
namespace {

// 29 arguments, some of them beyond the fast range of sine and cosine.
template <typename Real>
std::vector<Real> Arguments() {
  std::vector<Real> x(29);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (static_cast<Real>(i) - Real(14.3)) * (i % 7 == 3 ? Real(1e7) : Real(1));
  }
  return x;
}

TEST(DispatchTest, SpansOfDoublesMeetTheActiveLoops) {
  const std::vector<double> x = Arguments<double>();
  std::vector<double> y(29), z(29), expected_y(29), expected_z(29);
  SinCos(x, y, z);
  Active().sincos_double(29, x.data(), expected_y.data(), expected_z.data());
  EXPECT_EQ(y, expected_y);
  EXPECT_EQ(z, expected_z);
  Exp(x, y);
  Active().exp_double(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
  ExpScaled(-0.3, x, y);
  Active().exp_scaled(29, -0.3, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
  Tanh(x, y);
  Active().tanh_double(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
}

TEST(DispatchTest, SpansOfFloatsMeetTheActiveLoops) {
  const std::vector<float> x = Arguments<float>();
  std::vector<float> y(29), z(29), expected_y(29), expected_z(29);
  SinCos(x, y, z);
  Active().sincos_float(29, x.data(), expected_y.data(), expected_z.data());
  EXPECT_EQ(y, expected_y);
  EXPECT_EQ(z, expected_z);
  Exp(x, y);
  Active().exp_float(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
  Tanh(x, y);
  Active().tanh_float(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
}

TEST(ExpScaledTest, IsExpOfTheProduct) {
  const std::vector<double> x = Arguments<double>();
  for (const Isa isa : Available()) {
    for (const double scale : {-0.5, 1.7, 0.0}) {
      for (std::size_t n = 0; n <= x.size(); ++n) {
        std::vector<double> expected = x, y = x;
        for (std::size_t i = 0; i < n; ++i) {
          const double product = scale * x[i];
          LoopsFor(isa).exp_double(1, &product, &expected[i]);
        }
        LoopsFor(isa).exp_scaled(n, scale, y.data(), y.data());
        ASSERT_EQ(y, expected) << Name(isa) << ", scale " << scale << ", length " << n;
      }
    }
  }
}

template <typename Real>
void ExpectSizesChecked() {
  const std::vector<Real> x(8);
  std::vector<Real> y(8), short_y(7);
  EXPECT_DEATH(SinCos(x, short_y, y), "internal check failed");
  EXPECT_DEATH(SinCos(x, y, short_y), "internal check failed");
  EXPECT_DEATH(Exp(x, short_y), "internal check failed");
  EXPECT_DEATH(Tanh(x, short_y), "internal check failed");
}

TEST(DispatchTest, SpansOfDifferentSizesAreABrokenInvariant) {
  ExpectSizesChecked<double>();
  ExpectSizesChecked<float>();
  std::vector<double> x(8), short_y(7);
  EXPECT_DEATH(ExpScaled(2.0, x, short_y), "internal check failed");
}

TEST(DispatchTest, AvailableAreTheWeakestAndTheActiveOne) {
  ASSERT_FALSE(Available().empty());
  EXPECT_EQ(Available().front(), Isa::kBaseline);
  for (std::size_t i = 1; i < Available().size(); ++i) {
    EXPECT_LT(Available()[i - 1], Available()[i]);
  }
  EXPECT_EQ(&Active(), &LoopsFor(ActiveIsa()));
  EXPECT_EQ(Name(Isa::kBaseline), "baseline");
  EXPECT_EQ(Name(Isa::kV3), "v3");
  EXPECT_EQ(Name(Isa::kV4), "v4");
}

[[noreturn]] void ExitWithActive(const std::string& wanted) {
  setenv("GPODE_SIMD", wanted.c_str(), 1);
  std::exit(static_cast<int>(ActiveIsa()));
}

TEST(DispatchTest, EnvironmentAsksForAnInstructionSet) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, which has not chosen yet
  const auto code = [](Isa isa) { return testing::ExitedWithCode(static_cast<int>(isa)); };
  for (const Isa isa : Available()) {
    EXPECT_EXIT(ExitWithActive(std::string(Name(isa))), code(isa), "");
  }
  EXPECT_EXIT(ExitWithActive("unknown"), code(Available().back()), "");
}

}  // namespace
}  // namespace gpode::simd
