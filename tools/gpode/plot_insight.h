// The kinds of `gpode plot` that show what a model implies: its dynamics, a difference to another
// model, and where to measure next. They are those of analyse, compare and design with --plot, and
// take their options from the arguments of `gpode plot`.
//
// Thread safety: any thread may call these functions with its own canvas; they start their own
// threads.
#pragma once

#include "plot_input.h"

namespace gpode::tool {

// Each throws an InputError that names the option if the model or the arguments do not fit.
void SetDynamics(const PlotArguments& arguments, report::PlotInput* input);
void SetBifurcation(const PlotArguments& arguments, report::PlotInput* input);
void SetDifference(const PlotArguments& arguments, report::PlotInput* input);
void SetDesign(const PlotArguments& arguments, report::PlotInput* input);

// Each returns the default height of the picture in cm.
double DynamicsHeight(const report::PlotInput& input);
double WideHeight(const report::PlotInput& input);

// The basins of attraction are only in the second picture.
LostDraws DrawDynamics(const PlotArguments& arguments, const report::PlotInput& input,
                       report::Canvas* canvas);
LostDraws DrawBasins(const PlotArguments& arguments, const report::PlotInput& input,
                     report::Canvas* canvas);
LostDraws DrawBifurcation(const PlotArguments& arguments, const report::PlotInput& input,
                          report::Canvas* canvas);
LostDraws DrawDifference(const PlotArguments& arguments, const report::PlotInput& input,
                         report::Canvas* canvas);
LostDraws DrawDesign(const PlotArguments& arguments, const report::PlotInput& input,
                     report::Canvas* canvas);

}  // namespace gpode::tool
