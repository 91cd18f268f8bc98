// Tests of the choice of an instruction set, of the functions that take spans, and of ExpScaled.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "simd/simd.h"
#include "support/message_of.h"

namespace gpode::simd {
namespace {

using testing_support::MessageOf;

// Returns 29 arguments, some of them beyond the fast range of sine and cosine.
template <typename Real>
std::vector<Real> Arguments() {
  std::vector<Real> x(29);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (static_cast<Real>(i) - Real(14.3)) * (i % 7 == 3 ? Real(1e7) : Real(1));
  }
  return x;
}

// Expects the functions that take spans to have the results of the active loops.
template <typename Real>
void ExpectActiveLoops(void (*sincos)(std::size_t, const Real*, Real*, Real*),
                       void (*exp)(std::size_t, const Real*, Real*),
                       void (*tanh)(std::size_t, const Real*, Real*)) {
  const std::vector<Real> x = Arguments<Real>();
  std::vector<Real> y(29), z(29), expected_y(29), expected_z(29);
  SinCos(x, y, z);
  sincos(29, x.data(), expected_y.data(), expected_z.data());
  EXPECT_EQ(y, expected_y);
  EXPECT_EQ(z, expected_z);
  Exp(x, y);
  exp(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
  Tanh(x, y);
  tanh(29, x.data(), expected_y.data());
  EXPECT_EQ(y, expected_y);
}

TEST(DispatchTest, SpansUseTheActiveLoops) {
  const Loops& loops = Active();
  ExpectActiveLoops<double>(loops.sincos_double, loops.exp_double, loops.tanh_double);
  ExpectActiveLoops<float>(loops.sincos_float, loops.exp_float, loops.tanh_float);
  const std::vector<double> x = Arguments<double>();
  std::vector<double> y(29), expected(29);
  ExpScaled(-0.3, x, y);
  loops.exp_scaled(29, -0.3, x.data(), expected.data());
  EXPECT_EQ(y, expected);
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

constexpr int kRefused = 2;

// Asks for the instruction set `wanted`. Exits with the number of the active instruction set plus
// 10, or prints a message and exits with kRefused.
[[noreturn]] void ExitWithActive(const std::string& wanted) {
  setenv("GPODE_SIMD", wanted.c_str(), 1);
  int code = kRefused;
  const std::string message = MessageOf([&] { code = 10 + static_cast<int>(ActiveIsa()); });
  std::fputs(message.c_str(), stderr);
  std::exit(code);
}

TEST(DispatchTest, EnvironmentAsksForAnInstructionSet) {
  // This style starts a new process, which has not yet chosen an instruction set.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto code = [](Isa isa) { return testing::ExitedWithCode(10 + static_cast<int>(isa)); };
  for (const Isa isa : Available()) {
    EXPECT_EXIT(ExitWithActive(std::string(Name(isa))), code(isa), "");
  }
  EXPECT_EXIT(ExitWithActive(""), code(Available().back()), "");
  EXPECT_EXIT(ExitWithActive("unknown"), testing::ExitedWithCode(kRefused),
              "GPODE_SIMD is 'unknown', must be one of baseline");
}

TEST(DispatchTest, InstructionSetsAreSelectedAmongThoseOfTheCpu) {
  constexpr Isa kAll[] = {Isa::kBaseline, Isa::kV3, Isa::kV4};
  const std::span<const Isa> all = kAll;
  EXPECT_EQ(SelectIsa("", all), Isa::kV4);
  EXPECT_EQ(SelectIsa("", all.first(2)), Isa::kV3);
  for (const Isa isa : all) EXPECT_EQ(SelectIsa(Name(isa), all), isa);
  EXPECT_EQ(MessageOf([&] { SelectIsa("V3", all); }),
            "GPODE_SIMD is 'V3', must be one of baseline, v3, v4");
  EXPECT_EQ(MessageOf([&] { SelectIsa("v4", all.first(2)); }),
            "GPODE_SIMD is 'v4', which this CPU lacks, must be one of baseline, v3");
  EXPECT_EQ(MessageOf([&] { SelectIsa("v3", all.first(1)); }),
            "GPODE_SIMD is 'v3', which this CPU lacks, must be one of baseline");
}

}  // namespace
}  // namespace gpode::simd
