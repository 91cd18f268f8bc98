#include "report/draw/braille_canvas.h"

#include <gtest/gtest.h>

#include "report/draw/printable.h"

namespace gpode::report {
namespace {

std::string Repeated(std::string_view character, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += character;
  return text;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

std::size_t Width(std::string_view line) { return PrintableCharacters(line).size(); }

std::vector<std::string> FramedLines(std::string_view x_label, std::string_view y_label) {
  const BrailleCanvas canvas(70, 4, {.left = 0, .right = 10, .bottom = -1, .top = 1});
  return Lines(canvas.Framed(x_label, y_label, false));
}

TEST(BrailleCanvas, XLabelEndsWhereTheAxisEnds) {
  for (const std::string_view character : {"t", "é", "時", "😀"}) {
    for (const std::size_t count : {1, 23, 24, 40, 70}) {
      const std::string label = Repeated(character, count);
      const std::vector<std::string> lines = FramedLines(label, "x");
      ASSERT_EQ(lines.size(), 7u);
      EXPECT_TRUE(lines.back().ends_with(label)) << lines.back();
      EXPECT_EQ(Width(lines.back()), 78u) << lines.back();
      EXPECT_EQ(Width(lines.back()), Width(lines[5])) << lines.back();
    }
  }
}

TEST(BrailleCanvas, TicksDependOnTheCharactersOfTheXLabelNotItsBytes) {
  const std::vector<std::string> ascii = FramedLines(Repeated("t", 20), "x");
  const std::vector<std::string> wide = FramedLines(Repeated("時", 20), "x");
  EXPECT_EQ(wide[5], ascii[5]);
  EXPECT_EQ(wide[6].substr(0, 58), ascii[6].substr(0, 58));
}

TEST(BrailleCanvas, XLabelThatIsLongerThanTheAxisIsShortened) {
  const std::vector<std::string> lines = FramedLines(Repeated("時", 90), "x");
  EXPECT_EQ(Width(lines.back()), 78u);
  EXPECT_NE(lines.back().find("…"), std::string::npos);
}

TEST(BrailleCanvas, YLabelIsAlignedByCharacters) {
  EXPECT_EQ(FramedLines("t", "x").front(), "     x");
  EXPECT_EQ(FramedLines("t", "éé").front(), "    éé");
  EXPECT_EQ(FramedLines("t", Repeated("é", 10)).front(), Repeated("é", 10));
}

}  // namespace
}  // namespace gpode::report
