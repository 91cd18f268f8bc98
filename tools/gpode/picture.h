// The option --plot of commands that draw their own results, with the size of the picture.
//
//   DrawPicture("compare", a.picture,
//               [&](report::Canvas* canvas) { PlotDifference(..., canvas); });
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "report/draw/canvas.h"

namespace gpode::tool {

struct PictureArguments {
  std::string file;  // empty if no picture is wanted
  double width = 12, height = 0, font_size = 7.5;
};

// Adds --plot, --width, --height and --font-size.
void AddPictureOptions(CLI::App* command, PictureArguments* arguments);

// Throws an InputError unless the file can be written and has the ending of a picture.
void CheckPicture(const std::string& command, const PictureArguments& arguments,
                  std::span<const std::string> inputs);

// Draws the picture and saves it, if one is wanted. By default, its height is `ratio` of its width.
// Throws an InputError that names --width or --height if it is too small.
void DrawPicture(const std::string& command, const PictureArguments& arguments,
                 const std::function<void(report::Canvas*)>& draw, double ratio = 0.8);

}  // namespace gpode::tool
