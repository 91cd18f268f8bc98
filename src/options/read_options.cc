#include "options/read_options.h"

#include <fmt/format.h>

#include "gpode/error.h"
#include "gpode/options.h"
#include "io/reading.h"
#include "io/toml.h"
#include "options/option_values.h"

namespace gpode {

std::string ReadingText(const ReadOptions& options) {
  std::string text;
  const ReadOptions defaults;
  std::vector<std::string> usual;
  internal::ForKindOfFile(defaults, [&](std::string_view, const auto& member) {
    usual.push_back(internal::ShowToml(internal::ToToml(member)));
  });
  std::size_t i = 0;
  internal::ForKindOfFile(options, [&](std::string_view name, const auto& member) {
    const std::string value = internal::ShowToml(internal::ToToml(member));
    if (value != usual[i++]) text += fmt::format("{} = {}\n", name, value);
  });
  return text;
}

ReadOptions OptionsLike(const Dataset& data) {
  ReadOptions options;
  for (const internal::TomlItem& item : internal::ParseToml(data.reading, "reading")) {
    internal::ForKindOfFile(options, [&](std::string_view name, auto& member) {
      if (name != item.key) return;
      const internal::Requirement requirement = internal::FromToml(item.value, member);
      if (requirement.empty()) return;
      ThrowInput("reading", name,
                 fmt::format("is {}, must be {}", internal::ShowToml(item.value), requirement));
    });
  }
  options.calendar = data.calendar;
  options.has_fixed_calendar = true;
  options.names_are_hints = true;
  internal::CheckReadOptions(options, "reading");
  return options;
}

}  // namespace gpode
