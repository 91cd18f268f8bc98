// Names and expressions in the notations of `gpode explain`.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   LatexName("x12");                  // x_{12}
//   LatexExpression("sin(x1)*x2^2");   // \sin(x_{1})\, x_{2}^{2}
#pragma once

#include <string>
#include <string_view>

namespace gpode::internal {

// Returns the name for LaTeX: digits at the end become an index.
std::string LatexName(const std::string& name);
// Returns an expression in the language of equations for LaTeX.
std::string LatexExpression(std::string_view text);

}  // namespace gpode::internal
