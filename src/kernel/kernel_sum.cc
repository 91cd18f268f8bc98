// The names of sums of kernels. Kernel matrices are computed in kernel_matrix.cc, the polynomial
// part in field/polynomial.cc.
#include "kernel/kernel_sum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gpode/error.h"

namespace gpode {
namespace {

// The name of the polynomial part of each degree.
constexpr std::array<std::string_view, 4> kPolynomials = {"", "linear", "polynomial2",
                                                          "polynomial3"};

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

const Kernel* FindStationary(std::string_view name) {
  const std::vector<std::string> known = KernelNames();
  if (std::ranges::find(known, name) != known.end()) return &GetKernel(name);
  return name == "se" ? &GetKernel("squared-exponential") : nullptr;
}

}  // namespace

std::string KernelSum::Name() const {
  if (degree == 0) return std::string(stationary->name());
  return fmt::format("{} + {}", stationary->name(), kPolynomials[degree]);
}

std::optional<KernelSum> FindKernelSum(std::string_view text) {
  text = WithoutBlanks(text);
  // A registered kernel may have a plus sign in its own name.
  if (const Kernel* whole = FindStationary(text)) return KernelSum{whole, 0};
  const std::size_t plus = text.rfind('+');
  if (plus == std::string_view::npos) return std::nullopt;
  const Kernel* stationary = FindStationary(WithoutBlanks(text.substr(0, plus)));
  const auto* polynomial =
      std::find(kPolynomials.begin() + 1, kPolynomials.end(), WithoutBlanks(text.substr(plus + 1)));
  if (stationary == nullptr || polynomial == kPolynomials.end()) return std::nullopt;
  return KernelSum{stationary, static_cast<std::size_t>(polynomial - kPolynomials.begin())};
}

KernelSum GetKernelSum(std::string_view text) {
  if (const std::optional<KernelSum> sum = FindKernelSum(text)) return *sum;
  ThrowInput("GetKernelSum", "kernel",
             fmt::format("is '{}', must be {}", text, AcceptedKernelSums()));
}

std::string AcceptedKernelSums() {
  return fmt::format(
      "one of {} (or se), alone or with + linear, + polynomial2 or + polynomial3, such as \"se + "
      "linear\"",
      fmt::join(KernelNames(), ", "));
}

}  // namespace gpode
