// The fuzz target of dates. A date that was read must be the same after it is shown and read again;
// a column of dates must be read or refused.
#include "data/dates.h"

#include <cmath>
#include <string>

#include "fuzz.h"
#include "gpode/data_files.h"

namespace {

using gpode::DateOrder;

void CheckDate(std::string_view text, DateOrder order) {
  const auto date = gpode::internal::ParseDateText(text, order);
  if (!date) return;
  GPODE_CHECK(std::isfinite(date->seconds));
  if (!date->has_date) return;
  const std::string shown = gpode::internal::ShowDate(date->seconds, true);
  const auto again = gpode::internal::ParseDateText(shown, order);
  // Time zones and 24:00 may leave the years 1 to 9999.
  if (std::fabs(date->seconds) > 6e10 && !again) return;
  GPODE_CHECK(again && again->has_date && std::fabs(again->seconds - date->seconds) < 1e-3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  for (DateOrder order : {DateOrder::kFound, DateOrder::kDayFirst, DateOrder::kMonthFirst}) {
    CheckDate(text, order);
  }
  gpode::ReadOptions options{.time_column = data[0] & 1 ? "date,clock" : "date",
                             .date_order = static_cast<DateOrder>((data[0] >> 1 & 3) % 3)};
  if (data[0] & 8) options.time_unit = "hours";
  gpode::fuzz::ReadsOrRefuses([&] { gpode::ReadCsvText("date,clock,x\n" + text, "f", options); });
  return 0;
}
