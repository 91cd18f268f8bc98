// The page of reports: one HTML file without outside parts, with a place for the data.
//
// The page is built from web/ and is part of the program. docs/report.md describes its data, one
// JSON object.
//
// Thread safety: plain functions.
//
//   std::string html = FillReportPage(json);
#pragma once

#include <string>
#include <string_view>

namespace gpode::report {

// The page with kReportPlaceholder where the data go.
std::string_view ReportPage();

inline constexpr std::string_view kReportPlaceholder = "__GPODE_REPORT__";

// The page with a JSON object in it. Every `<` of the JSON becomes `\u003c`, which means the same
// in its strings, the only place where JSON can have one: no text can end the element that holds
// the data.
std::string FillReportPage(std::string_view json);

}  // namespace gpode::report
