// Functions that the files of profiles/ share, and the list of these files.
//
// A file profiles/NAME.cc defines `const Kernel& gpode::profiles::NAME()`; the build writes the
// list of all files into kernel_list.h, so that a new kernel is one new file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "gpode/kernel.h"
#include "simd/simd.h"

namespace gpode::profiles {

// Calls each(i, a, e) for every i with a = sqrt(scale s_i) and e = exp(-a). The profiles of Matern
// kernels are products of a polynomial in a with e. s is the squared scaled distance of kernel.h.
template <typename Each>
void ForDecays(double scale, std::span<const double> s, Each each) {
  constexpr std::size_t kChunk = 64;
  // exp(-kFar) is zero. A larger a is replaced by kFar, since an infinite one times e = 0 would
  // make the profile NaN.
  constexpr double kFar = 800.0;
  for (std::size_t start = 0; start < s.size(); start += kChunk) {
    const std::size_t count = std::min(kChunk, s.size() - start);
    double a[kChunk], e[kChunk];
    for (std::size_t i = 0; i < count; ++i) a[i] = std::min(std::sqrt(scale * s[start + i]), kFar);
    simd::ExpScaled(-1.0, {a, count}, {e, count});
    for (std::size_t i = 0; i < count; ++i) each(start + i, a[i], e[i]);
  }
}

// Returns sqrt(n / chi^2_n), with chi^2_n the sum of n squared normals. A vector of standard
// normals times this factor is a multivariate Student t with n degrees of freedom.
double StudentFactor(std::span<const double> normals);

#define GPODE_KERNEL(name) const Kernel& name();
#include "kernel_list.h"
#undef GPODE_KERNEL

}  // namespace gpode::profiles
