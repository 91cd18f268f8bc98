// Tests of ticks at round dates.
#include "report/draw/date_ticks.h"

#include <gtest/gtest.h>

namespace gpode::report {
namespace {

std::vector<std::string> Texts(double from, double to, double unit, std::size_t most) {
  Axis axis{.from = from, .to = to};
  axis.calendar = {.unit = unit, .origin = 1078941600};  // 2004-03-10T18:00
  std::vector<std::string> texts;
  for (const Tick& tick : TicksOf(axis, most)) texts.push_back(tick.text);
  return texts;
}

using Strings = std::vector<std::string>;

TEST(DateTicks, AreAtRoundDates) {
  EXPECT_EQ(Texts(0, 12, 3600, 4), (Strings{"03-10 18:00", "03-11 00:00", "03-11 06:00"}));
  EXPECT_EQ(Texts(0, 10, 86400, 6),
            (Strings{"2004-03-11", "2004-03-13", "2004-03-15", "2004-03-17", "2004-03-19"}));
  EXPECT_EQ(Texts(0, 100, 86400, 4), (Strings{"2004-04", "2004-05", "2004-06"}));
  EXPECT_EQ(Texts(0, 20, kSecondsPerYear, 5), (Strings{"2005", "2010", "2015", "2020"}));
  EXPECT_EQ(Texts(0, 20, 1, 3), (Strings{"18:00:00", "18:00:10", "18:00:20"}));
}

TEST(DateTicks, NeverTooMany) {
  for (double unit : {1.0, 60.0, 3600.0, 86400.0, kSecondsPerYear}) {
    for (double span = 1; span < 1e4; span *= 1.7) {
      for (std::size_t most : {2U, 3U, 7U, 20U}) {
        const Strings texts = Texts(-span / 3, span, unit, most);
        EXPECT_LE(texts.size(), most + 1) << unit << " " << span;
      }
    }
  }
}

TEST(DateTicks, BeyondTheCalendarAreNumbers) {
  EXPECT_EQ(Texts(0, 1e9, kSecondsPerYear, 3).at(0), "0");
  EXPECT_EQ(Texts(0, 1, 1, 3).at(0), "0.0");
}

}  // namespace
}  // namespace gpode::report
