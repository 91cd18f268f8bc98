#include "report/page/report_page.h"

#include <algorithm>

// Embeds the HTML file in the program by the assembler's directive .incbin, since a string literal
// of that size would compile slowly.
__asm__(
    ".section .rodata\n"
    ".global gpode_report_page_begin\n"
    ".global gpode_report_page_end\n"
    "gpode_report_page_begin:\n"
    ".incbin \"" GPODE_REPORT_PAGE_FILE
    "\"\n"
    "gpode_report_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char gpode_report_page_begin[];
extern "C" const char gpode_report_page_end[];

namespace gpode::report {

std::string_view ReportPage() { return {gpode_report_page_begin, gpode_report_page_end}; }

std::string FillReportPage(std::string_view json) {
  const std::string_view page = ReportPage();
  const std::size_t place = page.find(kReportPlaceholder);
  std::string result;
  result.reserve(page.size() + json.size() + json.size() / 16);
  result += page.substr(0, place);
  for (std::size_t from = 0; from < json.size();) {
    const std::size_t sign = std::min(json.find('<', from), json.size());
    result += json.substr(from, sign - from);
    if (sign < json.size()) result += "\\u003c";
    from = sign + 1;
  }
  result += page.substr(place + kReportPlaceholder.size());
  return result;
}

}  // namespace gpode::report
