#include "predict/summarise_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace gpode {
namespace {

constexpr std::string_view kChannel = "channel '";
constexpr std::size_t kMostNames = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A remark about a channel, split into the text between numbers and the numbers as they are
// written.
struct Parts {
  std::string name;  // with its quotes; empty if the remark is not about a channel
  std::vector<std::string> texts, numbers;
};

Parts Split(const std::string& remark) {
  Parts parts;
  std::string_view rest = remark;
  if (!rest.starts_with(kChannel)) return parts;
  const std::size_t end = rest.find('\'', kChannel.size());
  if (end == rest.npos) return parts;
  parts.name = rest.substr(kChannel.size() - 1, end + 2 - kChannel.size());
  rest.remove_prefix(end + 1);
  parts.texts.emplace_back();
  for (std::size_t i = 0; i < rest.size();) {
    std::size_t stop = i;
    while (stop < rest.size() &&
           (IsDigit(rest[stop]) ||
            (stop > i && rest[stop] == '.' && stop + 1 < rest.size() && IsDigit(rest[stop + 1])))) {
      ++stop;
    }
    if (stop == i) {
      parts.texts.back() += rest[i++];
      continue;
    }
    parts.numbers.emplace_back(rest.substr(i, stop - i));
    parts.texts.emplace_back();
    i = stop;
  }
  return parts;
}

double ValueOf(const std::string& number) {
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

// Returns one remark for several that differ only in the name of the channel and in numbers.
std::string Join(const std::vector<Parts>& same) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(same.size(), kMostNames); ++i) names.push_back(same[i].name);
  std::string text = fmt::format("{} channels ({}{})", same.size(), fmt::join(names, ", "),
                                 same.size() > kMostNames ? ", ..." : "");
  constexpr std::string_view kSingular = " has ";
  for (std::size_t k = 0; k < same[0].texts.size(); ++k) {
    const std::string& piece = same[0].texts[k];
    const bool is_verb = k == 0 && piece.starts_with(kSingular);
    text += is_verb ? " have " + piece.substr(kSingular.size()) : piece;
    if (k == same[0].numbers.size()) break;
    const auto [low, high] = std::ranges::minmax_element(
        same, {}, [&](const Parts& p) { return ValueOf(p.numbers[k]); });
    text += low->numbers[k];
    if (low->numbers[k] != high->numbers[k]) text += " to " + high->numbers[k];
  }
  return text;
}

}  // namespace

std::vector<std::string> SummariseRemarks(const std::vector<std::string>& remarks,
                                          std::size_t most) {
  if (remarks.size() <= most) return remarks;
  std::map<std::vector<std::string>, std::vector<Parts>> kinds;
  for (const std::string& remark : remarks) {
    if (Parts parts = Split(remark); !parts.name.empty()) kinds[parts.texts].push_back(parts);
  }
  std::vector<std::string> result;
  for (const std::string& remark : remarks) {
    const Parts parts = Split(remark);
    const auto kind = kinds.find(parts.texts);
    if (parts.name.empty()) {
      result.push_back(remark);
    } else if (kind != kinds.end()) {
      result.push_back(kind->second.size() == 1 ? remark : Join(kind->second));
      kinds.erase(kind);
    }
  }
  return result;
}

}  // namespace gpode
