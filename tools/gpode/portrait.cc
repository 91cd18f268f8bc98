#include "subcommands.h"
namespace gpode::tool {
int Portrait(int, char**) { return 0; }
}  // namespace gpode::tool
