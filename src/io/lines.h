// Lists of names as one text, as model files store them: one name per line. Within a name, a
// backslash becomes \\ and a newline \n.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode::internal {

std::string JoinLines(const std::vector<std::string>& lines);
std::vector<std::string> SplitLines(std::string_view text);

}  // namespace gpode::internal
