// Draws the random numbers of a decoupled draw (paper, section S1.2): frequencies from the kernel's
// spectral density, Fourier weights, normals of the inducing values. See gp.h.
#include <array>

#include "gpode/error.h"
#include "gpode/gp.h"
#include "gpode/random.h"

namespace gpode {
namespace {

// Multiplies each frequency by the kernel's spectral factor. The normals of these factors follow
// those of the frequencies in the stream.
void ScaleFrequencies(const Kernel& kernel, const RandomStream& stream, std::size_t inputs,
                      std::vector<double>& eps_omega) {
  constexpr std::size_t kMost = 16;
  const std::size_t each = kernel.spectral_normals();
  GPODE_CHECK(each <= kMost);
  std::array<double, kMost> normals;
  for (std::size_t i = 0; i < eps_omega.size() / inputs; ++i) {
    stream.Normals(std::span(normals).first(each), eps_omega.size() + i * each);
    const double factor = kernel.SpectralFactor(std::span(normals).first(each));
    for (std::size_t k = 0; k < inputs; ++k) eps_omega[i * inputs + k] *= factor;
  }
}

}  // namespace

void SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                     std::uint64_t step, std::uint64_t sample, GpNormals& normals) {
  CheckAtLeast("SampleGpNormals", "features", static_cast<std::ptrdiff_t>(features), 1);
  normals.eps_omega.resize(gp.outputs() * features * gp.inputs());
  normals.w_cos.resize(gp.outputs() * features);
  normals.w_sin.resize(gp.outputs() * features);
  normals.eps_u.resize(gp.outputs() * gp.inducing());
  const RandomStream frequencies(seed, step, sample, Purpose::kFrequencies);
  frequencies.Normals(normals.eps_omega);
  if (gp.kernel().spectral_normals() > 0) {
    ScaleFrequencies(gp.kernel(), frequencies, gp.inputs(), normals.eps_omega);
  }
  const RandomStream weights(seed, step, sample, Purpose::kFourierWeights);
  weights.Normals(normals.w_cos);
  weights.Normals(normals.w_sin, normals.w_cos.size());
  RandomStream(seed, step, sample, Purpose::kInducing).Normals(normals.eps_u);
}

GpNormals SampleGpNormals(const SparseGp& gp, std::size_t features, std::uint64_t seed,
                          std::uint64_t step, std::uint64_t sample) {
  GpNormals normals;
  SampleGpNormals(gp, features, seed, step, sample, normals);
  return normals;
}

GpNormals ZeroGpNormals(const SparseGp& gp, std::size_t features) {
  return {.eps_omega = std::vector<double>(gp.outputs() * features * gp.inputs()),
          .w_cos = std::vector<double>(gp.outputs() * features),
          .w_sin = std::vector<double>(gp.outputs() * features),
          .eps_u = std::vector<double>(gp.outputs() * gp.inducing())};
}

}  // namespace gpode
