// The likelihood of all channels with its present parameters, and a weight for the log likelihood
// of each channel (src/data/autocorrelation.h), for Gauss-Newton steps and linearised likelihoods.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   Likelihood::Working w = noise.At(channel, y, value);
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpode/likelihood.h"
#include "gpode/matrix.h"

namespace gpode {

struct WeightedNoise {
  const Likelihood* likelihood = nullptr;
  std::vector<double> parameters = {};  // parameters of the likelihood of all channels
  Vector weights = {};                  // (channels), or empty if all are one

  std::span<const double> Of(std::size_t c) const {
    return likelihood->OfChannel(c, std::span<const double>(parameters));
  }
  const Likelihood& For(std::size_t c) const { return likelihood->ForChannel(c); }
  double Weight(std::size_t c) const {
    return weights.size() > 0 ? weights[static_cast<Eigen::Index>(c)] : 1.0;
  }

  // Returns the weighted working response of y (Likelihood::WorkingAt).
  Likelihood::Working At(std::size_t c, double y, double value) const {
    Likelihood::Working working = For(c).WorkingAt(y, value, Of(c));
    if (weights.size() > 0) working.information *= weights[static_cast<Eigen::Index>(c)];
    return working;
  }
  // Returns the logarithm of the factor that turns the density exp(-(y* - v)^2 information / 2)
  // into the likelihood near `value`, up to a constant.
  double LogFactor(std::size_t c, double y, double value,
                   const Likelihood::Working& working) const {
    if (For(c).is_gaussian()) return std::log(std::sqrt(working.information));
    return Weight(c) * For(c).LogDensity(y, value, Of(c)) +
           0.5 * working.residual * working.residual * working.information;
  }
};

}  // namespace gpode
