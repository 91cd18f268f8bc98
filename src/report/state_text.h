// A state as text.
//
// Thread safety: any thread may call the function.
//
//   StateText({"x1", "x2"}, x);  // "x1 = 1.2, x2 = -0.5"
#pragma once

#include <string>
#include <vector>

#include "gpode/matrix.h"

namespace gpode::report {

// Returns the names and values of a state (D) with this number of significant digits.
std::string StateText(const std::vector<std::string>& names, const Vector& state, int digits = 4);

}  // namespace gpode::report
