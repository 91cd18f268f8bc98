#include "io/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace gpode::internal {
namespace {

// Returns the exponent, whose text follows "e" or "E". If it has very many digits, returns a number
// of the same sign that is so large that the digits before the exponent do not matter.
std::int64_t ParseExponent(std::string_view text) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 4;
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || value > kHuge) value = kHuge;
  return minus ? -value : value;
}

// Returns zero or infinity for a number without a sign that is too small or too large for a double.
// from_chars does not tell which of the two it is; the power of ten of the first digit that is not
// zero does.
double OutOfRange(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t first = digits.find_first_not_of("0.");
  if (first == std::string_view::npos) return 0.0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  // This is the power of ten without the exponent. The digit before the point has the power 0, the
  // one after the point has the power -1.
  std::int64_t power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (first < point) --power;
  if (e < text.size()) power += ParseExponent(text.substr(e + 1));
  return power < 0 ? 0.0 : std::numeric_limits<double>::infinity();
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
  static constexpr std::string_view kMarkers[] = {"na",   "nan", "null", "none", "n/a",
                                                  "#n/a", "#na", "?",    "-",    "--",
                                                  ".",    "..",  "<na>", "nil",  "missing"};
  if (text.size() > 7) return false;
  return text.empty() || std::any_of(std::begin(kMarkers), std::end(kMarkers),
                                     [&](std::string_view word) { return SameWord(text, word); });
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace gpode::internal
