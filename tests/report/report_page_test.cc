#include "report/page/report_page.h"

#include <gtest/gtest.h>

namespace gpode::report {
namespace {

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReportPage, IsAWholePageWithOnePlaceForTheData) {
  const std::string_view page = ReportPage();
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(Count(page, kReportPlaceholder), 1u);
  EXPECT_EQ(Count(page, "{{"), 0u);
  EXPECT_LT(page.size(), 300000u);
}

TEST(ReportPage, NamesNoAddressToFetchFrom) {
  EXPECT_EQ(Count(ReportPage(), "src="), 0u);
  EXPECT_EQ(Count(ReportPage(), "href=\"http"), 0u);
  EXPECT_EQ(Count(ReportPage(), "default-src 'none'"), 1u);
}

TEST(ReportPage, HoldsTheDataBetweenItsHalves) {
  const std::string filled = FillReportPage(R"({"a": 1})");
  EXPECT_EQ(filled.size(), ReportPage().size() - kReportPlaceholder.size() + 8);
  EXPECT_EQ(Count(filled, R"(application/json">{"a": 1}</script>)"), 1u);
}

TEST(ReportPage, TextOfTheDataCannotEndTheirElement) {
  const std::string filled = FillReportPage(R"({"name": "<</script><!--"})");
  EXPECT_EQ(Count(filled, R"({"name": "\u003c\u003c/script>\u003c!--"})"), 1u);
  EXPECT_EQ(Count(filled, "</script>"), Count(ReportPage(), "</script>"));
}

TEST(ReportPage, TheDataMayHoldTheNameOfTheirPlace) {
  const std::string filled = FillReportPage(R"(["__GPODE_REPORT__"])");
  EXPECT_EQ(Count(filled, R"(["__GPODE_REPORT__"])"), 1u);
}

}  // namespace
}  // namespace gpode::report
