// NumPy's legacy generator, numpy.random.RandomState(seed), which regenerates data sets that were
// made with it. Everything else uses the addressed streams of random.h.
//
// A Mersenne twister (that of the standard library, seeded in the same way) makes 32-bit words. Two
// words make a uniform of 53 bits. Marsaglia's polar method makes two normals from pairs of
// uniforms, the second of which is kept for the next call.
//
// Thread safety: a generator belongs to one thread.
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
