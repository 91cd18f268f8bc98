// The name of the processor, for records of running times.
#pragma once

#include <fstream>
#include <string>

namespace gpode::internal {

// Returns the processor's name from /proc/cpuinfo, or "unknown".
inline std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    if (first == std::string::npos) continue;
    return line.substr(first, line.find_last_not_of(" \t") + 1 - first);
  }
  return "unknown";
}

}  // namespace gpode::internal
