// NumPy's legacy generator, numpy.random.RandomState(seed): to regenerate data sets that were made
// with it. For everything else use the addressed streams of random.h.
//
// A Mersenne twister (the one of the standard library, seeded alike) gives 32-bit words; two of
// them a uniform of 53 bits; the polar method of Marsaglia two normals from pairs of uniforms, of
// which the second is kept for the next call.
//
//   NumpyRandom numbers(121);
//   double z = numbers.Normal();   // RandomState(121).normal()
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace gpode::experiments {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : words_(seed) {}

  double Uniform();  // random_sample(): [0, 1)
  double Normal();   // standard_normal()
  std::vector<double> Uniforms(std::size_t count);

 private:
  std::mt19937 words_;
  std::optional<double> kept_;
};

}  // namespace gpode::experiments
