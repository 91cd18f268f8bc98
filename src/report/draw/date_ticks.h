// Ticks at round dates along an axis of time, and their labels.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <vector>

#include "report/draw/ticks.h"

namespace gpode::report {

// Returns at most `most` ticks, at whole years, months, days, hours, minutes or seconds. The axis
// must have a calendar. If the axis is shorter than three seconds or reaches beyond the years 5 to
// 9892, returns ticks at round numbers of the calendar's unit (TicksOf).
std::vector<Tick> DateTicks(const Axis& axis, std::size_t most);

}  // namespace gpode::report
