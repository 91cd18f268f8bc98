// The divergence between Gaussians, KL[q(U) || p(U)] and KL[q(x0) || p(x0)] of the paper, the
// entropy of q(s_i), and draws from Gaussians.
#include "model/gaussian.h"

#include <cmath>
#include <numbers>

namespace gpode {

void SampleGaussian(std::span<const double> mean, std::span<const double> chol,
                    std::span<const double> eps, std::span<double> x) {
  const std::size_t d = mean.size();
  for (std::size_t i = 0; i < d; ++i) {
    x[i] = mean[i];
    for (std::size_t j = 0; j <= i; ++j) x[i] += chol[i * d + j] * eps[j];
  }
}

void SampleGaussianPullback(std::span<const double> eps, std::span<const double> bx,
                            std::span<double> bmean, std::span<double> bchol) {
  const std::size_t d = bx.size();
  for (std::size_t i = 0; i < d; ++i) {
    bmean[i] += bx[i];
    for (std::size_t j = 0; j <= i; ++j) bchol[i * d + j] += bx[i] * eps[j];
  }
}

double KlFromStandard(std::span<const double> mean, std::span<const double> chol) {
  const std::size_t d = mean.size();
  double kl = 0;
  for (std::size_t i = 0; i < d; ++i) {
    kl += 0.5 * (mean[i] * mean[i] - 1.0) - std::log(chol[i * d + i]);
    for (std::size_t j = 0; j <= i; ++j) kl += 0.5 * chol[i * d + j] * chol[i * d + j];
  }
  return kl;
}

void KlFromStandardPullback(std::span<const double> mean, std::span<const double> chol, double b,
                            std::span<double> bmean, std::span<double> bchol) {
  const std::size_t d = mean.size();
  for (std::size_t i = 0; i < d; ++i) {
    bmean[i] += b * mean[i];
    for (std::size_t j = 0; j <= i; ++j) bchol[i * d + j] += b * chol[i * d + j];
    bchol[i * d + i] -= b / chol[i * d + i];
  }
}

double Entropy(std::span<const double> chol, std::size_t dim) {
  double entropy = 0.5 * static_cast<double>(dim) * (1 + std::log(2 * std::numbers::pi));
  for (std::size_t i = 0; i < dim; ++i) entropy += std::log(chol[i * dim + i]);
  return entropy;
}

void EntropyPullback(std::span<const double> chol, std::size_t dim, double b,
                     std::span<double> bchol) {
  for (std::size_t i = 0; i < dim; ++i) bchol[i * dim + i] += b / chol[i * dim + i];
}

}  // namespace gpode
