#include "picture.h"

#include "arguments.h"
#include "gpode/error.h"
#include "output.h"
#include "report/draw/figure.h"

namespace gpode::tool {
namespace {

constexpr double kPointsPerCm = 72 / 2.54;

}  // namespace

void AddPictureOptions(CLI::App* command, PictureArguments* a) {
  AddName(command, "--plot", "FILE", &a->file, "draw the result: .svg, .png or .pdf");
  AddNumber(command, "--width", &a->width, {.least = 3, .most = 60},
            "width of the picture in cm (default: 12)");
  AddNumber(command, "--height", &a->height, {.least = 3, .most = 60},
            "height of the picture in cm (default: depends on the picture)");
  AddNumber(command, "--font-size", &a->font_size, {.least = 3, .most = 40},
            "font size in points (default: 7.5)");
}

void CheckPicture(const std::string& command, const PictureArguments& a,
                  std::span<const std::string> inputs) {
  if (a.file.empty()) return;
  if (!report::FormatOf(a.file)) {
    Refuse({command, "--plot"}, a.file, "a name that ends in .svg, .png or .pdf");
  }
  CheckOutput(a.file, inputs);
}

void DrawPicture(const std::string& command, const PictureArguments& a,
                 const std::function<void(report::Canvas*)>& draw, double ratio) {
  if (a.file.empty()) return;
  const double height = a.height > 0 ? a.height : ratio * a.width;
  report::Canvas canvas(*report::FormatOf(a.file),
                        {kPointsPerCm * a.width, kPointsPerCm * height, a.font_size});
  try {
    draw(&canvas);
  } catch (const report::CanvasTooSmall& error) {
    ThrowInput(command, error.across ? "--width" : "--height",
               "leaves no room beside the labels, must be larger, or --font-size smaller");
  }
  canvas.Save(a.file);
}

}  // namespace gpode::tool
