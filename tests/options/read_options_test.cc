// Tests of the options for reading data as text, which model files keep.
#include "options/read_options.h"

#include <gtest/gtest.h>

#include "gpode/options.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

TEST(ReadOptionsText, HoldsWhatDiffersFromTheDefaults) {
  EXPECT_EQ(ReadingText({}), "");
  const ReadOptions options{.time_column = "Date,Time",
                            .channels = {"x"},
                            .separator = ' ',
                            .missing = {"-200", "off"},
                            .header = false,
                            .duplicates = DuplicateTimes::kAverage,
                            .date_order = DateOrder::kMonthFirst,
                            .after = "3"};
  const std::string text = ReadingText(options);
  EXPECT_EQ(text,
            "time = \"Date,Time\"\nseparator = \" \"\nmissing = [\"-200\", \"off\"]\n"
            "header = false\nduplicates = \"average\"\ndate_order = \"mdy\"\n");
  const Dataset data{.channels = {"x"},
                     .trajectories = {},
                     .calendar = {.unit = 60, .origin = 5},
                     .reading = text};
  const ReadOptions again = OptionsLike(data);
  EXPECT_EQ(ReadingText(again), text);
  EXPECT_EQ(again.calendar, data.calendar);
  EXPECT_TRUE(again.names_are_hints && again.has_fixed_calendar);
  EXPECT_TRUE(again.channels.empty() && again.after.empty());
}

TEST(ReadOptionsText, BadTextIsRefused) {
  const auto message = [](const std::string& text) {
    return MessageOf(
        [&] { OptionsLike({.channels = {"x"}, .trajectories = {}, .reading = text}); });
  };
  EXPECT_EQ(message("skip = -1\n"), "reading: skip is -1, must be a whole number, zero or more");
  EXPECT_EQ(message("separator = \"|\"\n"),
            "reading: separator is '|', must be a comma, a semicolon, a tab or a space");
  EXPECT_EQ(message("later_option = 3\n"), "nothing thrown");
}

}  // namespace
}  // namespace gpode
