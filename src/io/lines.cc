#include "io/lines.h"

namespace gpode::internal {

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    for (char c : line) {
      if (c == '\\')
        text += "\\\\";
      else if (c == '\n')
        text += "\\n";
      else
        text += c;
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      lines.push_back(std::move(line));
      line.clear();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      line += text[++i] == 'n' ? '\n' : text[i];
    } else {
      line += text[i];
    }
  }
  return lines;
}

}  // namespace gpode::internal
