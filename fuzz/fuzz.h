// What fuzz targets share: any bytes must be read or refused with an InputError of one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpode/dataset.h"
#include "gpode/error.h"
#include "io/zip.h"

namespace gpode::fuzz {

// read() may throw nothing but an InputError.
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

// libFuzzer calls it once, before all else. A target is one source file, so this is there once.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  gpode::internal::checksums_count = false;
  return 0;
}
