// The machine, for tables of times.
#pragma once

#include <ctime>
#include <fstream>
#include <string>

namespace gpode::testing_support {

// What it calls its processor.
inline std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown CPU";
}

// Seconds that the calling thread ran, which other programs do not lengthen.
inline double OwnSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace gpode::testing_support
