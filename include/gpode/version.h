// The version of the library, as `gpode --version` prints it.
//
// Thread safety: the function may be called from any thread.
//
//   std::printf("gpode %s\n", Version());
#pragma once

namespace gpode {

// Returns "MAJOR.MINOR.PATCH". The string is never freed.
const char* Version();

}  // namespace gpode
