// Removes outliers, for the start of training only, from channels whose likelihood expects them.
#pragma once

#include <string_view>

#include "gpode/dataset.h"

namespace gpode {

// Returns the data in which outliers are marked as missing, in the channels with Student's t
// likelihood. A value is an outlier if its distance from the median of its six neighbours is more
// than six times the typical distance. `likelihood` is FitOptions::likelihood. Training itself uses
// all data.
Dataset WithoutOutliers(const Dataset& data, std::string_view likelihood);

}  // namespace gpode
