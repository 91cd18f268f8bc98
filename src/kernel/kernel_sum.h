// Sums of a stationary kernel and a polynomial one, as the option `kernel` names them:
//
//   NAME                 a kernel of kernel.h
//   NAME + linear        the same plus a polynomial kernel of degree 1
//   NAME + polynomial2   the same plus a polynomial kernel of degree 2
//   NAME + polynomial3   the same plus a polynomial kernel of degree 3
//
// `se` is short for squared-exponential, and blanks are optional. field/polynomial.h defines the
// polynomial kernel. A few lengthscales away from the data, a field with a stationary kernel alone
// returns to its prior mean of zero; with the polynomial part it continues the trend of the data.
//
// Thread safety: all functions may be called from any thread.
//
//   const KernelSum sum = GetKernelSum("se+linear");
//   sum.Name();  // "squared-exponential + linear"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gpode/kernel.h"

namespace gpode {

struct KernelSum {
  const Kernel* stationary = nullptr;
  std::size_t degree = 0;  // the degree of the polynomial part; 0 if there is none

  // Returns the full name, such as "squared-exponential + linear", for model files and reports.
  std::string Name() const;
};

// Returns the sum with the given name. For an unknown name, FindKernelSum returns nothing, and
// GetKernelSum throws an InputError that says what is accepted.
std::optional<KernelSum> FindKernelSum(std::string_view text);
KernelSum GetKernelSum(std::string_view text);
// Returns a description of the accepted names: "one of matern32, ..., alone or with ...".
std::string AcceptedKernelSums();

}  // namespace gpode
