// What the files of profiles/ share, and the list of them.
//
// A file profiles/NAME.cc defines `const Kernel& gpode::profiles::NAME()`; the build writes the
// list of all files into kernel_list.h, so that a new kernel is one new file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "gpode/kernel.h"

namespace gpode::profiles {

// Profiles work on this many values at a time, in buffers on the stack.
inline constexpr std::size_t kProfileChunk = 64;

// exp(-kProfileFar) is zero: farther than that a profile is zero too, and not infinity times zero.
inline constexpr double kProfileFar = 800.0;

// A multivariate Student t with n degrees of freedom is a normal vector times this factor,
// sqrt(n / chi^2_n), with chi^2_n the sum of n squared normals.
double StudentFactor(std::span<const double> normals);

#define GPODE_KERNEL(name) const Kernel& name();
#include "kernel_list.h"
#undef GPODE_KERNEL

}  // namespace gpode::profiles
