// Lists of names as one text, one name per line, with \\ for a backslash and \n for a newline
// within a name.
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
