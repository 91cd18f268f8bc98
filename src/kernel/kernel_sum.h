// Sums of a stationary kernel and a polynomial one, as the option `kernel` names them:
//
//   NAME                 a kernel of kernel.h
//   NAME + linear        the same plus a polynomial kernel of degree p = 1,
//   NAME + polynomial2   of degree 2,
//   NAME + polynomial3   of degree 3.
//
// `se` is short for squared-exponential, and blanks are optional. The polynomial kernel and its
// features are those of field/polynomial.h. A stationary kernel forgets what it has seen within a
// few lengthscales; the polynomial part continues beyond the data.
//
// Thread safety: all functions may be called from any thread.
//
//   const KernelSum sum = GetKernelSum("se+linear");   // sum.Name() is "squared-exponential + linear"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gpode/kernel.h"

namespace gpode {

struct KernelSum {
  const Kernel* stationary = nullptr;
  std::size_t degree = 0;  // of the polynomial part; 0: there is none

  // Returns the canonical name, which stands in model files and reports.
  std::string Name() const;
};

// Returns the sum that a text names, or nothing.
std::optional<KernelSum> FindKernelSum(std::string_view text);
// Throws an InputError that says what is accepted.
KernelSum GetKernelSum(std::string_view text);
// Returns the accepted texts in words: "one of matern32, ..., alone or with ...".
std::string AcceptedKernelSums();

}  // namespace gpode
