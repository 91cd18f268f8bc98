// The report page: one self-contained HTML file with a placeholder for its data.
//
// The page is built from web/ and embedded in the program. Its data are one JSON object, described
// in docs/report.md.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   std::string html = FillReportPage(json);
#pragma once

#include <string>
#include <string_view>

namespace gpode::report {

// Returns the page, with kReportPlaceholder in place of the data.
std::string_view ReportPage();

inline constexpr std::string_view kReportPlaceholder = "__GPODE_REPORT__";

// Returns the page with a JSON object as its data. Every `<` of the JSON is replaced by `\u003c`,
// which means the same within JSON strings, the only place where a `<` can be. Otherwise a name
// such as "</script>" in the data would end the HTML element that holds them.
std::string FillReportPage(std::string_view json);

}  // namespace gpode::report
