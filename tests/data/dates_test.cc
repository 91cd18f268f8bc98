// Tests of dates as text.
#include "data/dates.h"

#include <gtest/gtest.h>

namespace gpode::internal {
namespace {

std::string Shown(std::string_view text, DateOrder order = DateOrder::kFound) {
  const auto date = ParseDateText(text, order);
  if (!date || !date->has_date) return "none";
  return ShowDate(date->seconds, false);
}

TEST(Dates, FormsOfTheWorld) {
  for (const char* text :
       {"2004-03-10T18:00", "2004-03-10 18:00:00", "2004/3/10 18:00", "20040310180000",
        "10.03.2004 18:00", "10.3.04 18.00.00", "10 Mar 2004 18:00", "10-Mar-2004 18:00:00.000",
        "March 10, 2004 6:00 PM", "Wed, 10 Mar 2004 18:00:00 GMT", "2004-03-10T19:00:00+01:00",
        "2004-03-10 13:00 -0500", "2004-03-10T18:00Z", "2004 3 10 18", "10/03/04 06:00pm"}) {
    EXPECT_EQ(Shown(text), "2004-03-10T18:00") << text;
  }
  EXPECT_EQ(Shown("2004-03"), "2004-03-01");
  EXPECT_EQ(Shown("20040229"), "2004-02-29");
  EXPECT_EQ(Shown("2004-03-10T24:00"), "2004-03-11");
  EXPECT_EQ(Shown("2004-03-10 12:30 AM"), "2004-03-10T00:30");
  EXPECT_EQ(Shown("1850-01-01"), "1850-01-01");
  EXPECT_EQ(Shown("2004-03-10T18:00:00.25"), "2004-03-10T18:00:00.25");
  EXPECT_EQ(Shown("3/4/2004", DateOrder::kDayFirst), "2004-04-03");
  EXPECT_EQ(Shown("3/4/2004", DateOrder::kMonthFirst), "2004-03-04");
  EXPECT_EQ(Shown("13/4/2004", DateOrder::kMonthFirst), "none");
}

TEST(Dates, OtherTextsAreNone) {
  for (const char* text : {"",
                           "x",
                           "1",
                           "1.5",
                           "2004",
                           "2003-02-29",
                           "2004-13-01",
                           "10.03",
                           "1/2",
                           "192.168.1.1",
                           "2004-03-10T25:00",
                           "2004-03-10 18:60",
                           "10 Foo 2004",
                           "2004-03-10T18:00 CET",
                           "2004-03-10T18:00+99:00",
                           "2004-03-10 18:00x",
                           "T",
                           "-",
                           "2004-03-",
                           "Mon",
                           "99999999999999999999"}) {
    EXPECT_EQ(Shown(text), "none") << text;
  }
}

TEST(Dates, ClocksAndDurations) {
  EXPECT_EQ(ParseClock("18:00"), 64800);
  EXPECT_EQ(ParseClock("127:00:01.5"), 127 * 3600 + 1.5);
  EXPECT_EQ(ParseClock("18.00.00"), 64800);
  EXPECT_FALSE(ParseClock("18.30"));
  EXPECT_FALSE(ParseClock("18"));
}

TEST(Calendar, TimesAndTheirTexts) {
  const Calendar hours{.unit = 3600, .origin = 1078941600};
  EXPECT_EQ(ShowTime(6.5, hours), "2004-03-11T00:30");
  EXPECT_EQ(ParseTime("2004-03-11", hours), 6);
  EXPECT_EQ(ParseTime("12.5", hours), 12.5);
  EXPECT_FALSE(ParseTime("soon", hours));
  EXPECT_FALSE(ParseTime("2004-03-11", {}));
  EXPECT_EQ(ShowTime(1234567, {}), "1.23457e+06");
}

}  // namespace
}  // namespace gpode::internal
