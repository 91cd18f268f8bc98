#include "predict/shown_values.h"

#include "model/soft_floor.h"

namespace gpode {

Matrix ShownValues(const Forecast& forecast, Matrix values) {
  if (forecast.noise.likelihood == nullptr) return values;
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    const auto channel = static_cast<std::size_t>(c);
    const auto* floored = dynamic_cast<const FlooredLikelihood*>(&forecast.noise.For(channel));
    if (floored == nullptr) continue;
    for (double& value : values.col(c)) {
      if (!std::isnan(value)) value = floored->Floored(value, forecast.noise.Of(channel));
    }
  }
  return values;
}

}  // namespace gpode
