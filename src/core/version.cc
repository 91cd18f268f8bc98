#include "gpode/version.h"

namespace gpode {

const char* Version() { return GPODE_VERSION; }

}  // namespace gpode
