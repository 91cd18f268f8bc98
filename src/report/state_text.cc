#include "report/state_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpode::report {

std::string StateText(const std::vector<std::string>& names, const Vector& state, int digits) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < names.size(); ++d) {
    parts.push_back(
        fmt::format("{} = {:.{}g}", names[d], state[static_cast<Eigen::Index>(d)], digits));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace gpode::report
