// Splits the text of options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpode {

// Returns the parts of a text between its commas, without any trimming: one part more than there
// are commas.
std::vector<std::string> SplitAtCommas(std::string_view text);

}  // namespace gpode
