#include "core/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace gpode::internal {

double MemoryLimit() {
  double limit = HUGE_VAL;
  const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_size > 0) {
    limit = static_cast<double>(pages) * static_cast<double>(page_size);
  }
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limit = std::min(limit, static_cast<double>(space.rlim_cur));
  }
  double group = 0;  // the file has the word "max" if there is no limit
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group) limit = std::min(limit, group);
  return limit;
}

}  // namespace gpode::internal
