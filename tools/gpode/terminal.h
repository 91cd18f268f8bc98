// What subcommands share: reading arguments, writing to a terminal.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpode::tool {

// The number after --seed; an InputError of `command` if it is none.
std::uint64_t ParseSeed(std::string_view command, std::string_view text);

// Whether standard output is a terminal that wants colours.
bool Coloured();

}  // namespace gpode::tool
