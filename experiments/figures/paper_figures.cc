#include "experiments/figures/paper_figures.h"

#include <fmt/format.h>

#include "io/files.h"

namespace gpode::experiments {
namespace {

using namespace report;

constexpr double kPointsPerMm = 72 / 25.4, kWidth = 180;
constexpr double kFontSize = 8;  // The numbers of axes are 10 % smaller.

}  // namespace

std::unique_ptr<Canvas> PaperCanvas(double height_mm) {
  return std::make_unique<Canvas>(
      Format::kSvg, CanvasSize{kPointsPerMm * kWidth, kPointsPerMm * height_mm, kFontSize});
}

Key ColoursKey(const std::vector<PaperRun>& runs, double width, double opacity) {
  const auto draw = [=](Canvas* canvas, const Box& box) {
    const double part = box.width() / static_cast<double>(runs.size()),
                 middle = (box.top + box.bottom) / 2;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double left = box.left + part * static_cast<double>(i);
      const Point ends[] = {{left, middle}, {left + part, middle}};
      const Colour colour = Faded(StyleOf(runs[i].model).stroke.colour, opacity);
      canvas->Line(ends, {.colour = colour, .width = width});
    }
  };
  return {draw, 2.4};
}

void NoteDiverged(const Forecast& forecast, const Panel& panel, Canvas* canvas) {
  const std::size_t lost = forecast.diverged + forecast.unfinished.size();
  if (lost == 0) return;
  const Box& inside = panel.inside();
  const double size = canvas->tick_size();
  const std::string note = canvas->Fitted(
      fmt::format("{}/{} draws lost", lost, forecast.draws.size()), inside.width() - 4, size);
  canvas->Rectangle({inside.left, inside.bottom - 1.4 * size,
                     inside.left + canvas->TextWidth(note, size) + 4, inside.bottom},
                    kWhite);
  canvas->Text({inside.left + 2, inside.bottom - 0.35 * size}, note,
               {Across::kLeft, Along::kBottom, size});
}

std::vector<std::filesystem::path> WritePaperFigures(const std::filesystem::path& results,
                                                     const std::filesystem::path& data,
                                                     const std::filesystem::path& out) {
  std::vector<std::filesystem::path> written;
  const auto write = [&](const PaperFigures& figures) {
    for (const PaperFigure& figure : figures) {
      std::error_code error;
      std::filesystem::create_directories(out, error);
      if (error) internal::ThrowAt(out.string(), "cannot be made: " + error.message());
      written.push_back(out / figure.name);
      figure.canvas->Save(written.back().string());
    }
  };
  write(DrawVectorFields(results));
  write(DrawEfficiency(results));
  write(DrawSequenceLength(results));
  write(DrawCalibration(results));
  write(DrawMocap(results, data));
  return written;
}

}  // namespace gpode::experiments
