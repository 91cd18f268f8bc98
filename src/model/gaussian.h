// Small Gaussians N(mean, L L^T) in D dimensions: reparametrised samples, divergence, entropy, each
// with its reverse beside it. L is lower triangular with positive diagonal, (D, D) row-major.
// Inducing values are whitened: their prior is N(0, I), and KlFromStandard is KL[q(U) || p(U)].
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

// Computes x = mean + L eps. The reverse: bmean += bx, bL += lower(bx eps^T).
void SampleGaussian(std::span<const double> mean, std::span<const double> chol,
                    std::span<const double> eps, std::span<double> x);
void SampleGaussianPullback(std::span<const double> eps, std::span<const double> bx,
                            std::span<double> bmean, std::span<double> bchol);

// Returns KL[N(mean, L L^T) || N(0, I)]. The pullback adds its reverse for the cotangent b.
double KlFromStandard(std::span<const double> mean, std::span<const double> chol);
void KlFromStandardPullback(std::span<const double> mean, std::span<const double> chol, double b,
                            std::span<double> bmean, std::span<double> bchol);

// Returns the entropy. The pullback adds its reverse for the cotangent b.
double Entropy(std::span<const double> chol, std::size_t dim);
void EntropyPullback(std::span<const double> chol, std::size_t dim, double b,
                     std::span<double> bchol);

}  // namespace gpode
