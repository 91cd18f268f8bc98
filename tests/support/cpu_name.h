// What the machine calls its processor, for tables of times.
#pragma once

#include <fstream>
#include <string>

namespace gpode::testing_support {

inline std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown CPU";
}

}  // namespace gpode::testing_support
