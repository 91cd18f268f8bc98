// The fuzz target of model files. Checksums are not verified.
#include <span>

#include "fuzz.h"
#include "store/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpode::fuzz::ReadsOrRefuses(
      [&] { gpode::internal::ParseModel(std::as_bytes(std::span(data, size)), "f"); });
  return 0;
}
