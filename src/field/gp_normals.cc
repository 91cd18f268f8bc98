// The randomness of a draw, from addressed streams. See gp.h.
#include <array>

#include "gpode/error.h"
#include "gpode/gp.h"
#include "gpode/random.h"

namespace gpode {
namespace {

// Multiplies each frequency by the kernel's spectral factor, from its own part of the stream behind
// the `first` numbers that are already used.
void ScaleFrequencies(const Kernel& kernel, const RandomStream& stream, std::size_t dim,
                      std::vector<double>& eps_omega) {
  constexpr std::size_t kMost = 16;
  const std::size_t each = kernel.spectral_normals();
  GPODE_CHECK(each <= kMost);
  std::array<double, kMost> normals;
  for (std::size_t i = 0; i < eps_omega.size() / dim; ++i) {
    stream.Normals(std::span(normals).first(each), eps_omega.size() + i * each);
    const double factor = kernel.SpectralFactor(std::span(normals).first(each));
    for (std::size_t k = 0; k < dim; ++k) eps_omega[i * dim + k] *= factor;
  }
}

}  // namespace

void SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                     std::uint64_t step, std::uint64_t sample, GpNormals& noise) {
  CheckAtLeast("SampleGpNormals", "features", static_cast<std::ptrdiff_t>(features), 1);
  const std::size_t dim = gp.dim();
  noise.eps_omega.resize(dim * features * dim);
  noise.w_cos.resize(dim * features);
  noise.w_sin.resize(dim * features);
  noise.eps_u.resize(dim * gp.inducing());
  const RandomStream frequencies(seed, step, sample, Purpose::kFrequencies);
  frequencies.Normals(noise.eps_omega);
  if (gp.kernel().spectral_normals() > 0) {
    ScaleFrequencies(gp.kernel(), frequencies, dim, noise.eps_omega);
  }
  const RandomStream weights(seed, step, sample, Purpose::kFourierWeights);
  weights.Normals(noise.w_cos);
  weights.Normals(noise.w_sin, noise.w_cos.size());
  RandomStream(seed, step, sample, Purpose::kInducing).Normals(noise.eps_u);
}

GpNormals SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                          std::uint64_t step, std::uint64_t sample) {
  GpNormals noise;
  SampleGpNormals(gp, features, seed, step, sample, noise);
  return noise;
}

GpNormals ZeroGpNormals(const SparseGp& gp, std::size_t features) {
  const std::size_t dim = gp.dim();
  return {.eps_omega = std::vector<double>(dim * features * dim),
          .w_cos = std::vector<double>(dim * features),
          .w_sin = std::vector<double>(dim * features),
          .eps_u = std::vector<double>(dim * gp.inducing())};
}

}  // namespace gpode
