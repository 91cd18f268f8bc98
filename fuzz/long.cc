// The fuzz target of CSV in long format. The first byte chooses options.
#include <string_view>

#include "fuzz.h"
#include "gpode/data_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  gpode::ReadOptions options{.long_name = "name", .long_value = "value"};
  options.duplicates = static_cast<gpode::DuplicateTimes>(data[0] & 3);
  if (data[0] & 4) options.trajectory_column = "run";
  if (data[0] & 8) options.channels = {"a", "b*"};
  if (data[0] & 16) options.missing = {"-1", "x"};
  options.allow_empty_channels = data[0] & 32;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  gpode::fuzz::ReadsOrRefuses([&] {
    const gpode::Dataset read = gpode::ReadCsvText(text, "f", options);
    gpode::CheckDataset(read);
  });
  return 0;
}
