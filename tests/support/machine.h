// CPU time, for benchmarks.
#pragma once

#include <ctime>

namespace gpode::testing_support {

// Returns the CPU time of the calling thread in seconds, which does not depend on other programs.
inline double OwnSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace gpode::testing_support
