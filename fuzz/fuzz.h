// Functions that all fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpode/dataset.h"
#include "gpode/error.h"
#include "io/zip.h"

namespace gpode::fuzz {

// Calls read(), which may throw only an InputError whose message is one line.
template <typename Read>
void ReadsOrRefuses(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    GPODE_CHECK(!message.empty() && message.find('\n') == std::string_view::npos);
  }
}

}  // namespace gpode::fuzz

// libFuzzer calls this function once at the beginning. It can be defined in a header because a
// target has one source file.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  gpode::internal::verify_checksums = false;
  return 0;
}
