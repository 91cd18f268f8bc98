#include "data/fill_gaps.h"

#include <cmath>

namespace gpode {

void FillGaps(std::span<const double> times, double otherwise, Eigen::Ref<Vector> column) {
  Eigen::Index before = -1;
  for (Eigen::Index i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) continue;
    for (Eigen::Index k = before + 1; k < i; ++k) {
      const auto at = [&](Eigen::Index row) { return times[static_cast<std::size_t>(row)]; };
      const double share = before < 0 ? 1 : (at(k) - at(before)) / (at(i) - at(before));
      column[k] = before < 0 ? column[i] : column[before] + share * (column[i] - column[before]);
    }
    before = i;
  }
  const double last = before < 0 ? otherwise : column[before];
  for (Eigen::Index k = before + 1; k < column.size(); ++k) column[k] = last;
}

}  // namespace gpode
