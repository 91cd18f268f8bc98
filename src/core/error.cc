#include "gpode/error.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gpode {
namespace {

// Sets the cache sizes (levels one, two and three) that Eigen uses to divide large matrix products
// into blocks. By default Eigen uses the sizes of the machine's caches; the order of sums, and with
// it the last digits of a result, would then depend on the machine, and the chains of a sampler
// magnify such differences. With fixed sizes, results depend on the instruction set only. The sizes
// are set in this file because every program links it.
[[maybe_unused]] const bool kHasFixedCacheSizes = [] {
  Eigen::setCpuCacheSizes(32 << 10, 1 << 20, 320 << 20);
  return true;
}();

}  // namespace

InputError::InputError(std::string_view function, std::string_view argument,
                       std::string_view message)
    : std::runtime_error(fmt::format("{}: {} {}", function, argument, message)),
      function_size_(function.size()),
      argument_size_(argument.size()),
      message_at_(function.size() + 2 + argument.size() + 1) {}

void ThrowInput(std::string_view function, std::string_view argument, std::string_view message) {
  throw InputError(function, argument, message);
}

namespace {

// Throws "FUNCTION: ARGUMENT is VALUE, must be RIGHT".
[[noreturn]] void ThrowValue(std::string_view function, std::string_view argument, double value,
                             std::string_view right) {
  ThrowInput(function, argument, fmt::format("is {}, must be {}", value, right));
}

std::string Element(std::string_view argument, std::size_t i) {
  return fmt::format("{}[{}]", argument, i);
}

}  // namespace

void CheckFinite(std::string_view function, std::string_view argument, double value) {
  if (!std::isfinite(value)) ThrowValue(function, argument, value, "finite");
}

void CheckFinite(std::string_view function, std::string_view argument,
                 std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) CheckFinite(function, Element(argument, i), values[i]);
  }
}

void CheckPositive(std::string_view function, std::string_view argument, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    ThrowValue(function, argument, value, "positive and finite");
  }
}

void CheckPositive(std::string_view function, std::string_view argument,
                   std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i])) {
      CheckPositive(function, Element(argument, i), values[i]);
    }
  }
}

void CheckNonNegative(std::string_view function, std::string_view argument, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    ThrowValue(function, argument, value, "zero or more and finite");
  }
}

void CheckAtLeast(std::string_view function, std::string_view argument, std::ptrdiff_t value,
                  std::ptrdiff_t least) {
  if (value < least) {
    ThrowInput(function, argument, fmt::format("is {}, must be at least {}", value, least));
  }
}

void CheckSize(std::string_view function, std::string_view argument, std::size_t size,
               std::size_t expected) {
  if (size != expected) {
    ThrowInput(function, argument, fmt::format("has {} values, must have {}", size, expected));
  }
}

namespace internal {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace internal
}  // namespace gpode
