#include "region.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyse/support.h"
#include "gpode/analysis.h"
#include "model_input.h"
#include "report/model_view.h"

namespace gpode::tool {

StateBox ParseRegion(const Place& place, std::string_view word, const Posterior& posterior,
                     const Dataset& data) {
  StateBox box = DefaultBox(posterior, data);
  const std::vector<std::string> names = report::StateNames(posterior.model());
  for (const auto& [name, range] : ParseAssignments(place, word)) {
    const auto d = static_cast<Eigen::Index>(FindState(place, word, name, names));
    const std::size_t colon = range.find(':');
    if (colon == std::string::npos) Refuse(place, word, "ranges of states, as x1=FROM:TO");
    box.lower[d] = ParseNumber(place, range.substr(0, colon), kSaneNumber);
    box.upper[d] = ParseNumber(place, range.substr(colon + 1), kSaneNumber);
    if (!(box.lower[d] < box.upper[d])) {
      Refuse(place, word, fmt::format("ranges with FROM below TO, as {}=FROM:TO", name));
    }
  }
  return box;
}

Matrix ObservedStates(const Posterior& posterior, const Dataset& data) {
  return Support(posterior, data).states();
}

}  // namespace gpode::tool
