#include "io/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <system_error>

namespace gpode::internal {
namespace {

// Returns zero or infinity for a number that is too small or too large for a double. from_chars
// does not tell which of the two it is. The sign of the exponent does or, without an exponent,
// whether the first digit is zero.
double OutOfRange(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  const bool small = exponent != std::string_view::npos
                         ? digits.substr(exponent + 1).starts_with('-')
                         : digits.starts_with('0') || digits.starts_with('.');
  return small ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> ToNumber(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-') return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = OutOfRange(text);
  return minus ? -value : value;
}

bool SameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

bool IsMissing(std::string_view text) {
  return text.empty() || SameWord(text, "na") || SameWord(text, "nan");
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace gpode::internal
