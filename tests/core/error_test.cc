#include "gpode/error.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;

TEST(ErrorTest, InputErrorIsARuntimeErrorWithItsMessage) {
  try {
    throw InputError("data.csv:3: no such column");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "data.csv:3: no such column");
  }
}

TEST(ErrorTest, ThrowInputJoinsFunctionArgumentAndMessage) {
  EXPECT_EQ(MessageOf([] { ThrowInput("Solve", "times", "must increase"); }),
            "Solve: times must increase");
}

TEST(ErrorTest, ThePartsOfAnInputErrorAreThoseItWasMadeOf) {
  try {
    ThrowInput("Fit", "learning rate", "is 0, must be: positive");
  } catch (const InputError& error) {
    const InputError copy = error;
    EXPECT_STREQ(copy.what(), "Fit: learning rate is 0, must be: positive");
    EXPECT_EQ(copy.function(), "Fit");
    EXPECT_EQ(copy.argument(), "learning rate");
    EXPECT_EQ(copy.message(), "is 0, must be: positive");
  }
}

TEST(ErrorTest, AnInputErrorOfOneMessageHasNoOtherParts) {
  const InputError error("Fit: this only looks like a function");
  EXPECT_EQ(error.function(), "");
  EXPECT_EQ(error.argument(), "");
  EXPECT_EQ(error.message(), error.what());
}

TEST(ErrorTest, CheckFinite) {
  for (const double good : {0.0, -1e308, 5e-324}) {
    EXPECT_EQ(MessageOf([&] { CheckFinite("F", "x", good); }), "nothing thrown");
  }
  EXPECT_EQ(MessageOf([] { CheckFinite("F", "x", kInfinity); }), "F: x is inf, must be finite");
  EXPECT_EQ(MessageOf([] { CheckFinite("F", "x", -kInfinity); }), "F: x is -inf, must be finite");
  EXPECT_EQ(MessageOf([] { CheckFinite("F", "x", kNan); }), "F: x is nan, must be finite");
}

TEST(ErrorTest, CheckFiniteOfManyNamesTheFirstWrongElement) {
  EXPECT_EQ(MessageOf([] { CheckFinite("F", "x", Values{}); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] { CheckFinite("F", "x", Values{1, -2, 0}); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] {
              CheckFinite("F", "x", Values{1, kNan, kInfinity});
            }),
            "F: x[1] is nan, must be finite");
}

TEST(ErrorTest, CheckPositive) {
  for (const double good : {1.0, 5e-324, 1e308}) {
    EXPECT_EQ(MessageOf([&] { CheckPositive("F", "x", good); }), "nothing thrown");
  }
  EXPECT_EQ(MessageOf([] { CheckPositive("Solver", "rtol", -1); }),
            "Solver: rtol is -1, must be positive and finite");
  EXPECT_EQ(MessageOf([] { CheckPositive("F", "x", 0.0); }),
            "F: x is 0, must be positive and finite");
  EXPECT_EQ(MessageOf([] { CheckPositive("F", "x", kInfinity); }),
            "F: x is inf, must be positive and finite");
  EXPECT_EQ(MessageOf([] { CheckPositive("F", "x", kNan); }),
            "F: x is nan, must be positive and finite");
}

TEST(ErrorTest, CheckPositiveOfManyNamesTheFirstWrongElement) {
  EXPECT_EQ(MessageOf([] { CheckPositive("F", "x", Values{}); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] { CheckPositive("F", "x", Values{1, 2}); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] {
              CheckPositive("F", "x", Values{1, 2, -0.25, 0});
            }),
            "F: x[2] is -0.25, must be positive and finite");
  EXPECT_EQ(MessageOf([] {
              CheckPositive("F", "x", Values{kInfinity, 1});
            }),
            "F: x[0] is inf, must be positive and finite");
  EXPECT_EQ(MessageOf([] {
              CheckPositive("F", "x", Values{1, kNan});
            }),
            "F: x[1] is nan, must be positive and finite");
}

TEST(ErrorTest, CheckNonNegative) {
  for (const double good : {0.0, -0.0, 2.5}) {
    EXPECT_EQ(MessageOf([&] { CheckNonNegative("F", "x", good); }), "nothing thrown");
  }
  EXPECT_EQ(MessageOf([] { CheckNonNegative("F", "x", -1e-3); }),
            "F: x is -0.001, must be zero or more and finite");
  EXPECT_EQ(MessageOf([] { CheckNonNegative("F", "x", kInfinity); }),
            "F: x is inf, must be zero or more and finite");
  EXPECT_EQ(MessageOf([] { CheckNonNegative("F", "x", kNan); }),
            "F: x is nan, must be zero or more and finite");
}

TEST(ErrorTest, CheckAtLeast) {
  EXPECT_EQ(MessageOf([] { CheckAtLeast("F", "levels", 2, 2); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] { CheckAtLeast("F", "levels", 3, 2); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] { CheckAtLeast("F", "levels", 1, 2); }),
            "F: levels is 1, must be at least 2");
  EXPECT_EQ(MessageOf([] { CheckAtLeast("F", "levels", -4, 0); }),
            "F: levels is -4, must be at least 0");
}

TEST(ErrorTest, CheckSize) {
  EXPECT_EQ(MessageOf([] { CheckSize("F", "x", 3, 3); }), "nothing thrown");
  EXPECT_EQ(MessageOf([] { CheckSize("F", "x", 2, 3); }), "F: x has 2 values, must have 3");
  EXPECT_EQ(MessageOf([] { CheckSize("F", "x", 4, 3); }), "F: x has 4 values, must have 3");
}

TEST(CheckMacroTest, HoldsQuietlyAndEvaluatesOnce) {
  int evaluated = 0;
  GPODE_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckMacroTest, AbortsWithPlaceAndCondition) {
  const int one = 1;
  EXPECT_EXIT(GPODE_CHECK(one + one == 3), testing::KilledBySignal(SIGABRT),
              "error_test\\.cc:[0-9]+: internal check failed: one \\+ one == 3");
}

TEST(CheckMacroTest, IsOneStatement) {
  const bool holds = true;
  if (holds)
    GPODE_CHECK(holds);
  else
    FAIL() << "the else went to the macro's own if";
}

}  // namespace
}  // namespace gpode
