// Text for the terminal. Names of files, channels and trajectories may hold any bytes, also control
// characters that move the cursor, set the title of the window or hide what was printed.
#pragma once

#include <string>
#include <string_view>

namespace gpode::tool {

// Returns the text with control characters, other than newlines and tabs, and invalid bytes written
// as \xNN.
std::string SafeText(std::string_view text);
// Does the same, but also escapes newlines and tabs.
std::string SafeLine(std::string_view text);
// Returns JSON in which all control characters of strings are escaped as \u00NN.
std::string SafeJson(std::string_view json);

}  // namespace gpode::tool
