// Gaussians N(mean, L L^T) in a few dimensions: draws by the reparametrisation trick, divergence
// from the standard normal, entropy, each with its reverse beside it. L (D, D), called `chol`
// below, is lower triangular with positive diagonal and stored by rows. bX is the gradient of the
// bound with respect to X, its cotangent.
// Inducing values are whitened: their prior is N(0, I), and KlFromStandard is KL[q(U) || p(U)].
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

// Computes x = mean + L eps for standard normals eps. The reverse is bmean += bx and
// bL += lower triangle of bx eps^T.
void SampleGaussian(std::span<const double> mean, std::span<const double> chol,
                    std::span<const double> eps, std::span<double> x);
void SampleGaussianPullback(std::span<const double> eps, std::span<const double> bx,
                            std::span<double> bmean, std::span<double> bchol);

// Returns KL[N(mean, L L^T) || N(0, I)]. The pullback adds b times its gradient.
double KlFromStandard(std::span<const double> mean, std::span<const double> chol);
void KlFromStandardPullback(std::span<const double> mean, std::span<const double> chol, double b,
                            std::span<double> bmean, std::span<double> bchol);

// Returns the entropy of N(mean, L L^T). The pullback adds b times its gradient.
double Entropy(std::span<const double> chol, std::size_t dim);
void EntropyPullback(std::span<const double> chol, std::size_t dim, double b,
                     std::span<double> bchol);

}  // namespace gpode
