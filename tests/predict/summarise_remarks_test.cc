#include "predict/summarise_remarks.h"

#include <gtest/gtest.h>

namespace gpode {
namespace {

using Lines = std::vector<std::string>;

TEST(SummariseRemarks, FewStayAsTheyAre) {
  const Lines few = {"channel 'x': a 1", "channel 'y': a 2"};
  EXPECT_EQ(SummariseRemarks(few), few);
}

TEST(SummariseRemarks, ManyOfOneKindBecomeOne) {
  Lines many = {"there are only 9 times"};
  for (int i = 1; i <= 7; ++i) {
    many.push_back("channel 'x" + std::to_string(i) + "': the model explains only " +
                   std::to_string(10 * i) + " % of its variance");
  }
  many.push_back("channel 'x1': 12 of 20 values inside, 0.5 %");
  EXPECT_EQ(
      SummariseRemarks(many),
      (Lines{"there are only 9 times",
             "7 channels ('x1', 'x2', 'x3', 'x4', ...): the model explains only 10 to 70 % of "
             "its variance",
             "channel 'x1': 12 of 20 values inside, 0.5 %"}));
}

TEST(SummariseRemarks, EqualNumbersHaveNoRange) {
  Lines many(7, "channel 'a' has 3 values");
  EXPECT_EQ(SummariseRemarks(many), Lines{"7 channels ('a', 'a', 'a', 'a', ...) have 3 values"});
}

TEST(SummariseRemarks, AnOpenQuoteIsNoName) {
  const Lines odd(8, "channel 'a");
  EXPECT_EQ(SummariseRemarks(odd), odd);
}

}  // namespace
}  // namespace gpode
