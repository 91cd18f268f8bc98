// The report page: one self-contained HTML file with a placeholder for its data.
//
// The page is built from web/ and embedded in the program. Its data are one JSON object, described
// in docs/report.md.
//
// Thread safety: plain functions.
//
//   std::string html = FillReportPage(json);
#pragma once

#include <string>
#include <string_view>

namespace gpode::report {

// Returns the page, with kReportPlaceholder in place of the data.
std::string_view ReportPage();

inline constexpr std::string_view kReportPlaceholder = "__GPODE_REPORT__";

// Returns the page with a JSON object in it. Every `<` of the JSON becomes `\u003c`, which means
// the same within strings, the only place where JSON can have one. Thus no text in the data can
// close the HTML element that holds them.
std::string FillReportPage(std::string_view json);

}  // namespace gpode::report
