// Leaves outliers out of the data from which training starts, in channels whose likelihood expects
// them.
#pragma once

#include <string_view>

#include "gpode/dataset.h"

namespace gpode {

// Returns the data with the outliers of channels with Student's t likelihood marked as missing:
// values farther from the median of their six neighbours than six times the typical distance. The
// likelihood is that of FitOptions. Training itself uses all data.
Dataset WithoutOutliers(const Dataset& data, std::string_view likelihood);

}  // namespace gpode
