// The fuzz target of motion capture. The bytes are a skeleton, a NUL byte and a motion, or a motion
// alone.
#include "fuzz.h"
#include "gpode/data_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t split = text.find('\0');
  const bool both = split != std::string_view::npos;
  gpode::fuzz::ReadsOrRefuses([&] {
    gpode::ReadAmcText(both ? text.substr(split + 1) : text, "f.amc",
                       both ? text.substr(0, split) : std::string_view(), "f.asf");
  });
  return 0;
}
