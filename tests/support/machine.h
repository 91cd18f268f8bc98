// The machine, for tables of times.
#pragma once

#include <ctime>

namespace gpode::testing_support {

// Seconds that the calling thread ran, which other programs do not lengthen.
inline double OwnSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace gpode::testing_support
