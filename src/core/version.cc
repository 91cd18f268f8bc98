#include "gpode/gpode.h"

namespace gpode {

const char* Version() { return GPODE_VERSION; }

}  // namespace gpode
