#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "gpode/error.h"

namespace gpode::tool {

std::uint64_t ParseSeed(std::string_view command, std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    ThrowInput(command, "--seed",
               fmt::format("is '{}', must be a whole number from 0 to {}", text, UINT64_MAX));
  }
  return seed;
}

bool Coloured() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace gpode::tool
