// NumPy's legacy generator, numpy.random.RandomState(seed), with which the original data sets of
// the paper are made again. All other random numbers are those of gpode/random.h.
//
// A Mersenne twister (the standard library's, which is seeded in the same way) makes 32-bit words.
// Two words make a uniform number of 53 bits. Marsaglia's polar method makes two normals from two
// uniforms; the second normal is returned by the next call.
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

  double Uniform();  // returns a number in [0, 1), as random_sample() does
  double Normal();   // returns a normal, as standard_normal() does
  std::vector<double> Uniforms(std::size_t count);

 private:
  std::mt19937 words_;
  std::optional<double> kept_;  // the normal for the next call, if there is one
};

}  // namespace gpode::experiments
