// Dates and times of day as text: ISO 8601 and the usual national forms.
//
//   2004-03-10, 2004/3/10, 20040310, 2004-03        year first; without a day: the first
//   10.03.2004, 10/03/2004, 3-10-04                 day first with points, otherwise by DateOrder
//   10 Mar 2004, 10-Mar-2004, March 10, 2004        named months, in English
//   Wed, 10 Mar 2004 18:00:00 GMT                   a leading day of the week is ignored
//   18:00, 18:00:00.25, 18.00.00, 6:00 PM, 24:00    times of day, alone or after a date
//   ...T18:00Z, ... +01:00, ... +0100, ... UTC      time zones
//
// Years of two digits are 1969 to 2068. Calculations are those of the proleptic Gregorian calendar.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpode/calendar.h"

namespace gpode::internal {

struct DateText {
  // Seconds since 1970-01-01T00:00:00 or, without a date, since midnight; in UTC if there is a time
  // zone.
  double seconds = 0;
  bool has_date = false, has_clock = false, has_zone = false;
  bool needs_order = false;  // true if day and month could be exchanged
};

// Parses a text that is a date, a time of day, or both. `order` decides between day and month where
// both could come first; DateOrder::kFound takes the day first unless only the month can be.
// Returns nothing for any other text.
std::optional<DateText> ParseDateText(std::string_view text, DateOrder order);

// Parses a time of day or a duration alone: 18:00, 18.00.00, 127:30:00. Returns seconds, or nothing
// for any other text.
std::optional<double> ParseClock(std::string_view text);

// Returns the date as 2004-03-10, followed by the time of day, T18:00 or T18:00:00.25, unless it is
// midnight and `always_clock` is false. Times more than about 7900 years from 1970 are not shown as
// dates, but as "3e+11 s".
std::string ShowDate(double seconds, bool always_clock);

}  // namespace gpode::internal
